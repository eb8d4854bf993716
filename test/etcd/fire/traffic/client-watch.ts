import type { EtcdClient } from '../../../../src/etcd/client/client.ts';
import { WatchFollower } from '../../../../src/lab/checkers/etcd/watch/follower.ts';
import { utf8Encode } from '../../../../src/platform/bytes.ts';
import { END } from '../../../../src/platform/channel.ts';
import type { Task } from '../../../../src/platform/task.ts';
import type { Checks } from '../checks.ts';

/** Pause before a watch that was refused, by a learner for one, is asked for again. */
const RETRY_US = 100_000;

/** One watch of the client library that lives through everything, and begins again where a compaction or a refusal left it. */
export class ClientWatch {
  readonly #client: EtcdClient;
  readonly #checks: Checks;
  readonly #name: string;
  #follower: WatchFollower | undefined;

  constructor(client: EtcdClient, checks: Checks, name: string) {
    this.#client = client;
    this.#checks = checks;
    this.#name = name;
  }

  *run(): Task<void> {
    for (let from = 1; ; yield* this.#client.ports.clock.sleep(RETRY_US)) from = yield* this.#followFrom(from);
  }

  /** Follows one watch to its end; where the next one has to begin. */
  *#followFrom(startRevision: number): Task<number> {
    const watch = this.#client.watches.watch({
      key: utf8Encode('k'),
      rangeEnd: utf8Encode('l'),
      startRevision,
      prevKv: true,
      progressNotify: true,
    });
    const truth = () => this.#checks.order.model;
    const follower = new WatchFollower(
      `${this.#name} from ${startRevision}`,
      watch.createRequest(),
      truth,
      (guarantee, detail) => this.#checks.blame(guarantee, detail),
    );
    this.#follower = follower;
    for (;;) {
      const update = yield* watch.receive();
      if (update === END || (update.error !== null && update.compactRevision === 0)) {
        return Math.max(startRevision, follower.revision + 1);
      }
      if (update.error !== null) {
        follower.compacted(update.compactRevision);
        return update.compactRevision;
      }
      if (update.events.length > 0) follower.answer(update);
      else follower.progress(update.revision);
    }
  }

  /** It has been told of everything. */
  get isCurrent(): boolean {
    return this.#follower !== undefined && this.#follower.revision >= this.#checks.order.revision;
  }

  finish(): void {
    this.#follower?.finish();
  }
}
