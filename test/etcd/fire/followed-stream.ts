import type { Event } from '../../../src/api/etcd/kv.ts';
import { NO_WATCH, type WatchCreateRequest, type WatchResponse } from '../../../src/api/etcd/watch.ts';
import type { Blame } from '../../../src/lab/checkers/etcd/commit-order.ts';
import type { EtcdModel } from '../../../src/lab/checkers/etcd/model/model.ts';
import { WatchFollower } from '../../../src/lab/checkers/etcd/watch/follower.ts';

interface Open {
  readonly follower: WatchFollower;
  readonly request: WatchCreateRequest;
  /** Pieces of a fragmented answer. */
  pieces: Event[];
  last: number;
}

/** The watches of one stream, each held to all guarantees, by what the server answers. */
export class FollowedStream {
  readonly #name: string;
  readonly #truth: () => EtcdModel;
  readonly #blame: Blame;
  readonly #open = new Map<number, Open>();
  readonly #asked: WatchCreateRequest[] = [];
  #count = 0;
  events = 0;

  constructor(name: string, truth: () => EtcdModel, blame: Blame) {
    this.#name = name;
    this.#truth = truth;
    this.#blame = blame;
  }

  /** A watch is asked for; answers come in the order of the requests. */
  asked(request: WatchCreateRequest): void {
    this.#asked.push(request);
  }

  take(response: WatchResponse): void {
    const revision = response.header?.revision ?? 0;
    if (response.created) this.#created(response, revision);
    else if (response.watchId === NO_WATCH) {
      for (const { follower } of this.#open.values()) follower.progress(revision);
    } else {
      const watch = this.#open.get(response.watchId);
      if (watch === undefined) this.#blame('watch: filters', `an answer for watch ${response.watchId}, not open`);
      else this.#deliver(watch, response, revision);
    }
  }

  /** Nothing more will come: what is still open must have been told everything. */
  finish(): void {
    for (const { follower } of this.#open.values()) follower.finish();
  }

  /** How each open watch goes on where it is now; one that has heard nothing yet begins anew. */
  resumed(): WatchCreateRequest[] {
    return [...this.#open.values()].map(({ request, last }) =>
      last <= 0 ? request : { ...request, startRevision: last + 1 },
    );
  }

  #created(response: WatchResponse, revision: number): void {
    const request = this.#asked.shift();
    if (request === undefined || response.canceled) {
      this.#blame('watch: resumable', `a watch is refused: ${response.cancelReason}`);
      return;
    }
    const name = `${this.#name}/${++this.#count} from ${request.startRevision}`;
    const follower = new WatchFollower(name, request, this.#truth, this.#blame);
    this.#open.set(response.watchId, { follower, request, pieces: [], last: request.startRevision - 1 });
    follower.created(revision);
  }

  #deliver(watch: Open, response: WatchResponse, revision: number): void {
    if (response.canceled) {
      watch.follower.compacted(response.compactRevision);
      this.#open.delete(response.watchId);
      return;
    }
    if (response.events.length === 0) {
      watch.follower.progress(revision);
      watch.last = Math.max(watch.last, revision);
      return;
    }
    watch.pieces.push(...response.events);
    if (response.fragment) return;
    const events = watch.pieces;
    watch.pieces = [];
    this.events += events.length;
    watch.last = events[events.length - 1]!.kv.modRevision;
    watch.follower.answer({ revision, events });
  }
}
