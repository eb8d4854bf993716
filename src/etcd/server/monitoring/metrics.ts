import { shortId } from '../../../api/etcd/ids.ts';
import { NONE } from '../../../raft/index.ts';
import type { Member } from '../member/member.ts';

/** What a member measures of itself, as Prometheus text (reference/etcd.md D5; the subset is listed in docs/etcd.md). */
export function metricsText(member: Member): string {
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
  metric('gauge', 'etcd_debugging_lease_total', lessor.size);
  metric('gauge', 'etcd_disk_defrag_inflight', persistence.isDefragmenting ? 1 : 0);
  metric('gauge', 'etcd_network_known_peers', cluster.members().length - 1);
  return `${lines.join('\n')}\n`;
}

function majorMinor(version: string): string {
  return version === '' ? 'not_decided' : version.split('.').slice(0, 2).join('.');
}
