import { tabulate } from '../cobra/tabwriter.ts';
import type { EtcdClusterView } from './types.ts';

/** What the number of members of an etcd cluster, and of those that are well, means. */
export interface QuorumReadout {
  readonly members: number;
  /** Members that must agree: more than half. */
  readonly needed: number;
  /** Members that may fail with writes going on. */
  readonly tolerated: number;
  readonly healthy: number;
  readonly available: boolean;
  readonly sentence: string;
}

const KEEPS_WORKING = 'A majority can elect a leader and commit writes. The Kubernetes API keeps working.';
const STOPS =
  'No majority is left: nobody can be elected and no write is committed. The Kubernetes API stops; pods that run go on.';

/** `members` are voters; learners do not count. */
export function quorumOf(members: number, healthy: number): QuorumReadout {
  const needed = Math.floor(members / 2) + 1;
  const available = healthy >= needed;
  return {
    members,
    needed,
    tolerated: members - needed,
    healthy,
    available,
    sentence: available ? KEEPS_WORKING : STOPS,
  };
}

export function quorumOfCluster(cluster: EtcdClusterView): QuorumReadout {
  const voters = cluster.members.filter((member) => !member.learner);
  return quorumOf(voters.length, voters.filter((member) => member.healthy).length);
}

/** The read-outs of every etcd cluster that lives, and the table of sizes. */
export function quorumText(clusters: readonly EtcdClusterView[]): string {
  const parts = clusters.map((cluster) => {
    const { members, needed, tolerated, healthy, available, sentence } = quorumOfCluster(cluster);
    const rows = [
      ['born on', cluster.birth.machine],
      ['quorum needed', `${needed} of ${members}`],
      ['failures tolerated', String(tolerated)],
      ['healthy', `${healthy}/${members}`],
      ['writes and Kubernetes API', available ? 'available' : 'unavailable'],
    ];
    return `${tabulate(rows)}${sentence}\n`;
  });
  if (parts.length === 0) parts.push('etcd was never born\n');
  return [...parts, sizeTable()].join('\n');
}

const SIZES: readonly number[] = Object.freeze([1, 2, 3, 4, 5]);
const NOTES: Readonly<Record<number, string>> = Object.freeze({
  2: 'worse than one: either failure stops it',
  4: 'tolerates no more than three, with one more to break',
});

function sizeTable(): string {
  const rows = SIZES.map((members) => {
    const { needed, tolerated } = quorumOf(members, members);
    return [String(members), String(needed), String(tolerated), NOTES[members] ?? ''];
  });
  return tabulate([['MEMBERS', 'QUORUM', 'FAILURES TOLERATED', 'NOTE'], ...rows]);
}
