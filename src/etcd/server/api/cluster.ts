import type { ResponseHeader } from '../../../api/etcd/kv.ts';
import { ClusterService } from '../../../api/etcd/services.ts';
import type { HandlerEntry } from '../../../platform/rpc.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import type { Member } from '../member/member.ts';
import type { Guard } from './guard.ts';

/** The Cluster service (reference/etcd.md B3). Its headers carry no revision. */
export function clusterHandlers(member: Member, guard: Guard): HandlerEntry[] {
  const { reconfigurer } = member;
  const header = (): ResponseHeader => ({ ...member.header(), revision: 0 });
  const members = () => member.state.cluster.members();
  return serviceHandlers(ClusterService, {
    MemberAdd: guard.unary(function* (request) {
      const added = yield* reconfigurer.add(request.peerUrls, request.isLearner);
      return { header: header(), member: added, members: members() };
    }),
    MemberRemove: guard.unary(function* (request) {
      yield* reconfigurer.remove(request.id);
      return { header: header(), members: members() };
    }),
    MemberUpdate: guard.unary(function* (request) {
      yield* reconfigurer.update(request.id, request.peerUrls);
      return { header: header(), members: members() };
    }),
    MemberPromote: guard.unary(function* (request) {
      yield* reconfigurer.promote(request.id);
      return { header: header(), members: members() };
    }),
    MemberList: guard.unary(function* (request) {
      if (request.linearizable && member.identity.behaviour.linearizableMemberList) yield* member.barrier.wait();
      return { header: header(), members: members() };
    }),
  });
}
