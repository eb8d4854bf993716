import { formatDurationUs } from '../../platform/text/duration.ts';
import { EtcdLineage } from '../view/etcd-lineage.ts';
import type { Checker } from './checker.ts';

/**
 * All etcd members of one Talos cluster descend from one founding. A restore is a new birth too, but a legitimate one when
 * no member of an earlier birth has data any more.
 */
export function oneEtcdBirth(): Checker {
  const lineage = new EtcdLineage();
  let first = '';
  return {
    guarantee: 'one-etcd-birth',
    about: 'all etcd members of the cluster descend from one bootstrap',
    take(event, report) {
      const birth = lineage.take(event);
      if (birth === undefined) return;
      const others = lineage.machines().filter((machine) => machine !== birth.machine);
      const when = `${birth.machine} at ${formatDurationUs(birth.atUs)}`;
      if (others.length > 0)
        report(
          `${when} founded a second etcd cluster while ${others.join(', ')} ${others.length === 1 ? 'belongs' : 'belong'} to the one born on ${first}`,
        );
      else first = when;
    },
  };
}
