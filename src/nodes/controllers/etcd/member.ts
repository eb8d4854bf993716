import type { Controller } from '../../../cosi/index.ts';
import { ControllerError, exclusive, isDefect, passController, strong } from '../../../cosi/index.ts';
import { errorText } from '../../errors.ts';
import { openLocalEtcd, withEtcd } from '../../etcd/client.ts';
import { etcdMember } from '../../events.ts';
import type { Machine } from '../../machine.ts';
import { ETCD, EtcdMembers, LOCAL_MEMBER } from '../../resources/etcd.ts';
import { Services } from '../../resources/runtime.ts';

/** Who the local etcd is; known only while it is healthy (reference/controllers.md B.1.4). */
export function etcdMemberController(machine: Machine): Controller {
  return passController({
    name: 'etcd.MemberController',
    inputs: [strong(Services, ETCD)],
    outputs: [exclusive(EtcdMembers)],
    pass: function* (context) {
      const etcd = context.get(Services, ETCD);
      if (etcd === undefined || etcd.metadata.phase !== 'running' || !etcd.spec.healthy) {
        context.destroy(EtcdMembers, LOCAL_MEMBER);
        return;
      }
      try {
        const { header } = yield* withEtcd(openLocalEtcd(machine), (client) => client.maintenance.alarmList());
        const memberID = header?.memberId ?? '';
        const before = context.get(EtcdMembers, LOCAL_MEMBER)?.spec.memberID;
        context.set(EtcdMembers, LOCAL_MEMBER, { memberID });
        if (before !== memberID) machine.platform.log.event(etcdMember, { memberId: memberID });
      } catch (error) {
        if (isDefect(error)) throw error;
        throw new ControllerError(`error getting etcd local member ID: ${errorText(error)}`);
      }
    },
  });
}
