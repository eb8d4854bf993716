import type { BasicStatus, Inspection, Status } from './api.ts';
import type { Core } from './core.ts';
import { confStateOf } from './tracker.ts';
import { type Entry, NO_LIMIT, Role } from './types.ts';

export function basicStatus(core: Core): BasicStatus {
  return {
    id: core.id,
    term: core.term,
    vote: core.vote,
    commit: core.log.committed,
    lead: core.lead,
    role: core.role,
    applied: core.log.applied,
    leadTransferee: core.leadTransferee,
  };
}

export function status(core: Core): Status {
  return {
    ...basicStatus(core),
    config: { ...confStateOf(core.tracker.members), autoLeave: false },
    progress: core.role === Role.Leader ? core.tracker.all.map((one) => one.view()) : [],
  };
}

export function inspect(core: Core): Inspection {
  const { log, tracker } = core;
  const { unstable } = log;
  // Field by field: spreading the basic status makes an object of this many fields twenty times dearer.
  return {
    id: core.id,
    term: core.term,
    vote: core.vote,
    commit: log.committed,
    lead: core.lead,
    role: core.role,
    applied: log.applied,
    leadTransferee: core.leadTransferee,
    config: confStateOf(tracker.members),
    progress: tracker.all.map((one) => one.view()),
    applying: log.applying,
    firstIndex: log.firstIndex(),
    lastIndex: log.lastIndex(),
    unstableOffset: unstable.offset,
    unstableOffsetInProgress: unstable.offsetInProgress,
    unstableSnapshot: unstable.snapshot,
    entries: wholeLog(core),
    votes: [...tracker.votes].map(([id, granted]) => ({ id, granted })).sort((a, b) => (a.id < b.id ? -1 : 1)),
    electionElapsed: core.electionElapsed,
    heartbeatElapsed: core.heartbeatElapsed,
    randomizedElectionTimeout: core.randomizedElectionTimeout,
    pendingConfIndex: core.pendingConfIndex,
    uncommittedSizeBytes: core.uncommittedSize,
    isLearner: core.isLearner,
    postponedReads: core.postponedReads.length,
    unconfirmedReads: core.reads.waiting(),
  };
}

function wholeLog({ log }: Core): readonly Entry[] {
  const entries = log.entries(log.firstIndex(), NO_LIMIT);
  return typeof entries === 'string' ? [] : entries;
}
