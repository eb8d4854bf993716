import type { Peer } from './api.ts';
import { confChangeEntry } from './confchange/codec.ts';
import type { Core } from './core.ts';
import { applyConfChange } from './membership.ts';
import { type ConfChange, ConfChangeType, type Entry, NONE } from './types.ts';

/**
 * Starts a cluster: the first entries of the log add its members, and count as committed (reference/raft.md A4).
 * Returns an error text, or `null`.
 */
export function bootstrap(core: Core, peers: readonly Peer[]): string | null {
  if (peers.length === 0) return 'must provide at least one peer to Bootstrap';
  if (core.config.storage.lastIndex() !== 0) return "can't bootstrap a nonempty Storage";
  core.becomeFollower(1, NONE);
  const changes = peers.map(
    ({ id, context }): ConfChange => ({ version: 1, id: NONE, type: ConfChangeType.AddNode, nodeId: id, context }),
  );
  const entries = changes.map(
    (change, i): Entry => ({ ...confChangeEntry(change, core.config.behaviour), term: 1, index: i + 1 }),
  );
  core.log.append(entries);
  core.log.commitTo(entries.length);
  // Now, so that the node may campaign before it has applied them; applying them again changes nothing.
  for (const change of changes) applyConfChange(core, change);
  return null;
}
