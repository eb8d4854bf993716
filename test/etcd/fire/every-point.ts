import type { EtcdClient } from '../../../src/etcd/client/client.ts';
import { putOp } from '../../../src/etcd/client/concurrency.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { Task } from '../../../src/platform/task.ts';
import { clientUrl, type Node, SimCluster } from '../sim-cluster.ts';
import { restartAll } from './aftermath.ts';
import { Checks, type Problem } from './checks.ts';
import { type CrashPoint, crashable } from './crash-points.ts';
import { Ending } from './ending.ts';
import { RecordedClient } from './recorded-client.ts';

const SECOND = 1_000_000;
const FLAGS = Object.freeze([
  '--snapshot-count=4',
  '--snapshot-catchup-entries=2',
  '--backend-batch-interval=10ms',
  '--max-wals=1',
  '--max-snapshots=1',
]);
const REQUESTS = 16;

/** Where the power goes: at which operation of the member's disk, counted from its first start. */
export interface PowerCut {
  readonly at: number;
  readonly when: 'crash before' | 'crash after';
  readonly mode: 'drop' | 'torn';
}

export interface CutReport {
  readonly problems: readonly Problem[];
  /** Operations of its disk that the member came to. */
  readonly points: number;
}

/** A cluster does everything that writes to its disks once, and one member loses its power at one operation. */
export function cutAt(cut: PowerCut | undefined, size = 1, member = 0): CutReport {
  return new CutRun(cut, size, member).run();
}

class CutRun {
  readonly #cut: PowerCut | undefined;
  readonly #checks = new Checks();
  readonly #cluster: SimCluster;
  readonly #node: Node;
  #points = 0;
  #crashed = false;

  constructor(cut: PowerCut | undefined, size: number, member: number) {
    this.#cut = cut;
    const decide: CrashPoint = (name) => (name === `m${member + 1}` && this.#points++ === cut?.at ? cut.when : 'go on');
    const crash = (): void => {
      this.#crashed = true;
      this.#node.station.powerOff();
    };
    this.#cluster = new SimCluster({
      size,
      flags: FLAGS,
      observer: this.#checks.order,
      walSegmentBytes: 5000,
      digest: 'fast',
      wants: () => false,
      wrap: (program, name) => crashable(program, name, decide, crash),
    });
    this.#node = this.#cluster.nodes[member]!;
  }

  run(): CutReport {
    try {
      return this.#run();
    } finally {
      this.#cluster.close();
    }
  }

  #run(): CutReport {
    const checks = this.#checks;
    const { sim, nodes, ops } = this.#cluster;
    checks.attach(sim);
    this.#node.station.disk.faults.crashMode = this.#cut?.mode ?? 'drop';
    const endpoints = nodes.map(clientUrl);
    const client = new RecordedClient(checks, ops, endpoints);
    let done = false;
    this.#cluster.spawn('work', function* (): Task<void> {
      yield* work(client);
      done = true;
    });
    sim.runUntil(() => done || this.#crashed, { untilUs: 20 * SECOND });
    if (!this.#crashed) sim.runUntil(() => this.#crashed, { untilUs: sim.nowUs + SECOND });
    const points = this.#points;
    if (this.#crashed) this.#comeBack();
    // As with the real etcd, a member that dies between making its log and its first entry never learns who it is: it had
    // promised nothing, and has to be founded again.
    if (this.#crashed && client.answered === 0) return { problems: checks.problems, points };
    const ending = new Ending(this.#cluster, checks, new RecordedClient(checks, ops, endpoints));
    ending.writesAgain();
    // Once more, now that it has written behind what the cut left.
    restartAll(this.#cluster);
    ending.writesAgain();
    ending.membersAgree();
    return { problems: checks.problems, points };
  }

  #comeBack(): void {
    this.#cluster.sim.runFor(100_000);
    this.#node.station.powerOn();
    this.#cluster.start(this.#node);
  }
}

/** Puts, transactions, leases, compactions, a defragmentation: enough for several segments and snapshots. */
function* work(client: RecordedClient): Task<void> {
  for (let i = 0; i < REQUESTS; i++) {
    const key = utf8Encode(`k${i % 5}`);
    if (i % 5 === 4) yield* client.txn({ success: [putOp({ key }), putOp({ key: utf8Encode(`t${i}`) })] });
    else if (i === 6) yield* client.grant(100, '0000000000000abc');
    else if (i === 7) yield* client.put({ key, lease: '0000000000000abc' });
    else if (i === 8) yield* client.compact(5, true);
    else if (i === 11) yield* client.deleteRange({ key });
    else if (i === 12) yield* client.revoke('0000000000000abc');
    else yield* client.put({ key, value: utf8Encode(`value-${i}`.padEnd(i % 3 === 0 ? 2000 : 8, '.')) });
  }
  yield* defragment(client.client);
}

function* defragment(client: EtcdClient): Task<void> {
  try {
    yield* client.maintenance.defragment(client.endpoints[0]!, { timeoutUs: SECOND });
  } catch {
    // The power went meanwhile.
  }
}
