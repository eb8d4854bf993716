import { LeaseService, MaintenanceService } from '../../../src/api/etcd/services.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import { type Random, shuffled } from '../../../src/platform/random.ts';
import { RpcError } from '../../../src/platform/rpc.ts';
import type { Task } from '../../../src/platform/task.ts';
import { members, READY } from '../helpers.ts';
import type { Node, SimCluster } from '../sim-cluster.ts';
import type { Checks } from './checks.ts';
import type { RecordedClient } from './recorded-client.ts';

const SECOND = 1_000_000;
/** A healed cluster writes again within this: elections, reconnections, replay. */
const RECOVERY_US = 15 * SECOND;
/** Probes of an idle connection take this long to tell that the other side is another now. */
const LATE_NEWS_US = 40 * SECOND;
/** Marks leases that do not follow from the agreed order of writes. */
const NOT_THOSE = ' (leases';
const EVERYTHING = Object.freeze({ key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) });

/** What must hold once everything is whole again and nobody works any more. */
export class Ending {
  readonly #cluster: SimCluster;
  readonly #checks: Checks;
  readonly #client: RecordedClient;
  readonly #prepare: () => Task<void>;
  #writes = 0;

  /** `prepare` is done before each attempt to write. */
  constructor(cluster: SimCluster, checks: Checks, client: RecordedClient, prepare = nothingToPrepare) {
    this.#prepare = prepare;
    this.#cluster = cluster;
    this.#checks = checks;
    this.#client = client;
  }

  /** Some write succeeds within the time that recovery may take. */
  writesAgain(): void {
    const key = utf8Encode('tombstone');
    const value = utf8Encode(`end-${++this.#writes}`);
    const prepare = this.#prepare;
    this.#reach('a write', function* (client) {
      yield* prepare();
      return yield* client.put({ key, value });
    });
  }

  waitUntil(holds: () => boolean, what: string): void {
    const { sim } = this.#cluster;
    sim.runUntil(holds, { untilUs: sim.nowUs + 3 * RECOVERY_US });
    if (!holds()) this.#checks.blame('progress after healing', `${what} does not come to its end`);
  }

  /** Every member runs, and has the same keys, leases, members and history as the agreed order of writes gives. */
  membersAgree(): void {
    const { serving } = this.#cluster;
    for (const node of serving) {
      const exit = node.process?.exit.peek();
      if (exit !== undefined) {
        const last = this.#cluster.lines(node).at(-1);
        this.#checks.blame('members run', `${node.name} ended with ${exit.code}: ${last}`);
      }
    }
    if (this.#checks.problems.length > 0) return;
    let views = serving.map((node) => this.#viewOf(node));
    // Whoever sent an image to a member that then lost its power may learn of that from its kernel only, and a client may
    // still be at work between two questions.
    for (let waitedUs = 0; !areOne(views) && waitedUs < LATE_NEWS_US; waitedUs += 5 * SECOND) {
      this.#cluster.sim.runFor(5 * SECOND);
      views = serving.map((node) => this.#viewOf(node));
    }
    for (const [i, view] of views.entries()) {
      if (view === undefined) this.#checks.blame('progress after healing', `${serving[i]!.name} does not answer`);
      else if (view !== views[0])
        this.#checks.blame('members agree', `${serving[i]!.name} has ${view}, not ${views[0]}`);
      else if (view.includes(NOT_THOSE)) this.#checks.blame('leases are kept', `${serving[i]!.name} has ${view}`);
    }
  }

  /** What one member has, as text; its keys are checked on the way. */
  #viewOf(node: Node): string | undefined {
    const channel = this.#cluster.channel(node);
    const { order } = this.#checks;
    try {
      return this.#cluster.run(function* (): Task<string> {
        const { hash, compactRevision } = yield* channel.unary(
          MaintenanceService.HashKV,
          { revision: order.revision },
          READY,
        );
        const { leases } = yield* channel.unary(LeaseService.LeaseLeases, {}, READY);
        const known = yield* members(channel);
        const ids = leases.map(({ id }) => id).sort();
        const right = [...order.model.leases.all()].map(({ id }) => id).sort();
        const wrong = ids.join() === right.join() ? '' : `${NOT_THOSE} ${right.join()} were granted and not revoked)`;
        return `hash ${hash} after ${compactRevision}, leases ${ids.join()}${wrong}, members ${JSON.stringify(known)}`;
      });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return undefined;
    } finally {
      channel.close();
    }
  }

  /** Any majority of the voters goes on alone: nobody else is counted. */
  survivesMinority(random: Random): void {
    const { serving, sim } = this.#cluster;
    const doomed = shuffled(random, serving).slice(0, Math.floor((serving.length - 1) / 2));
    for (const node of doomed) node.station.powerOff();
    sim.runFor(SECOND);
    this.writesAgain();
    this.#reach('a read', (client) => client.range(EVERYTHING));
  }

  #reach(what: string, attempt: (client: RecordedClient) => Task<unknown>): void {
    const { sim } = this.#cluster;
    const client = this.#client;
    let done = false;
    const untilUs = sim.nowUs + RECOVERY_US;
    this.#cluster.spawn('ending', function* (): Task<void> {
      while (!done && sim.nowUs < untilUs) done = (yield* attempt(client)) !== null;
    });
    sim.runUntil(() => done, { untilUs });
    if (!done)
      this.#checks.blame('progress after healing', `${what} does not succeed within ${RECOVERY_US / SECOND} s`);
  }
}

function* nothingToPrepare(): Task<void> {}

function areOne(views: readonly (string | undefined)[]): boolean {
  return views.every((view) => view !== undefined && view === views[0] && !view.includes(NOT_THOSE));
}
