import { EtcdEvent } from '../../../src/etcd/events.ts';
import type { Checker } from '../../../src/lab/checkers/checker.ts';

/**
 * A learner becomes a voter when it has nine tenths of the leader's log (reference/etcd.md B3). What events tell is how far
 * it has applied; entries under way at the leader count in the index, so that only one that is far behind is blamed.
 */
const BLAMED_BELOW = 1 / 4;

export function promotionsReady(): Checker {
  const applied = new Map<string, number>();
  const promoted = new Set<string>();
  const note = (memberId: string, index: number): void => {
    applied.set(memberId, Math.max(index, applied.get(memberId) ?? 0));
  };
  return {
    guarantee: 'learners are promoted when ready',
    about: 'a learner becomes a voter when it has most of the log',
    take(event, report) {
      const { memberId, index } = event.fields as { memberId: string; index: number };
      if (event.kind === EtcdEvent.Applied.name || event.kind === EtcdEvent.SnapshotApplied.name) note(memberId, index);
      if (event.kind !== EtcdEvent.MemberPromoted.name || promoted.has(memberId)) return;
      promoted.add(memberId);
      const has = applied.get(memberId) ?? 0;
      if (has < index * BLAMED_BELOW) report(`${memberId} is promoted at entry ${index}, but has applied ${has} only`);
    },
  };
}
