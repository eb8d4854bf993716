import type { Core } from './core.ts';
import { draft } from './message.ts';
import { step } from './step.ts';
import { MessageType, NONE, Role } from './types.ts';

/** One unit of time (reference/raft.md A7). */
export function tick(core: Core): void {
  core.electionElapsed++;
  if (core.role === Role.Leader) {
    core.heartbeatElapsed++;
    tickLeader(core);
  } else if (core.promotable() && core.pastElectionTimeout()) {
    core.electionElapsed = 0;
    stepOwn(core, MessageType.Hup);
  }
}

function tickLeader(core: Core): void {
  const { electionTick, heartbeatTick, checkQuorum } = core.config;
  // Its own timeout is never randomised.
  if (core.electionElapsed >= electionTick) {
    core.electionElapsed = 0;
    if (checkQuorum) stepOwn(core, MessageType.CheckQuorum);
    if (core.role === Role.Leader && core.leadTransferee !== NONE) core.abortTransfer();
  }
  if (core.role !== Role.Leader) return;
  if (core.heartbeatElapsed >= heartbeatTick) {
    core.heartbeatElapsed = 0;
    stepOwn(core, MessageType.Beat);
  }
}

function stepOwn(core: Core, type: MessageType): void {
  const message = draft(type, NONE);
  message.from = core.id;
  step(core, message);
}

/** The number of the coming tick that may do more than count; `Infinity` when only a message can change that. */
export function ticksUntilAction(core: Core): number {
  const { electionTick, heartbeatTick } = core.config;
  if (core.role === Role.Leader) {
    return Math.max(Math.min(electionTick - core.electionElapsed, heartbeatTick - core.heartbeatElapsed), 1);
  }
  if (!core.promotable()) return Infinity;
  return Math.max(core.randomizedElectionTimeout - core.electionElapsed, 1);
}

/** As that many ticks, without going through those that only count. */
export function tickMany(core: Core, count: number): void {
  for (let left = count; left > 0; ) {
    const idle = Math.min(ticksUntilAction(core) - 1, left);
    core.electionElapsed += idle;
    if (core.role === Role.Leader) core.heartbeatElapsed += idle;
    left -= idle;
    if (left > 0) {
      tick(core);
      left--;
    }
  }
}
