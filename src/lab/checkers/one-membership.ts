import { EtcdEvent } from '../../etcd/events.ts';
import { type EtcdBirth, EtcdLineage } from '../view/etcd-lineage.ts';
import { type Checker, machineOf } from './checker.ts';

/** Changes of one cluster that are remembered; members do not lag further without a snapshot. */
const REMEMBERED = 1000;

/** Every membership change has the same effect on every member that applies it (reference/etcd.md B4, F8). */
export function oneMembership(): Checker {
  const lineage = new EtcdLineage();
  /** By birth of the cluster and log index, what the change did. */
  const changes = new Map<EtcdBirth | undefined, Map<number, string>>();
  const verbs = new Map([
    [EtcdEvent.MemberAdded.name, 'adds'],
    [EtcdEvent.MemberPromoted.name, 'promotes'],
    [EtcdEvent.MemberUpdated.name, 'updates'],
    [EtcdEvent.MemberRemoved.name, 'removes'],
  ]);
  return {
    guarantee: 'one-membership',
    about: 'all members of an etcd cluster agree on who belongs to it',
    take(event, report) {
      lineage.take(event);
      const verb = verbs.get(event.kind);
      if (verb === undefined) return;
      const fields = event.fields as { by: string; memberId: string; index: number; learner?: boolean };
      const text = `${verb} ${fields.memberId}${fields.learner === true ? ' as a learner' : ''}`;
      const birth = lineage.birthOn(machineOf(event.source));
      const seen = changes.get(birth) ?? new Map<number, string>();
      changes.set(birth, seen);
      const known = seen.get(fields.index);
      if (known !== undefined && known !== text) {
        report(`entry ${fields.index} ${known} on one member and ${text} on ${fields.by}`);
      }
      seen.set(fields.index, text);
      if (seen.size > REMEMBERED) seen.delete(seen.keys().next().value!);
    },
  };
}
