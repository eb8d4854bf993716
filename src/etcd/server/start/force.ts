import type { Task } from '../../../platform/task.ts';
import {
  type ConfChange,
  ConfChangeType,
  decodeConfChange,
  type Entry,
  EntryType,
  encodeConfChange,
  type MemoryStorage,
  NO_LIMIT,
  NONE,
  type NodeId,
} from '../../../raft/index.ts';
import type { ServerConfig } from '../config/config.ts';
import { urlTexts } from '../config/urls.ts';
import { encodeContext } from '../membership/context.ts';
import type { RecoveredWal } from '../wal/recover.ts';
import type { Wal } from '../wal/wal.ts';

/**
 * `--force-new-cluster`: what was not committed is given up, and made-up entries remove every other member, so that this
 * one goes on alone with its ids and its data (reference/etcd.md B6.2).
 */
export function* forceNewCluster(
  storage: MemoryStorage,
  wal: Wal,
  recovered: RecoveredWal,
  appliedIndex: number,
  self: NodeId,
  config: ServerConfig,
): Task<void> {
  // What the database holds was committed, even if the log's own note of it did not survive.
  const commit = Math.min(Math.max(recovered.hardState.commit, appliedIndex), storage.lastIndex());
  const hardState = { ...recovered.hardState, commit };
  const first = storage.firstIndex();
  const committed = storage.entries(first, hardState.commit + 1, NO_LIMIT);
  const kept: readonly Entry[] = typeof committed === 'string' ? [] : committed;
  const { confState } = storage.initialState();
  const ids = new Set([...confState.voters, ...confState.learners]);
  for (const entry of kept) {
    if (entry.type === EntryType.Normal) continue;
    const change = decodeConfChange(entry);
    if (typeof change === 'string' || change.version !== 1) continue;
    if (change.type === ConfChangeType.RemoveNode) ids.delete(change.nodeId);
    else ids.add(change.nodeId);
  }
  const changes: ConfChange[] = [];
  if (!ids.has(self)) {
    const member = {
      id: self,
      name: config.name,
      peerUrls: urlTexts(config.advertisePeerUrls),
      clientUrls: [],
      isLearner: false,
    };
    changes.push(changeOf(ConfChangeType.AddNode, self, encodeContext({ member, isPromote: false })));
  }
  for (const id of [...ids].sort()) if (id !== self) changes.push(changeOf(ConfChangeType.RemoveNode, id, null));
  const entries = changes.map(
    (change, i): Entry => ({
      type: EntryType.ConfChange,
      typePresent: true,
      term: hardState.term,
      index: hardState.commit + 1 + i,
      data: encodeConfChange(change, '3.6'),
    }),
  );
  const forced = { ...hardState, commit: hardState.commit + entries.length };
  // The log in memory is cut to what was committed, then the made-up entries follow, also on disk.
  storage.append(entries.length > 0 ? entries : kept.slice(-1));
  storage.setHardState(forced);
  yield* wal.save(forced, entries, true);
}

function changeOf(type: ConfChangeType, nodeId: NodeId, context: Uint8Array | null): ConfChange {
  return { version: 1, id: NONE, type, nodeId, context };
}
