import { EtcdEvent } from '../../etcd/events.ts';
import { type EtcdBirth, EtcdLineage } from '../view/etcd-lineage.ts';
import { type Checker, machineOf } from './checker.ts';

/** The lowest and the highest entry of one term that a member is known to have applied. */
interface Stretch {
  first: number;
  last: number;
}

/**
 * What a quorum has committed stays. Terms never fall along a log, and a leader holds every committed entry before it adds
 * its own (leader completeness, Raft paper figure 3): so of all entries that members of one birth apply, those of a later
 * term lie above those of an earlier one. An entry that was lost and written again breaks that order.
 */
export function committedNeverLost(): Checker {
  const lineage = new EtcdLineage();
  /** By birth, or by machine where no birth is known. */
  const stretches = new Map<EtcdBirth | string, Map<number, Stretch>>();
  return {
    guarantee: 'committed-never-lost',
    about: 'an entry that was applied anywhere is never lost or replaced',
    take(event, report) {
      lineage.take(event);
      if (event.kind !== EtcdEvent.Applied.name && event.kind !== EtcdEvent.SnapshotApplied.name) return;
      const { index, term } = event.fields as { index: number; term: number };
      const machine = machineOf(event.source);
      const birth = lineage.birthOn(machine);
      const terms = stretches.get(birth ?? machine) ?? new Map<number, Stretch>();
      stretches.set(birth ?? machine, terms);
      for (const [other, { first, last }] of terms) {
        if (other < term ? last >= index : other > term && first <= index) {
          const cluster = birth === undefined ? machine : `cluster ${birth.clusterId} born on ${birth.machine}`;
          report(
            `${cluster}: ${machine} applied entry ${index} of term ${term}, but entry ${other < term ? last : first} of term ${other} was applied before`,
          );
        }
      }
      widen(terms, term, index);
    },
  };
}

function widen(terms: Map<number, Stretch>, term: number, index: number): void {
  const stretch = terms.get(term);
  if (stretch === undefined) terms.set(term, { first: index, last: index });
  else {
    stretch.first = Math.min(stretch.first, index);
    stretch.last = Math.max(stretch.last, index);
  }
}
