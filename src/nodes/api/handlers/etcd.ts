import type { Member } from '../../../api/etcd/cluster.ts';
import { decimalId } from '../../../api/etcd/ids.ts';
import type { AlarmMember, StatusResponse } from '../../../api/etcd/maintenance.ts';
import { MaintenanceService } from '../../../api/etcd/services.ts';
import type { MachineService } from '../../../api/machine/services.ts';
import type { EtcdClient } from '../../../etcd/client/client.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { Implementation } from '../../../rpc/service.ts';
import { controlPlaneSettings } from '../../config/active.ts';
import { errorText, NodeError } from '../../errors.ts';
import { LOCALHOST, openControlPlaneEtcd, openLocalEtcd, withEtcd } from '../../etcd/client.ts';
import { forfeitLeadership } from '../../etcd/forfeit.ts';
import { leaveCluster } from '../../etcd/leave.ts';
import { SNAPSHOT_FILE } from '../../etcd/recover.ts';
import type { Machine } from '../../machine.ts';
import { MountStatuses } from '../../resources/runtime.ts';
import { failedPrecondition, unimplemented } from '../errors.ts';

type Methods = Pick<
  Implementation<typeof MachineService>,
  | 'EtcdMemberList'
  | 'EtcdRemoveMemberByID'
  | 'EtcdLeaveCluster'
  | 'EtcdForfeitLeadership'
  | 'EtcdSnapshot'
  | 'EtcdRecover'
  | 'EtcdAlarmList'
  | 'EtcdAlarmDisarm'
  | 'EtcdDefragment'
  | 'EtcdStatus'
>;

/** etcd through the machine API (reference/controllers.md D.3). */
export function etcdHandlers(machine: Machine): Methods {
  return {
    *EtcdMemberList(request) {
      requireControlPlane(machine, 'member list');
      const open = request.queryLocal ? openLocalEtcd : openControlPlaneEtcd;
      const { members } = yield* withEtcd(open(machine, { requireLeader: true }), (client) => client.memberList());
      const list = members.map(memberMessage);
      return { messages: [{ metadata: null, legacyMembers: list.map((member) => member.hostname), members: list }] };
    },
    *EtcdRemoveMemberByID(request) {
      requireControlPlane(machine, 'etcd remove member');
      yield* withEtcd(openControlPlaneEtcd(machine, { requireLeader: true }), (client) =>
        remove(client, request.memberId),
      );
      return { messages: [{ metadata: null }] };
    },
    *EtcdLeaveCluster() {
      requireControlPlane(machine, 'etcd leave');
      yield* prefixed('failed to leave cluster', leaveCluster(machine));
      return { messages: [{ metadata: null }] };
    },
    *EtcdForfeitLeadership() {
      requireControlPlane(machine, 'etcd forfeit leadership');
      const member = yield* prefixed('failed to forfeit leadership', forfeitLeadership(machine));
      return { messages: [{ metadata: null, member }] };
    },
    *EtcdAlarmList() {
      requireControlPlane(machine, 'etcd alarm list');
      const { alarms } = yield* prefixed(
        'failed to list etcd alarms',
        withEtcd(openLocalEtcd(machine), (c) => c.maintenance.alarmList()),
      );
      return { messages: [{ metadata: null, memberAlarms: alarms }] };
    },
    *EtcdAlarmDisarm() {
      requireControlPlane(machine, 'etcd alarm list');
      const disarmed = yield* prefixed('failed to disarm etcd alarm', withEtcd(openLocalEtcd(machine), disarmAll));
      return { messages: [{ metadata: null, memberAlarms: disarmed }] };
    },
    *EtcdDefragment() {
      requireControlPlane(machine, 'etcd defragment');
      yield* prefixed(
        'failed to defragment etcd',
        withEtcd(openLocalEtcd(machine), (client) => client.maintenance.defragment(LOCALHOST)),
      );
      return { messages: [{ metadata: null }] };
    },
    *EtcdStatus() {
      requireControlPlane(machine, 'etcd status');
      const status = yield* prefixed(
        'failed to query etcd status',
        withEtcd(openLocalEtcd(machine), (c) => c.maintenance.status(LOCALHOST)),
      );
      return { messages: [{ metadata: null, memberStatus: statusMessage(status) }] };
    },
    *EtcdSnapshot(stream) {
      requireControlPlane(machine, 'etcd snapshot');
      const client = yield* openLocalEtcd(machine);
      const snapshot = client.channel.stream(MaintenanceService.Snapshot, { waitForReady: true });
      try {
        snapshot.send({});
        snapshot.closeSend();
        for (let part = yield* snapshot.receive(); part !== undefined; part = yield* snapshot.receive()) {
          stream.send({ metadata: null, bytes: part.blob });
          yield* stream.drained();
        }
      } catch (error) {
        if (error instanceof RpcError) throw new NodeError(`failed reading etcd snapshot: ${error.message}`);
        throw error;
      } finally {
        client.close();
      }
    },
    *EtcdRecover(stream) {
      if (machine.state.get(MountStatuses, 'EPHEMERAL') === undefined) {
        throw failedPrecondition('etcd service is not ready for recovery yet');
      }
      requireControlPlane(machine, 'etcd recover');
      const file = yield* machine.files.disk.open(SNAPSHOT_FILE, { create: true, truncate: true });
      try {
        for (let part = yield* stream.receive(); part !== undefined; part = yield* stream.receive()) {
          yield* file.append(part.bytes);
        }
        yield* file.sync();
      } finally {
        file.close();
      }
      stream.send({ messages: [{ metadata: null }] });
    },
  };
}

