import { ProgressState, type ProgressView } from './api.ts';
import { RaftFatal } from './fatal.ts';
import { interned } from './ids.ts';
import { Inflights } from './inflights.ts';
import type { NodeId } from './types.ts';

const STATE_NAMES = Object.freeze(['StateProbe', 'StateReplicate', 'StateSnapshot']);

export function progressStateName(state: ProgressState): string {
  return STATE_NAMES[state]!;
}

/**
 * What a leader knows about one node, itself and learners included (reference/raft.md A12).
 * `match` is the last index known to be durable there, `next` the one to send next; 0 <= match < next.
 */
export class Progress {
  readonly id: NodeId;
  match: number;
  next: number;
  /** Highest commit index that some message under way tells the peer. */
  sentCommit = 0;
  state: ProgressState = ProgressState.Probe;
  /** Index of the snapshot the peer is being sent, in state Snapshot. */
  pendingSnapshot = 0;
  recentActive = false;
  /** Appends wait for an answer. */
  flowPaused = false;
  inflights: Inflights;
  isLearner: boolean;

  constructor(id: NodeId, match: number, next: number, inflights: Inflights, isLearner: boolean) {
    this.id = interned(id);
    this.match = match;
    this.next = next;
    this.inflights = inflights;
    this.isLearner = isLearner;
  }

  /** A copy that shares the window of messages in flight. */
  clone(): Progress {
    return Object.assign(new Progress(this.id, this.match, this.next, this.inflights, this.isLearner), this);
  }

  /** Back to what a new leader assumes. */
  restart(match: number, next: number): void {
    this.match = match;
    this.next = next;
    this.sentCommit = 0;
    this.state = ProgressState.Probe;
    this.pendingSnapshot = 0;
    this.recentActive = false;
    this.flowPaused = false;
    this.inflights = new Inflights(this.inflights.capacity, this.inflights.maxBytes);
  }

  private become(state: ProgressState): void {
    this.flowPaused = false;
    this.pendingSnapshot = 0;
    this.state = state;
    this.inflights.reset();
  }

  becomeProbe(): void {
    const { state, pendingSnapshot } = this;
    this.become(ProgressState.Probe);
    this.next = Math.max(this.match, state === ProgressState.Snapshot ? pendingSnapshot : 0) + 1;
    this.lowerSentCommit();
  }

  becomeReplicate(): void {
    this.become(ProgressState.Replicate);
    this.next = this.match + 1;
  }

  becomeSnapshot(index: number): void {
    this.become(ProgressState.Snapshot);
    this.pendingSnapshot = index;
    this.next = index + 1;
    this.sentCommit = index;
  }

  private lowerSentCommit(): void {
    this.sentCommit = Math.min(this.sentCommit, this.next - 1);
  }

  /** An append message with that many entries and payload bytes was sent. */
  sentEntries(count: number, bytes: number): void {
    if (this.state === ProgressState.Replicate) {
      if (count > 0) {
        this.next += count;
        this.inflights.add(this.next - 1, bytes);
      }
      this.flowPaused = this.inflights.full();
    } else if (this.state === ProgressState.Probe) {
      if (count > 0) this.flowPaused = true;
    } else {
      throw new RaftFatal('sending append in unhandled state StateSnapshot');
    }
  }

  /** Whether a message may still tell the peer something new by that commit index. */
  canBumpCommit(index: number): boolean {
    return index > this.sentCommit && this.sentCommit < this.next - 1;
  }

  /** The peer acknowledged `index`; false if that is no news. */
  maybeUpdate(index: number): boolean {
    if (index <= this.match) return false;
    this.match = index;
    this.next = Math.max(this.next, index + 1);
    this.flowPaused = false;
    return true;
  }

  /** The peer refused to append after `rejected`, and hints at where to try; false if that is stale. */
  maybeDecrTo(rejected: number, hint: number): boolean {
    if (this.state === ProgressState.Replicate) {
      if (rejected <= this.match) return false;
      this.next = this.match + 1;
    } else {
      if (this.next - 1 !== rejected) return false;
      this.next = Math.max(Math.min(rejected, hint + 1), this.match + 1);
      this.flowPaused = false;
    }
    this.lowerSentCommit();
    return true;
  }

  isPaused(): boolean {
    return this.flowPaused || this.state === ProgressState.Snapshot;
  }

  view(): ProgressView {
    return {
      id: this.id,
      match: this.match,
      next: this.next,
      state: this.state,
      sentCommit: this.sentCommit,
      pendingSnapshot: this.pendingSnapshot,
      recentActive: this.recentActive,
      paused: this.isPaused(),
      isLearner: this.isLearner,
      inflightMsgs: this.inflights.count,
      inflightBytes: this.inflights.bytes,
      inflightFull: this.inflights.full(),
    };
  }
}

/** One line about a peer, as in log lines and `status` output (A12). */
export function describeProgress(view: ProgressView): string {
  let text = `${progressStateName(view.state)} match=${view.match} next=${view.next}`;
  if (view.isLearner) text += ' learner';
  if (view.paused) text += ' paused';
  if (view.pendingSnapshot > 0) text += ` pendingSnap=${view.pendingSnapshot}`;
  if (!view.recentActive) text += ' inactive';
  if (view.inflightMsgs > 0) text += ` inflight=${view.inflightMsgs}${view.inflightFull ? '[full]' : ''}`;
  return text;
}
