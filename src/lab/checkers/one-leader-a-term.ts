import { EtcdEvent } from '../../etcd/events.ts';
import { EtcdLineage } from '../view/etcd-lineage.ts';
import { type Checker, machineOf } from './checker.ts';

/** Raft: at most one leader can be elected in a given term (election safety, Raft paper figure 3). */
export function oneLeaderATerm(): Checker {
  const lineage = new EtcdLineage();
  const leaders = new Map<string, string>();
  return {
    guarantee: 'one-leader-a-term',
    about: 'in one etcd cluster no term has two leaders',
    take(event, report) {
      lineage.take(event);
      if (event.kind !== EtcdEvent.BecameLeader.name) return;
      const { clusterId, memberId, term } = event.fields as { clusterId: string; memberId: string; term: number };
      const birth = lineage.birthOn(machineOf(event.source))?.number ?? 0;
      const key = `${birth} ${clusterId} ${term}`;
      const other = leaders.get(key);
      if (other !== undefined && other !== memberId)
        report(`members ${other} and ${memberId} both lead cluster ${clusterId} in term ${term}`);
      leaders.set(key, memberId);
    },
  };
}
