import { EtcdEvent } from '../../etcd/events.ts';
import { type Checker, machineOf } from './checker.ts';

interface Progress {
  clusterId: string;
  index: number;
  term: number;
}

/**
 * What a quorum has committed stays: no member that goes on with its data comes back behind what it had applied, and two
 * members that apply the same index apply it in the same term.
 */
export function committedNeverLost(): Checker {
  const members = new Map<string, Progress>();
  const terms = new Map<string, Map<number, number>>();
  return {
    guarantee: 'committed-never-lost',
    about: 'an entry that was applied anywhere is never lost or replaced',
    take(event, report) {
      if (event.kind === EtcdEvent.MemberStarted.name) {
        const { birth, clusterId } = event.fields as { birth: string; clusterId: string };
        if (birth === 'restart') return;
        members.delete(machineOf(event.source));
        if (birth !== 'join') terms.delete(clusterId);
        return;
      }
      if (event.kind !== EtcdEvent.Applied.name) return;
      const { clusterId, index, term } = event.fields as { clusterId: string; index: number; term: number };
      const machine = machineOf(event.source);
      const seen = terms.get(clusterId) ?? new Map<number, number>();
      terms.set(clusterId, seen);
      const known = seen.get(index);
      if (known !== undefined && known !== term)
        report(
          `entry ${index} of cluster ${clusterId} was applied with term ${known} and, on ${machine}, with term ${term}`,
        );
      seen.set(index, term);
      if (seen.size > 4096) forget(seen, index);
      const before = members.get(machine);
      if (before !== undefined && before.clusterId === clusterId && term < before.term && index > before.index) {
        report(`${machine} applied entry ${index} of term ${term} after entry ${before.index} of term ${before.term}`);
      }
      members.set(machine, { clusterId, index, term });
    },
  };
}

/** Keeps the last few thousand entries: members never lag further without a snapshot. */
function forget(seen: Map<number, number>, newest: number): void {
  for (const index of seen.keys()) if (index < newest - 2048) seen.delete(index);
}
