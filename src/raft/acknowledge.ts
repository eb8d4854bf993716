import type { Core } from './core.ts';
import { appliedSnapshot, appliedTo, type StepSelf } from './membership.ts';
import { messageTypeName } from './message.ts';
import { payloadsSize } from './size.ts';
import { type Entry, MessageType, type Snapshot } from './types.ts';

/** The end of the log at the time a write was asked for, and the snapshot that was part of it. */
export interface AppendAck {
  term: number;
  /** 0 when only a snapshot was written. */
  index: number;
  logTerm: number;
  snapshot: Snapshot | null;
}

/** What was asked to be written is durable (reference/raft.md A9, A20). */
export function acknowledgeAppend(core: Core, ack: AppendAck, stepSelf: StepSelf): void {
  if (ack.index !== 0) {
    if (ack.term >= core.term) {
      core.log.unstable.stableTo(ack.logTerm, ack.index);
    } else {
      // Another leader may have replaced those entries while they were written, and may replace them back:
      // only an acknowledgement of the current term is proof.
      const type = messageTypeName(MessageType.StorageAppendResp);
      core.say(
        'INFO',
        `[term: ${core.term}] ignored entry appends from a ${type} message with lower term [term: ${ack.term}]`,
      );
    }
  }
  if (ack.snapshot !== null) appliedSnapshot(core, ack.snapshot, stepSelf);
}

/** Entries of that encoded size, handed out before, are applied. */
export function acknowledgeApply(core: Core, entries: readonly Entry[], sizeBytes: number, stepSelf: StepSelf): void {
  if (entries.length === 0) return;
  appliedTo(core, entries[entries.length - 1]!.index, sizeBytes, stepSelf);
  if (core.uncommittedSize > 0) {
    core.uncommittedSize = Math.max(core.uncommittedSize - payloadsSize(entries), 0);
  }
}
