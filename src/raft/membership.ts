import { type Base, enterJoint, leaveJoint, simpleChange } from './confchange/changer.ts';
import { asV2, changeKind, confChangeEntry, decodeConfChange, isConfChangeEntry } from './confchange/codec.ts';
import { describeConfChange } from './confchange/text.ts';
import type { Core } from './core.ts';
import { RaftFatal } from './fatal.ts';
import { draft, unstamped } from './message.ts';
import { broadcastAppend, maybeCommit, maybeSendAppend } from './replication.ts';
import { confStateOf, describeMembers, isJoint, type Members, type ProgressMap } from './tracker.ts';
import {
  type AnyConfChange,
  type ConfState,
  type Entry,
  EntryType,
  type Message,
  MessageType,
  NONE,
  type RaftError,
  Role,
  type Snapshot,
} from './types.ts';

/** The step function, passed in where applying entries makes the node step a message of its own. */
export type StepSelf = (core: Core, message: Message) => RaftError | null;

/** Puts a committed change in force (reference/raft.md A15.3). */
export function applyConfChange(core: Core, given: AnyConfChange): ConfState {
  const { tracker, log } = core;
  const change = asV2(given);
  const base: Base = {
    members: tracker.members,
    progress: tracker.progress,
    lastIndex: log.lastIndex(),
    newInflights: () => tracker.newInflights(),
  };
  const kind = changeKind(change);
  const changed =
    kind === 'leave-joint'
      ? leaveJoint(base)
      : kind === 'enter-joint'
        ? enterJoint(base, autoLeaves(change.transition), change.changes)
        : simpleChange(base, change.changes);
  if (typeof changed === 'string') throw new RaftFatal(changed);
  return switchToConfig(core, changed);
}

function autoLeaves(transition: number): boolean {
  // Only the explicit form (2) leaves it to the operator.
  return transition !== 2;
}

/** Installs a configuration and draws the consequences (A15.6). */
export function switchToConfig(
  core: Core,
  next: { readonly members: Members; readonly progress: ProgressMap },
): ConfState {
  const { tracker } = core;
  tracker.install(next.members, next.progress);
  if (core.logging) core.say('INFO', `switched to configuration ${describeMembers(next.members)}`);
  const confState = confStateOf(next.members);
  const own = next.progress.get(core.id);
  core.isLearner = own?.isLearner ?? false;
  if (core.role !== Role.Leader) return confState;
  if (own === undefined || own.isLearner) {
    // Without this option it goes on leading: it replicates, but does not count itself.
    if (core.config.stepDownOnRemoval) core.becomeFollower(core.term, NONE);
    return confState;
  }
  if (next.members.incoming.length === 0) return confState;
  if (maybeCommit(core)) {
    broadcastAppend(core);
  } else {
    for (const one of tracker.all) {
      if (one.id !== core.id) maybeSendAppend(core, one, false);
    }
  }
  if (core.leadTransferee !== NONE && !tracker.isVoter(core.leadTransferee)) core.abortTransfer();
  return confState;
}

/** The application has applied up to `index`; may propose to leave a joint configuration (A15.6). */
export function appliedTo(core: Core, index: number, sizeBytes: number, stepSelf: StepSelf): void {
  const { log, tracker } = core;
  const applied = Math.max(index, log.applied);
  log.appliedTo(applied, sizeBytes);
  if (!tracker.members.autoLeave || applied < core.pendingConfIndex || core.role !== Role.Leader) return;
  const proposal = draft(MessageType.Prop, NONE);
  proposal.entries = [confChangeEntry(null, core.config.behaviour)];
  const text = `initiating automatic transition out of joint configuration ${describeMembers(tracker.members)}`;
  const refused = stepSelf(core, proposal);
  const { logger } = core.config;
  if (refused !== null) logger?.log('DEBUG', `not ${text}: ${refused}`);
  else logger?.log('INFO', text);
}

/** A received snapshot is durable and applied. */
export function appliedSnapshot(core: Core, snapshot: Snapshot, stepSelf: StepSelf): void {
  core.log.unstable.stableSnapshotTo(snapshot.index);
  appliedTo(core, snapshot.index, 0, stepSelf);
}

/**
 * Checks the changes among proposed entries: one that may not be made now becomes an empty entry, which is
 * appended all the same (A15.4). The list itself comes back when nothing had to be replaced.
 */
export function admitConfChanges(core: Core, entries: readonly Entry[]): readonly Entry[] {
  if (!entries.some(isConfChangeEntry)) return entries;
  const last = core.log.lastIndex();
  return entries.map((entry, i) => {
    if (!isConfChangeEntry(entry)) return entry;
    const change = decodeConfChange(entry);
    if (typeof change === 'string') throw new RaftFatal(change);
    const refused = refusal(core, change);
    if (refused !== null && !core.config.disableConfChangeValidation) {
      core.say(
        'INFO',
        `ignoring conf change ${describeConfChange(change)} at config ${describeMembers(core.tracker.members)}: ${refused}`,
      );
      return unstamped(null, EntryType.Normal, true);
    }
    core.pendingConfIndex = last + i + 1;
    return entry;
  });
}

function refusal(core: Core, change: AnyConfChange): string | null {
  const joint = isJoint(core.tracker.members);
  const wantsLeave = asV2(change).changes.length === 0;
  if (core.pendingConfIndex > core.log.applied) {
    return `possible unapplied conf change at index ${core.pendingConfIndex} (applied to ${core.log.applied})`;
  }
  if (joint && !wantsLeave) return 'must transition out of joint config first';
  if (!joint && wantsLeave) return 'not in joint state; refusing empty conf change';
  return null;
}
