import { type AppendAck, acknowledgeAppend, acknowledgeApply } from './acknowledge.ts';
import type { Core } from './core.ts';
import { RaftFatal } from './fatal.ts';
import { NO_ENTRIES } from './message.ts';
import { needsAppendResponse } from './ready.ts';
import { step } from './step.ts';
import type { Entry, Message, Ready } from './types.ts';

/**
 * What the host's work on a Ready amounts to once it is done, in synchronous mode (reference/raft.md A19). The
 * same as the responses of the storage threads, without a message for each.
 */
export class OnAdvance {
  /** Votes for itself and acknowledgements of its own log, which count only once they are durable. */
  private messages: Message[] = [];
  private readonly appended: AppendAck = { term: 0, index: 0, logTerm: 0, snapshot: null };
  private applied: readonly Entry[] = NO_ENTRIES;
  private appliedBytes = 0;
  private pending = false;

  /** Takes note of a Ready that is being handed out. */
  expect(core: Core, ready: Ready, committedBytes: number): void {
    if (this.pending) throw new RaftFatal('two accepted Ready structs without call to Advance');
    const { msgsAfterAppend, log } = core;
    for (let i = 0; i < msgsAfterAppend.length; i++) {
      if (msgsAfterAppend[i]!.to === core.id) this.messages.push(msgsAfterAppend[i]!);
    }
    const { appended } = this;
    if (needsAppendResponse(core, ready.snapshot)) {
      const hasEntries = log.unstable.entries.length > 0;
      appended.term = core.term;
      appended.index = hasEntries ? log.lastIndex() : 0;
      appended.logTerm = hasEntries ? log.lastTerm() : 0;
      appended.snapshot = ready.snapshot;
    }
    this.applied = ready.committedEntries;
    this.appliedBytes = committedBytes;
    this.pending =
      this.messages.length > 0 || appended.index !== 0 || appended.snapshot !== null || this.applied.length > 0;
  }

  /** The work is done. */
  run(core: Core): void {
    if (!this.pending) return;
    const { messages, appended, applied, appliedBytes } = this;
    this.pending = false;
    if (messages.length > 0) {
      this.messages = [];
      for (let i = 0; i < messages.length; i++) step(core, messages[i]!);
    }
    if (appended.index !== 0 || appended.snapshot !== null) {
      acknowledgeAppend(core, appended, step);
      appended.index = 0;
      appended.snapshot = null;
    }
    this.applied = NO_ENTRIES;
    acknowledgeApply(core, applied, appliedBytes, step);
  }
}
