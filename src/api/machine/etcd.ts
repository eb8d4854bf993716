import { repeated } from '../../rpc/composite-fields.ts';
import { bool, id64, int32, int64, nested, string, uint64 } from '../../rpc/fields.ts';
import { type MessageOf, message } from '../../rpc/message.ts';
import { envelope, Metadata } from './common.ts';

/** etcd through the machine API (reference/lifecycle-api-cli.md E.3). Member ids are sixteen hexadecimal digits. */

export const EtcdMemberListRequest = message('machine.EtcdMemberListRequest', { queryLocal: bool(1) });
export const EtcdMember = message('machine.EtcdMember', {
  id: id64(2, 'uint64'),
  hostname: string(3),
  peerUrls: repeated(string(4)),
  clientUrls: repeated(string(5)),
  isLearner: bool(6),
});
export type EtcdMember = MessageOf<typeof EtcdMember>;
export const EtcdMembers = message('machine.EtcdMembers', {
  metadata: nested(1, Metadata),
  legacyMembers: repeated(string(2)),
  members: repeated(nested(3, EtcdMember)),
});
export const EtcdMemberListResponse = envelope('machine.EtcdMemberListResponse', EtcdMembers);

export const EtcdRemoveMemberByIdRequest = message('machine.EtcdRemoveMemberByIDRequest', {
  memberId: id64(1, 'uint64'),
});
export const EtcdRemoveMemberById = message('machine.EtcdRemoveMemberByID', { metadata: nested(1, Metadata) });
export const EtcdRemoveMemberByIdResponse = envelope('machine.EtcdRemoveMemberByIDResponse', EtcdRemoveMemberById);

export const EtcdLeaveClusterRequest = message('machine.EtcdLeaveClusterRequest', {});
export const EtcdLeaveCluster = message('machine.EtcdLeaveCluster', { metadata: nested(1, Metadata) });
export const EtcdLeaveClusterResponse = envelope('machine.EtcdLeaveClusterResponse', EtcdLeaveCluster);

export const EtcdForfeitLeadershipRequest = message('machine.EtcdForfeitLeadershipRequest', {});
export const EtcdForfeitLeadership = message('machine.EtcdForfeitLeadership', {
  metadata: nested(1, Metadata),
  member: string(2),
});
export const EtcdForfeitLeadershipResponse = envelope('machine.EtcdForfeitLeadershipResponse', EtcdForfeitLeadership);

export const EtcdSnapshotRequest = message('machine.EtcdSnapshotRequest', {});
export const EtcdRecover = message('machine.EtcdRecover', { metadata: nested(1, Metadata) });
export const EtcdRecoverResponse = envelope('machine.EtcdRecoverResponse', EtcdRecover);

export const EtcdMemberAlarm = message('machine.EtcdMemberAlarm', { memberId: id64(1, 'uint64'), alarm: int32(2) });
export const EtcdAlarm = message('machine.EtcdAlarm', {
  metadata: nested(1, Metadata),
  memberAlarms: repeated(nested(2, EtcdMemberAlarm)),
});
export const EtcdAlarmListResponse = envelope('machine.EtcdAlarmListResponse', EtcdAlarm);
export const EtcdAlarmDisarm = message('machine.EtcdAlarmDisarm', {
  metadata: nested(1, Metadata),
  memberAlarms: repeated(nested(2, EtcdMemberAlarm)),
});
export const EtcdAlarmDisarmResponse = envelope('machine.EtcdAlarmDisarmResponse', EtcdAlarmDisarm);

export const EtcdDefragment = message('machine.EtcdDefragment', { metadata: nested(1, Metadata) });
export const EtcdDefragmentResponse = envelope('machine.EtcdDefragmentResponse', EtcdDefragment);

export const EtcdMemberStatus = message('machine.EtcdMemberStatus', {
  protocolVersion: string(1),
  dbSize: int64(2),
  dbSizeInUse: int64(3),
  leader: id64(4, 'uint64'),
  raftIndex: uint64(5),
  raftTerm: uint64(6),
  raftAppliedIndex: uint64(7),
  errors: repeated(string(8)),
  isLearner: bool(9),
  memberId: id64(10, 'uint64'),
  storageVersion: string(11),
});
export type EtcdMemberStatus = MessageOf<typeof EtcdMemberStatus>;
export const EtcdStatus = message('machine.EtcdStatus', {
  metadata: nested(1, Metadata),
  memberStatus: nested(2, EtcdMemberStatus),
});
export const EtcdStatusResponse = envelope('machine.EtcdStatusResponse', EtcdStatus);
