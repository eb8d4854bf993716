import { EtcdEvent } from '../../etcd/events.ts';
import { formatDurationUs } from '../../platform/text/duration.ts';
import { etcdDataGone } from '../view/etcd-data-gone.ts';
import { type Checker, machineOf } from './checker.ts';

/**
 * All etcd members of one Talos cluster descend from one founding. A restore is a new birth too, but a legitimate one when
 * no member of an earlier birth lives any more.
 */
export function oneEtcdBirth(): Checker {
  const living = new Map<string, { birth: number; clusterId: string }>();
  let births = 0;
  let first = '';
  return {
    guarantee: 'one-etcd-birth',
    about: 'all etcd members of the cluster descend from one bootstrap',
    take(event, report) {
      const machine = machineOf(event.source);
      if (etcdDataGone(event)) living.delete(machine);
      if (event.kind !== EtcdEvent.MemberStarted.name) return;
      const { birth, clusterId } = event.fields as { birth: string; clusterId: string };
      const before = living.get(machine);
      if (birth === 'join' || birth === 'restart') {
        const joined = [...living.values()].filter((member) => member.clusterId === clusterId).at(-1)?.birth ?? births;
        living.set(machine, { birth: birth === 'restart' ? (before?.birth ?? joined) : joined, clusterId });
        return;
      }
      births++;
      living.delete(machine);
      const others = [...living.keys()];
      living.set(machine, { birth: births, clusterId });
      const when = `${machine} at ${formatDurationUs(event.timeUs)}`;
      if (others.length > 0)
        report(
          `${when} founded a second etcd cluster while ${others.join(', ')} ${others.length === 1 ? 'belongs' : 'belong'} to the one born on ${first}`,
        );
      else first = when;
    },
  };
}