/** The guard of every etcd call (reference/v1.11.3.md 4.1). */
export function requireControlPlane(machine: Machine, what: string): void {
  if (controlPlaneSettings(machine.state) === undefined) {
    throw unimplemented(`${what} is only available on control plane nodes`);
  }
}

function* prefixed<T>(prefix: string, body: Task<T>): Task<T> {
  try {
    return yield* body;
  } catch (error) {
    if (error instanceof RpcError || error instanceof NodeError) throw new NodeError(`${prefix}: ${errorText(error)}`);
    throw error;
  }
}

function* remove(client: EtcdClient, id: string): Task<void> {
  try {
    yield* client.memberRemove(id);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const text = `failed to remove member ${decimalId(id)}: ${error.message}`;
    if (error.message === 'etcdserver: member not found') throw new RpcError('NotFound', text);
    throw new NodeError(`failed to remove member: ${text}`);
  }
}

/** Disarms every alarm there is; the answer lists what was disarmed. */
function* disarmAll(client: EtcdClient): Task<AlarmMember[]> {
  const disarmed: AlarmMember[] = [];
  for (const alarm of (yield* client.maintenance.alarmList()).alarms) {
    disarmed.push(...(yield* client.maintenance.alarmDisarm(alarm)).alarms);
  }
  return disarmed;
}

function memberMessage(member: Member) {
  const { id, name, peerUrls, clientUrls, isLearner } = member;
  return { id, hostname: name, peerUrls, clientUrls, isLearner };
}

function statusMessage(status: StatusResponse) {
  const [major = '', minor = ''] = status.version.split('.');
  return {
    protocolVersion: status.version,
    dbSize: status.dbSize,
    dbSizeInUse: status.dbSizeInUse,
    leader: status.leader,
    raftIndex: status.raftIndex,
    raftTerm: status.raftTerm,
    raftAppliedIndex: status.raftAppliedIndex,
    errors: status.errors,
    isLearner: status.isLearner,
    memberId: status.header?.memberId ?? '',
    storageVersion:
      status.storageVersion !== '' ? status.storageVersion : minor === '' ? 'unknown' : `${major}.${minor}.0`,
  };
}
