import { restoreMembers, sameConfState } from './confchange/restore.ts';
import type { Core } from './core.ts';
import { describeConfState } from './describe.ts';
import { switchToConfig } from './membership.ts';
import { draft } from './message.ts';
import { EMPTY_SNAPSHOT } from './storage.ts';
import { confStateOf } from './tracker.ts';
import { type Message, MessageType, NONE, RaftError, Role, type Snapshot } from './types.ts';

/** A leader sent a snapshot in place of entries it no longer has (reference/raft.md A13). */
export function handleSnapshot(core: Core, message: Message): RaftError | null {
  const snapshot = message.snapshot ?? EMPTY_SNAPSHOT;
  const outcome = restore(core, snapshot);
  if (outcome === 'malformed') return RaftError.Malformed;
  const answer = draft(MessageType.AppResp, message.from);
  const text = `snapshot [index: ${snapshot.index}, term: ${snapshot.term}]`;
  if (outcome === 'restored') {
    core.say('INFO', `[commit: ${core.log.committed}] restored ${text}`);
    answer.index = core.log.lastIndex();
  } else {
    core.say('INFO', `[commit: ${core.log.committed}] ignored ${text}`);
    answer.index = core.log.committed;
  }
  core.send(answer);
  return null;
}

/**
 * Replaces log and members by a snapshot, unless it brings nothing new. A snapshot whose members cannot be
 * built, which no node of ours makes, is refused without a trace.
 */
function restore(core: Core, snapshot: Snapshot): 'restored' | 'ignored' | 'malformed' {
  const { index, term, confState } = snapshot;
  const { log, tracker } = core;
  if (index <= log.committed) return 'ignored';
  if (core.role !== Role.Follower) {
    core.say('WARN', 'attempted to restore snapshot as leader; should never happen');
    core.becomeFollower(core.term + 1, NONE);
    return 'ignored';
  }
  const known =
    confState.voters.includes(core.id) ||
    confState.learners.includes(core.id) ||
    confState.votersOutgoing.includes(core.id);
  if (!known) {
    core.say(
      'WARN',
      `attempted to restore snapshot but it is not in the ConfState ${describeConfState(confState)}; should never happen`,
    );
    return 'ignored';
  }
  if (log.matchTerm(term, index)) {
    sayRestored(core, 'fast-forwarded commit to', snapshot);
    log.commitTo(index);
    return 'ignored';
  }
  const built = restoreMembers(confState, { lastIndex: index, newInflights: () => tracker.newInflights() });
  if (typeof built === 'string' || !sameConfState(confState, confStateOf(built.members))) return 'malformed';
  tracker.votes.clear();
  log.restore(snapshot);
  switchToConfig(core, built);
  sayRestored(core, 'restored', snapshot);
  return 'restored';
}

function sayRestored(core: Core, verb: string, { index, term }: Snapshot): void {
  if (!core.logging) return;
  const { log } = core;
  core.say(
    'INFO',
    `[commit: ${log.committed}, lastindex: ${log.lastIndex()}, lastterm: ${log.lastTerm()}] ${verb} ` +
      `snapshot [index: ${index}, term: ${term}]`,
  );
}
