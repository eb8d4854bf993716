import { AuthService } from '../../../api/etcd/auth.ts';
import { EtcdError, rpcError } from '../../../api/etcd/errors.ts';
import { HealthService, ServingStatus } from '../../../api/etcd/health.ts';
import type { HandlerEntry } from '../../../platform/rpc.ts';
import { immediate, serviceHandlers } from '../../../rpc/service.ts';
import type { Member } from '../member/member.ts';

/**
 * Services that have one answer here: health, which says nothing of the quorum, and authentication, which is never on.
 * Users and roles cannot be made: those methods do not exist (docs/etcd.md).
 */
export function restHandlers(member: Member): HandlerEntry[] {
  const { stopGrpcServiceOnDefrag } = member.identity.config;
  return [
    ...serviceHandlers(HealthService, {
      Check: immediate(() => {
        const away = stopGrpcServiceOnDefrag && member.persistence.isDefragmenting;
        return { status: away ? ServingStatus.NotServing : ServingStatus.Serving };
      }),
    }),
    ...serviceHandlers(AuthService, {
      AuthStatus: immediate(() => ({ header: member.header(), enabled: false, authRevision: 1 })),
      Authenticate: immediate(() => {
        throw rpcError(EtcdError.AuthNotEnabled);
      }),
    }),
  ];
}
