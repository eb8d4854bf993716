import type { EtcdModel } from '../../../src/lab/checkers/etcd/model/model.ts';
import { writeDurably } from '../../../src/platform/disk.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Task } from '../../../src/platform/task.ts';
import { members } from '../helpers.ts';
import { onDisk, runOn, wipe } from '../on-node.ts';
import { clientUrl, initialCluster, type Node, peerUrl, type SimCluster } from '../sim-cluster.ts';
import type { Checks } from './checks.ts';
import type { Ending } from './ending.ts';
import { RecordedClient } from './recorded-client.ts';
import { KeyTraffic } from './traffic/keys.ts';
import { LeaseTraffic } from './traffic/leases.ts';

const SECOND = 1_000_000;
const EVERYTHING = Object.freeze({ from: '', end: undefined, single: false });
const NEW_WORK = 40;

/** What a birth needs of the run. */
export interface RebirthParts {
  readonly cluster: SimCluster;
  readonly checks: Checks;
  readonly ending: Ending;
  readonly random: Random;
}

/** Everybody's data is lost, and a backup is all there is: the cluster goes on from it, under another identity. */
export function restoredFrom(backup: Uint8Array, parts: RebirthParts): void {
  const { cluster, checks } = parts;
  const before = checks.order.model;
  const nodes = cluster.serving;
  for (const node of nodes) node.station.powerOff();
  for (const node of nodes) {
    node.station.powerOn();
    wipe(cluster, node);
    onDisk(cluster, node, ({ platform }) => writeDurably(platform.disk, '/backup.db', backup));
    const { code, text } = runOn(cluster, node, [
      'etcdutl',
      'snapshot',
      'restore',
      '/backup.db',
      `--name=${node.name}`,
      '--data-dir=/etcd',
      `--initial-cluster=${initialCluster(nodes)}`,
      '--initial-cluster-token=again',
      `--initial-advertise-peer-urls=${peerUrl(node)}`,
    ]);
    if (code !== 0) checks.blame('a backup can be restored', text);
  }
  for (const node of nodes) cluster.start(node);
  cluster.sim.runFor(SECOND);
  compare(checks, before);
  goOn(parts, nodes);
}

/** All but one member are lost, and it goes on alone. */
export function aloneAfterAll(parts: RebirthParts): void {
  const { cluster, checks, ending, random } = parts;
  const before = checks.order.model;
  const nodes = cluster.serving;
  const survivor = nodes[random.int(0, nodes.length - 1)]!;
  for (const node of nodes) {
    node.station.powerOff();
    if (node !== survivor) node.args = [];
  }
  const { args } = survivor;
  survivor.args = [...args, '--force-new-cluster'];
  survivor.station.powerOn();
  cluster.start(survivor);
  ending.writesAgain();
  survivor.args = args;
  if (checks.problems.length > 0) return;
  const channel = cluster.channel(survivor);
  const known = cluster.run(() => members(channel)).map(({ name }) => name);
  if (known.join() !== survivor.name) checks.blame('alone after --force-new-cluster', `members are ${known.join()}`);
  compare(checks, before);
  goOn(parts, [survivor]);
}

/** What it begins with was there before, at the revision that it has. */
function compare(checks: Checks, before: EtcdModel): void {
  const after = checks.order.model;
  if (after === before) {
    checks.blame('a new birth is followed', 'nobody told what the cluster begins with');
    return;
  }
  const revision = Math.min(after.revision, before.revision);
  if (revision < Math.max(before.keys.oldest, after.keys.oldest)) return;
  const [was, is] = [contentAt(before, revision), contentAt(after, revision)];
  if (was !== is) checks.blame('a birth keeps the data', `at revision ${revision} there is ${is}, and was ${was}`);
}

function contentAt(model: EtcdModel, revision: number): string {
  const lines: string[] = [];
  model.keys.each(EVERYTHING, revision, ({ text, createRevision, modRevision, version, value, lease }) => {
    lines.push(`${text}=${value.length}@${createRevision}/${modRevision}/${version}/${lease}`);
  });
  return lines.join(' ');
}

/** Clients work on it as on any other, and all that is promised holds. */
function goOn({ cluster, checks, ending, random }: RebirthParts, nodes: readonly Node[]): void {
  const endpoints = nodes.map(clientUrl);
  ending.writesAgain();
  const client = new RecordedClient(checks, cluster.ops, endpoints);
  const keys = new KeyTraffic(client, random.stream('again/keys'), 'w9');
  const leases = new LeaseTraffic(client, cluster.ops.clock, random.stream('again/leases'), 'e9');
  cluster.run(function* (): Task<void> {
    for (let i = 0; i < NEW_WORK; i++) yield* keys.step();
    yield* leases.step();
  });
  cluster.sim.runFor(4 * SECOND);
  ending.membersAgree();
}
