import type { EtcdClient } from '../../../src/etcd/client/client.ts';
import { putOp } from '../../../src/etcd/client/concurrency.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { Task } from '../../../src/platform/task.ts';
import { SimCluster } from '../sim-cluster.ts';
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

/** One member does everything that writes to its disk once, and loses its power at one operation. */
export function cutAt(cut: PowerCut | undefined): { readonly problems: readonly Problem[]; readonly points: number } {
  const checks = new Checks();
  let points = 0;
  let cluster: SimCluster | undefined;
  let crashed = false;
  const decide: CrashPoint = () => (points++ === cut?.at ? cut.when : 'go on');
  const crash = (): void => {
    crashed = true;
    cluster!.nodes[0]!.station.powerOff();
  };
  cluster = new SimCluster({
    size: 1,
    flags: FLAGS,
    observer: checks.order,
    walSegmentBytes: 5000,
    digest: 'fast',
    wants: () => false,
    wrap: (program, name) => crashable(program, name, decide, crash),
  });
  try {
    return run(
      cluster,
      checks,
      cut,
      () => points,
      () => crashed,
    );
  } finally {
    cluster.close();
  }
}

function run(
  cluster: SimCluster,
  checks: Checks,
  cut: PowerCut | undefined,
  points: () => number,
  crashed: () => boolean,
): { readonly problems: readonly Problem[]; readonly points: number } {
  checks.attach(cluster.sim);
  const [node] = cluster.nodes;
  node!.station.disk.faults.crashMode = cut?.mode ?? 'drop';
  const client = new RecordedClient(checks, cluster.ops, [`http://${node!.address}:2379`]);
  let done = false;
  cluster.spawn('work', function* (): Task<void> {
    yield* work(client);
    done = true;
  });
  cluster.sim.runUntil(() => done || crashed(), { untilUs: 20 * SECOND });
  if (!crashed()) cluster.sim.runUntil(crashed, { untilUs: cluster.sim.nowUs + SECOND });
  const seen = points();
  if (crashed()) {
    cluster.sim.runFor(100_000);
    node!.station.powerOn();
    cluster.start(node!);
  }
  // As with the real etcd, a member that dies between making its log and its first entry never learns who it is: it had
  // promised nothing, and has to be founded again.
  if (crashed() && client.answered === 0) return { problems: checks.problems, points: seen };
  const ending = new Ending(cluster, checks, new RecordedClient(checks, cluster.ops, client.client.endpoints));
  ending.writesAgain();
  // Once more, now that it has written behind what the cut left.
  restartAll(cluster);
  ending.writesAgain();
  ending.membersAgree();
  return { problems: checks.problems, points: seen };
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
