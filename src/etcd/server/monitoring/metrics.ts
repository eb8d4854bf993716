import { shortId } from '../../../api/etcd/ids.ts';
import { NONE } from '../../../raft/index.ts';
import type { Member } from '../member/member.ts';

/** What a member measures of itself, as Prometheus text (reference/etcd.md D5; the subset is listed in docs/etcd.md). */
export function metricsText(member: Member, health: { readonly success: number; readonly failures: number }): string {
  const { state, identity, hub, proposals, leadership, persistence } = member;
  const { store, cluster, lessor, size } = state;
  const lines: string[] = [];
  const metric = (type: 'gauge' | 'counter', name: string, value: number, labels = ''): void => {
    lines.push(`# TYPE ${name} ${type}`, `${name}${labels} ${value}`);
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
  if (peers.length > 0) lines.push('# TYPE etcd_network_known_peers gauge');
  for (const { id } of peers) {
    lines.push(`etcd_network_known_peers{Local="${shortId(member.memberId)}",Remote="${shortId(id)}"} 1`);
  }
  return `${lines.join('\n')}\n`;
}

function majorMinor(version: string): string {
  return version === '' ? 'not_decided' : version.split('.').slice(0, 2).join('.');
}
