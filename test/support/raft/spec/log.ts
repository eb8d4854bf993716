import { EntryType, type Inspection, type NodeId, Role } from '../../../../src/raft/index.ts';
import { holds } from '../disk.ts';
import { type Facts, must, type NodeFacts, sameEntry, shortId } from './facts.ts';
import { isQuorum } from './members.ts';

/** Term of an index in a view of a log; -1 outside. `below` is the term just below the first index. */
export function termIn(view: Inspection, index: number): number {
  return view.entries[index - view.firstIndex]?.term ?? -1;
}

/** A leader only appends, and nobody drops what is committed. */
export function checkLog(facts: Facts, node: NodeFacts, before: Inspection, after: Inspection): void {
  checkMatching(facts, node, before, after);
  checkKept(node, before, after);
}

/** Log matching, kept by induction: an index and a term name one entry, with one predecessor (Raft, section 5.3). */
export function checkMatching(facts: Facts, node: NodeFacts, before: Inspection, after: Inspection): void {
  const { entries, firstIndex } = after;
  const shift = firstIndex - before.firstIndex;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i]!;
    // Entries are shared, never copied: what is the same object here is the same below.
    if (before.entries[i + shift] === entry) break;
    must(entry.index === firstIndex + i, 'log matching', () => `${shortId(node.id)} has a gap at ${firstIndex + i}`);
    const known = facts.registry.get(`${entry.index}:${entry.term}`);
    // 0: compacted, so unknown.
    const prevTerm = i > 0 ? entries[i - 1]!.term : (known?.prevTerm ?? 0);
    must(i === 0 || entry.term >= prevTerm, 'terms in a log never fall', () => shortId(node.id));
    if (known === undefined || (known.prevTerm === 0 && sameEntry(known.entry, entry))) {
      facts.registry.set(`${entry.index}:${entry.term}`, { entry, prevTerm });
      continue;
    }
    must(
      sameEntry(known.entry, entry) && known.prevTerm === prevTerm,
      'log matching',
      () => `${shortId(node.id)} has another entry ${entry.index} of term ${entry.term}`,
    );
  }
}

function checkKept(node: NodeFacts, before: Inspection, after: Inspection): void {
  const leads = before.role === Role.Leader && after.role === Role.Leader && before.term === after.term;
  const keepTo = leads ? before.lastIndex : before.commit;
  const rule = leads ? 'a leader only appends' : 'committed entries stay';
  must(after.lastIndex >= keepTo, rule, () => `${shortId(node.id)} lost ${after.lastIndex + 1} to ${keepTo}`);
  for (let i = keepTo; i >= Math.max(before.firstIndex, after.firstIndex); i--) {
    if (before.entries[i - before.firstIndex] === after.entries[i - after.firstIndex]) break;
    must(termIn(before, i) === termIn(after, i), rule, () => `${shortId(node.id)} replaced ${i}`);
  }
}

/** A member that was never started holds nothing. */
function holdsAt({ nodes }: Facts, id: NodeId, index: number, term: number): boolean {
  const durable = nodes.get(id)?.durable;
  return durable !== undefined && holds(durable, index, term);
}

/** Whatever a node takes for committed: counted by a leader, or learnt from one (Raft, section 5.4). */
export function checkCommit(facts: Facts, node: NodeFacts, before: Inspection, after: Inspection): void {
  if (after.commit === before.commit) return;
  const { commit } = after;
  const name = shortId(node.id);
  must(commit <= after.lastIndex, 'commit within the log', () => `${name} commits ${commit} of ${after.lastIndex}`);
  if (after.role === Role.Leader) {
    const term = termIn(after, commit);
    must(term === after.term, 'only own entries are committed by counting', () => `${name} counts ${commit}:${term}`);
    must(
      isQuorum(node.members, (id) => holdsAt(facts, id, commit, term)),
      'no commit without a quorum of voters',
      () => `${name} commits ${commit}:${term} in ${JSON.stringify(node.members)}`,
    );
    extendCommitted(facts, node, before, after);
    return;
  }
  must(commit <= facts.commitIndex, 'followers commit what a leader did', () => `${name} commits ${commit}`);
  for (let i = Math.max(before.commit + 1, after.firstIndex); i <= commit; i++) {
    const known = facts.committed.get(i);
    const own = after.entries[i - after.firstIndex]!;
    must(
      known === undefined || sameEntry(known.entry, own),
      'state machine safety',
      () => `${name} commits another ${i}`,
    );
  }
}

function extendCommitted(facts: Facts, node: NodeFacts, before: Inspection, after: Inspection): void {
  for (let i = Math.max(before.commit + 1, after.firstIndex); i <= after.commit; i++) {
    const entry = after.entries[i - after.firstIndex]!;
    const known = facts.committed.get(i);
    if (known === undefined) facts.committed.set(i, { entry, byTerm: after.term });
    else must(sameEntry(known.entry, entry), 'state machine safety', () => `${shortId(node.id)} commits another ${i}`);
  }
  facts.commitIndex = Math.max(facts.commitIndex, after.commit);
}

/** A new leader's log holds all that leaders of earlier terms committed. */
export function checkCompleteness(facts: Facts, node: NodeFacts, after: Inspection): void {
  for (let i = facts.commitIndex; i >= after.firstIndex; i--) {
    const known = facts.committed.get(i);
    if (known === undefined || known.byTerm >= after.term) continue;
    must(
      termIn(after, i) === known.entry.term,
      'leader completeness',
      () => `${shortId(node.id)} leads term ${after.term} without ${i}:${known.entry.term}`,
    );
  }
}

/** A leader has at most one change of members that it has not applied. */
export function checkPendingChanges(node: NodeFacts, after: Inspection): void {
  let pending = 0;
  for (let i = after.entries.length - 1; i >= 0; i--) {
    const entry = after.entries[i]!;
    if (entry.index <= after.applied) break;
    if (entry.type === EntryType.Normal) continue;
    pending++;
    must(
      entry.index <= after.pendingConfIndex,
      'changes of members wait for the last one',
      () => `${shortId(node.id)} forgets ${entry.index}, remembers ${after.pendingConfIndex}`,
    );
  }
  must(pending <= 1, 'one pending change of members', () => `${shortId(node.id)} has ${pending}`);
}
