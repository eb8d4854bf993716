import type { Core } from './core.ts';
import { draft } from './message.ts';
import { contextOf } from './read-queue.ts';
import { broadcastHeartbeat } from './replication.ts';
import { type Message, MessageType, NONE } from './types.ts';

/** A leader is asked at which commit index a read may be served (reference/raft.md A16). */
export function readIndex(core: Core, request: Message): void {
  if (core.tracker.isSingleton()) {
    answer(core, request, core.log.committed);
  } else if (!committedInCurrentTerm(core)) {
    // Until then the commit index may lag behind what earlier leaders committed.
    core.postponedReads.push(request);
  } else {
    confirm(core, request);
  }
}

function committedInCurrentTerm({ log, term }: Core): boolean {
  return log.termOrZero(log.committed) === term;
}

/** Proves leadership to the reader: by a round of heartbeats, or by the lease. */
function confirm(core: Core, request: Message): void {
  const index = core.log.committed;
  if (core.config.readOnly === 'lease-based') {
    answer(core, request, index);
    return;
  }
  const { reads } = core;
  reads.add({ index, request });
  const mark = reads.markOf(request);
  // The leader needs no message to agree with itself.
  if (mark !== null) reads.acknowledge(core.id, mark);
  broadcastHeartbeat(core, mark);
}

function answer(core: Core, request: Message, index: number): void {
  if (request.from === NONE || request.from === core.id) {
    core.readStates.push({ index, requestContext: contextOf(request) });
    return;
  }
  const response = draft(MessageType.ReadIndexResp, request.from);
  response.index = index;
  response.entries = request.entries;
  core.send(response);
}

/** A heartbeat came back with the mark of waiting reads. */
export function acknowledgeReads(core: Core, message: Message): void {
  const mark = message.context;
  if (core.config.readOnly !== 'safe' || mark === null || mark.length === 0) return;
  core.reads.acknowledge(message.from, mark);
  for (const { request, index } of core.reads.takeConfirmed(mark, core.tracker.members)) {
    answer(core, request, index);
  }
}

/** The first entry of this leader's term is committed: postponed reads may go ahead. */
export function releasePostponedReads(core: Core): void {
  if (core.postponedReads.length === 0 || !committedInCurrentTerm(core)) return;
  const requests = core.postponedReads;
  core.postponedReads = [];
  for (const request of requests) confirm(core, request);
}
