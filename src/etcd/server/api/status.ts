import { alarmText } from '../../../api/etcd/alarms.ts';
import { EtcdError } from '../../../api/etcd/errors.ts';
import { StatusResponse } from '../../../api/etcd/maintenance.ts';
import { NONE } from '../../../raft/index.ts';
import type { Member } from '../member/member.ts';

/** What a member says of itself (reference/etcd.md C1). Local: works on learners and without a quorum. */
export function statusOf(member: Member): StatusResponse {
  const { state, identity, lead } = member;
  const { behaviour, config } = identity;
  const errors = lead === NONE ? [EtcdError.NoLeader.message] : [];
  for (const alarm of state.alarms.all) errors.push(alarmText(alarm));
  const extended = behaviour.extendedStatus
    ? {
        storageVersion: state.storageVersion,
        dbSizeQuota: behaviour.tellsQuotaInForce ? config.quotaBackendBytes : config.givenQuotaBytes,
        downgradeInfo: state.cluster.downgrade,
      }
    : {};
  return StatusResponse.of({
    header: member.header(),
    version: behaviour.serverVersion,
    dbSize: state.size.allocatedBytes,
    dbSizeInUse: state.size.usedBytes,
    leader: lead,
    raftIndex: member.committedIndex,
    raftTerm: member.term,
    raftAppliedIndex: member.appliedIndex,
    errors,
    isLearner: state.cluster.isLocalLearner,
    ...extended,
  });
}
