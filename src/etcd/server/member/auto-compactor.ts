import type { Timer } from '../../../platform/clock.ts';
import { HOUR_US } from '../../../platform/clock.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { Member } from './member.ts';

/** A period longer than this is compacted every hour, by what it was one period ago. */
/** Revisions are looked at ten times an interval. */
const LOOKS = 10;
const REVISION_MODE_US = 300_000_000;

/**
 * `--auto-compaction-mode` and `-retention`: compacts on the leader what is older than a time, or more than a number of
 * revisions behind (reference/etcd.md D1).
 */
export class AutoCompactor {
  readonly #member: Member;
  #timer: Timer | null = null;

  constructor(member: Member) {
    this.#member = member;
  }

  start(): void {
    const { autoCompactionMode, autoCompactionRetention } = this.#member.identity.config;
    if (autoCompactionRetention <= 0) return;
    if (autoCompactionMode === 'revision') this.#byRevision(autoCompactionRetention);
    else this.#byPeriod(autoCompactionRetention);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #byRevision(retention: number): void {
    let last = 0;
    this.#every(REVISION_MODE_US, () => {
      const revision = this.#member.state.store.currentRevision - retention;
      if (!this.#member.isLeader || revision <= 0 || revision === last) return;
      this.#compact(revision, () => {
        last = revision;
      });
    });
  }

  #byPeriod(periodUs: number): void {
    const intervalUs = Math.min(periodUs, HOUR_US);
    const lookUs = Math.floor(intervalUs / LOOKS);
    const kept = Math.floor(periodUs / lookUs) + 1;
    const revisions: number[] = [this.#member.state.store.currentRevision];
    let last = 0;
    let waitUs = periodUs;
    let doneUs = this.#member.platform.clock.monotonicUs();
    this.#every(lookUs, () => {
      const now = this.#member.platform.clock.monotonicUs();
      const revision = revisions[0]!;
      revisions.push(this.#member.state.store.currentRevision);
      if (revisions.length > kept) revisions.shift();
      if (!this.#member.isLeader || now - doneUs < waitUs) return;
      waitUs = intervalUs;
      if (revision === last) return;
      this.#compact(revision, () => {
        last = revision;
        doneUs = now;
      });
    });
  }

  #every(periodUs: number, action: () => void): void {
    this.#timer = this.#member.platform.clock.after(periodUs, () => {
      this.#every(periodUs, action);
      action();
    });
  }

  #compact(revision: number, done: () => void): void {
    const { proposals, scope } = this.#member;
    scope.spawn('auto-compaction', function* (): Task<void> {
      try {
        yield* proposals.request('compaction', { revision, physical: false });
        done();
      } catch (error) {
        // It is tried again at the next look, unless somebody has compacted it already.
        if (!(error instanceof RpcError)) throw error;
        if (error.status === 'OutOfRange') done();
      }
    });
  }
}
