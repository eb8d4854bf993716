import { EtcdError, rpcError } from '../../../api/etcd/errors.ts';
import { type AlarmResponse, DowngradeAction } from '../../../api/etcd/maintenance.ts';
import { MaintenanceService } from '../../../api/etcd/services.ts';
import type { HandlerEntry } from '../../../platform/rpc.ts';
import { RpcError } from '../../../platform/rpc.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import { revisionError } from '../apply/range.ts';
import type { Member } from '../member/member.ts';
import { hashAt, hashDatabase } from '../mvcc/hash.ts';
import type { Guard } from './guard.ts';
import { moveLeader } from './move-leader.ts';
import { sendSnapshot } from './snapshot.ts';
import { statusOf } from './status.ts';

/** The Maintenance service (reference/etcd.md C). */
export function maintenanceHandlers(member: Member, guard: Guard): HandlerEntry[] {
  return serviceHandlers(MaintenanceService, {
    Alarm: guard.unary(function* (request) {
      const answer = (yield* member.proposals.request('alarm', request)) as AlarmResponse;
      const header = member.identity.behaviour.alarmHeader ? member.header(answer.header!.revision) : null;
      return { header, alarms: answer.alarms };
    }),
    Status: guard.unary(
      function* () {
        return statusOf(member);
      },
      () => true,
    ),
    Defragment: guard.unary(function* () {
      yield* member.persistence.defragment();
      return { header: null };
    }),
    Hash: guard.unary(function* () {
      return { header: member.header(), hash: hashDatabase(member.state) };
    }),
    HashKV: guard.unary(function* (request) {
      const { store } = member.state;
      const revision = request.revision === 0 ? store.currentRevision : request.revision;
      const { refusesHashAtCompaction } = member.identity.behaviour;
      const tooOld = refusesHashAtCompaction && request.revision > 0 && revision <= store.compactRevision;
      const answer = tooOld ? 'compacted' : hashAt(store, revision);
      if (typeof answer === 'string') throw rpcError(revisionError(answer));
      const { hash, compactRevision } = answer;
      const hashRevision = member.identity.behaviour.hashRevision ? revision : 0;
      return { header: member.header(), hash, compactRevision, hashRevision };
    }),
    Snapshot: guard.stream((stream) => sendSnapshot(member, stream), member.identity.behaviour.learnerServesSnapshot),
    MoveLeader: guard.unary(function* (request) {
      yield* moveLeader(member, request.targetId);
      return { header: null };
    }),
    Downgrade: guard.unary(function* (request) {
      if (!member.identity.behaviour.downgradeApi) {
        throw new RpcError('Unimplemented', 'unknown method Downgrade for service etcdserverpb.Maintenance');
      }
      if (request.action === DowngradeAction.Cancel) {
        return { header: member.header(), version: majorMinor(member.state.cluster.version) };
      }
      if (!/^\d+\.\d+(\.\d+)?$/.test(request.version)) throw rpcError(EtcdError.WrongDowngradeVersionFormat);
      if (member.state.cluster.version === '') throw rpcError(EtcdError.ClusterVersionUnavailable);
      yield* member.barrier.wait();
      if (majorMinor(request.version) !== oneMinorBelow(member.state.cluster.version)) {
        throw rpcError(EtcdError.InvalidDowngradeTargetVersion);
      }
      if (request.action === DowngradeAction.Enable) {
        throw new RpcError(
          'Unimplemented',
          'etcd downgrade is not simulated: run the older image on a restored snapshot',
        );
      }
      return { header: member.header(), version: majorMinor(member.state.cluster.version) };
    }),
  });
}

function majorMinor(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

function oneMinorBelow(version: string): string {
  const [major, minor] = version.split('.').map(Number);
  return `${major}.${minor! - 1}`;
}
