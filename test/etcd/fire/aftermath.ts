import type { EtcdClient } from '../../../src/etcd/client/client.ts';
import type { Random } from '../../../src/platform/random.ts';
import { RpcError } from '../../../src/platform/rpc.ts';
import type { Task } from '../../../src/platform/task.ts';
import { initialCluster, type Node, peerUrl, type SimCluster } from '../sim-cluster.ts';
import type { Checks } from './checks.ts';

const SECOND = 1_000_000;
const LIMIT = Object.freeze({ timeoutUs: 2_000_000 });
const WAL = '/etcd/member/wal';
/** What the values of the traffic look like; in the log they stand in the middle of an entry. */
const IN_A_VALUE = /[wre]\d[-.+]\d/g;

/** Every member loses its power at once and comes back. */
export function restartAll(cluster: SimCluster): void {
  const { serving } = cluster;
  for (const node of serving) node.station.powerOff();
  cluster.sim.runFor(100_000);
  for (const node of serving) {
    node.station.powerOn();
    cluster.start(node);
  }
}

/** A bit flips in the middle of a member's log: it must not start as if nothing were missing. */
export function refusesDamage(cluster: SimCluster, checks: Checks, random: Random): void {
  const { serving } = cluster;
  const node = serving[random.int(0, serving.length - 1)]!;
  node.station.powerOff();
  if (!damage(node, random)) return;
  node.station.powerOn();
  cluster.start(node);
  cluster.sim.runFor(SECOND);
  const exit = node.process?.exit.peek();
  if (exit === undefined || exit.code === 0)
    checks.blame('damage is refused', `${node.name} starts with a damaged log`);
}

/** Flips a bit of an entry that is not the last; false when the log is too short for that. */
function damage({ station }: Node, random: Random): boolean {
  const { fileSystem } = station.disk.volume('root');
  for (const { name } of fileSystem.list(WAL).reverse()) {
    // What a repair put aside is no part of the log.
    if (!name.endsWith('.wal')) continue;
    const path = `${WAL}/${name}`;
    const node = fileSystem.lookup(path);
    if (node?.kind !== 'file') continue;
    const text = String.fromCharCode(...node.content.read(0, Math.min(60_000, node.content.size)));
    const places = [...text.matchAll(IN_A_VALUE)].map((match) => match.index).filter((at) => at < text.length * 0.6);
    if (places.length === 0) continue;
    return station.disk.flipBit('root', path, places[random.int(0, places.length - 1)]! * 8);
  }
  return false;
}

/**
 * With a learner and two of three voters alive no voter may be removed: only one would be left of two (reference/etcd.md
 * B3). Takes a machine that has not been used.
 */
export function learnerIsNoVoter(cluster: SimCluster, checks: Checks, client: EtcdClient): void {
  const { nodes, sim } = cluster;
  const spare = nodes[nodes.length - 1]!;
  const [first, second] = nodes;
  const attempt = <T>(body: () => Task<T>): T | string => {
    try {
      return cluster.run(body);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return error.message;
    }
  };
  sim.runFor(6 * SECOND);
  const added = attempt(() => client.memberAdd([peerUrl(spare)], true, LIMIT));
  if (typeof added === 'string') return;
  spare.args = cluster.arguments(spare, initialCluster(nodes), 'existing');
  spare.station.powerOn();
  cluster.start(spare);
  sim.runFor(2 * SECOND);
  first!.station.powerOff();
  sim.runFor(7 * SECOND);
  const id = added.members.find((member) => member.peerUrls.includes(peerUrl(second!)))!.id;
  const removed = attempt(() => client.memberRemove(id, LIMIT));
  if (typeof removed !== 'string') {
    checks.blame('a reconfiguration leaves a quorum', 'a voter was removed although only one other voter is alive');
  }
}
