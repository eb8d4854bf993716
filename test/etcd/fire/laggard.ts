import { EtcdEvent } from '../../../src/etcd/events.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import { shuffled } from '../../../src/platform/random.ts';
import type { Task } from '../../../src/platform/task.ts';
import { clientUrl } from '../sim-cluster.ts';
import type { RebirthParts } from './rebirth.ts';
import { RecordedClient } from './recorded-client.ts';

const SECOND = 1_000_000;
/** Writes that fill the log up to the next snapshot, whatever the thresholds are. */
const MOST_WRITES = 400;

/**
 * Of three members one is far behind when all lose their power, and one of the other two never returns. The database of the
 * one that is left knows more than its log says is committed, and only the one behind can commit it, which needs an image
 * first: the two go on all the same.
 */
export function goesOnWithLaggard({ cluster, checks, ending, random }: RebirthParts): void {
  const { sim, ops } = cluster;
  const nodes = cluster.serving;
  const [kept, laggard, lost] = shuffled(random, nodes);
  const well = [kept!, lost!];
  const cut = sim.network.faults.partition(
    [laggard!.name],
    well.map(({ name }) => name),
  );
  const hasNow = checks.order.position;
  let isBehind = false;
  sim.on(EtcdEvent.SnapshotSaved, ({ source, fields }) => {
    isBehind ||= source.startsWith(`${kept!.name}/`) && (fields as { index: number }).index > hasNow;
  });
  const client = new RecordedClient(checks, ops, well.map(clientUrl));
  cluster.run(function* (): Task<void> {
    for (let i = 0; i < MOST_WRITES && !isBehind; i++) yield* client.put({ key: utf8Encode(`far-${i % 10}`) });
  }, 1000 * SECOND);
  // Long enough for the database to be committed with all of them.
  sim.runFor(SECOND);
  if (!isBehind) return;
  for (const { station } of nodes) {
    station.disk.faults.crashMode = 'drop';
    station.powerOff();
  }
  cut.heal();
  for (const node of [kept!, laggard!]) {
    node.station.powerOn();
    cluster.start(node);
  }
  ending.writesAgain();
  lost!.station.powerOn();
  cluster.start(lost!);
  ending.membersAgree();
}
