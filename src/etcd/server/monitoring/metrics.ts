import { shortId } from '../../../api/etcd/ids.ts';
import { NONE } from '../../../raft/index.ts';
import type { Member } from '../member/member.ts';

/** What each metric says of itself, as the real server prints it. */
const HELP = Object.freeze({
  etcd_server_has_leader: 'Whether or not a leader exists. 1 is existence, 0 is not.',
  etcd_server_is_leader: 'Whether or not this member is a leader. 1 if is, 0 otherwise.',
  etcd_server_is_learner: 'Whether or not this member is a learner. 1 if is, 0 otherwise.',
  etcd_server_leader_changes_seen_total: 'The number of leader changes seen.',
  etcd_server_proposals_committed_total: 'The total number of consensus proposals committed.',
  etcd_server_proposals_applied_total: 'The total number of consensus proposals applied.',
  etcd_server_proposals_pending: 'The current number of pending proposals to commit.',
  etcd_server_proposals_failed_total: 'The total number of failed proposals seen.',
  etcd_server_health_success: 'The total number of successful health checks',
  etcd_server_health_failures: 'The total number of failed health checks',
  etcd_server_version: "Which version is running. 1 for 'server_version' label with current version.",
  etcd_cluster_version: "Which version is running. 1 for 'cluster_version' label with current cluster version",
  etcd_server_id: "Server or member ID in hexadecimal format. 1 for 'server_id' label with current ID.",
  etcd_server_quota_backend_bytes: 'Current backend storage quota size in bytes.',
  etcd_mvcc_db_total_size_in_bytes: 'Total size of the underlying database physically allocated in bytes.',
  etcd_mvcc_db_total_size_in_use_in_bytes: 'Total size of the underlying database logically in use in bytes.',
  etcd_debugging_mvcc_current_revision: 'The current revision of store.',
  etcd_debugging_mvcc_compact_revision: 'The revision of the last compaction in store.',
  etcd_debugging_mvcc_keys_total: 'Total number of keys.',
  etcd_debugging_mvcc_watcher_total: 'Total number of watchers.',
  etcd_mvcc_put_total: 'Total number of puts seen by this member.',
  etcd_mvcc_delete_total: 'Total number of deletes seen by this member.',
  etcd_mvcc_range_total: 'Total number of ranges seen by this member.',
  etcd_mvcc_txn_total: 'Total number of txns seen by this member.',
  etcd_debugging_lease_granted_total: 'The total number of granted leases.',
  etcd_debugging_lease_renewed_total: 'The number of renewed leases seen by the leader.',
  etcd_debugging_lease_revoked_total: 'The total number of revoked leases.',
  etcd_disk_defrag_inflight: 'Whether or not defrag is active on the member. 1 means active, 0 means not.',
  etcd_network_known_peers: 'The current number of known peers.',
});

/** What a member measures of itself, as Prometheus text (reference/etcd.md D5; the subset is listed in docs/etcd.md). */
export function metricsText(member: Member, health: { readonly success: number; readonly failures: number }): string {
  const { state, identity, hub, proposals, leadership, persistence } = member;
  const { store, cluster, lessor, size } = state;
  const lines: string[] = [];
  const metric = (type: 'gauge' | 'counter', name: keyof typeof HELP, value: number, labels = ''): void => {
    lines.push(`# HELP ${name} ${HELP[name]}`, `# TYPE ${name} ${type}`, `${name}${labels} ${value}`);
  };
  metric('gauge', 'etcd_server_has_leader', member.lead === NONE ? 0 : 1);
  metric('gauge', 'etcd_server_is_leader', member.isLeader ? 1 : 0);
  metric('gauge', 'etcd_server_is_learner', cluster.isLocalLearner ? 1 : 0);
  metric('counter', 'etcd_server_leader_changes_seen_total', leadership.changesSeen);
  metric('gauge', 'etcd_server_proposals_committed_total', member.committedIndex);
  metric('gauge', 'etcd_server_proposals_applied_total', member.appliedIndex);
  metric('gauge', 'etcd_server_proposals_pending', proposals.pending);
  metric('counter', 'etcd_server_proposals_failed_total', proposals.failed);
  metric('counter', 'etcd_server_health_success', health.success);
  metric('counter', 'etcd_server_health_failures', health.failures);
  metric('gauge', 'etcd_server_version', 1, `{server_version="${member.serverVersion}"}`);
  metric('gauge', 'etcd_cluster_version', 1, `{cluster_version="${majorMinor(cluster.version)}"}`);
  metric('gauge', 'etcd_server_id', 1, `{server_id="${shortId(member.memberId)}"}`);
  metric('gauge', 'etcd_server_quota_backend_bytes', identity.config.quotaBackendBytes);
  metric('gauge', 'etcd_mvcc_db_total_size_in_bytes', size.allocatedBytes);
  metric('gauge', 'etcd_mvcc_db_total_size_in_use_in_bytes', size.usedBytes);
  metric('gauge', 'etcd_debugging_mvcc_current_revision', store.currentRevision);
  metric('gauge', 'etcd_debugging_mvcc_compact_revision', store.compactRevision);
  metric('gauge', 'etcd_debugging_mvcc_keys_total', store.keyCount);
  metric('gauge', 'etcd_debugging_mvcc_watcher_total', hub.watcherCount);
  metric('counter', 'etcd_mvcc_put_total', store.counts.puts);
  metric('counter', 'etcd_mvcc_delete_total', store.counts.deletes);
  metric('counter', 'etcd_mvcc_range_total', store.counts.ranges);
  metric('counter', 'etcd_mvcc_txn_total', store.counts.txns);
  metric('counter', 'etcd_debugging_lease_granted_total', lessor.counts.granted);
  metric('counter', 'etcd_debugging_lease_renewed_total', lessor.counts.renewed);
  metric('counter', 'etcd_debugging_lease_revoked_total', lessor.counts.revoked);
  metric('gauge', 'etcd_disk_defrag_inflight', persistence.isDefragmenting ? 1 : 0);
  const peers = cluster.members().filter(({ id }) => id !== member.memberId);
  const known = 'etcd_network_known_peers';
  if (peers.length > 0) lines.push(`# HELP ${known} ${HELP[known]}`, `# TYPE ${known} gauge`);
  for (const { id } of peers) {
    lines.push(`${known}{Local="${shortId(member.memberId)}",Remote="${shortId(id)}"} 1`);
  }
  return `${lines.join('\n')}\n`;
}

function majorMinor(version: string): string {
  return version === '' ? 'not_decided' : version.split('.').slice(0, 2).join('.');
}
