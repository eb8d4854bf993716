import type { LeaseId } from '../../api/etcd/kv.ts';
import type { LeaseKeepAliveRequest, LeaseKeepAliveResponse } from '../../api/etcd/lease.ts';
import { REQUIRE_LEADER } from '../../api/etcd/metadata.ts';
import { LeaseService } from '../../api/etcd/services.ts';
import type { Channel } from '../../platform/channel.ts';
import type { Timer } from '../../platform/clock.ts';
import { type ClientStream, RpcError } from '../../platform/rpc.ts';
import type { Task, TaskHandle } from '../../platform/task.ts';
import type { StreamDeps } from './watch.ts';

/** Grid of the sending loop, of the loop that gives leases up, and the pause before a new stream (reference/etcd.md E6). */
const SEND_US = 500_000;
const DEADLINE_US = 1_000_000;
const RETRY_US = 500_000;

interface Kept {
  readonly id: LeaseId;
  /** Channels of everybody who asked for this lease. */
  readonly answers: Channel<LeaseKeepAliveResponse>[];
  nextUs: number;
  deadlineUs: number;
}

/**
 * Keeps leases alive over one stream: each is renewed when a third of its time has passed, looked at twice a second, and
 * given up when no answer came within its time. Idle looks cost no events: timers are set to the first look that matters.
 */
export class KeepAliveLoop {
  readonly #deps: StreamDeps;
  readonly #firstTimeoutUs: number;
  readonly #startedUs: number;
  readonly #task: TaskHandle<void>;
  readonly #leases = new Map<LeaseId, Kept>();
  #stream: ClientStream<LeaseKeepAliveRequest, LeaseKeepAliveResponse> | null = null;
  #timer: Timer | null = null;
  ended = false;

  constructor(deps: StreamDeps, firstTimeoutUs: number) {
    this.#deps = deps;
    this.#firstTimeoutUs = firstTimeoutUs;
    this.#startedUs = deps.ports.clock.monotonicUs();
    this.#task = deps.ports.scope.spawn('etcd-keep-alive', () => this.#run());
  }

  add(id: LeaseId, answers: Channel<LeaseKeepAliveResponse>): void {
    const now = this.#deps.ports.clock.monotonicUs();
    const known = this.#leases.get(id);
    if (known !== undefined) known.answers.push(answers);
    else this.#leases.set(id, { id, answers: [answers], nextUs: now, deadlineUs: now + this.#firstTimeoutUs });
    this.#arm();
  }

  remove(id: LeaseId): void {
    const kept = this.#leases.get(id);
    if (kept !== undefined) this.#drop(kept);
    this.#arm();
  }

  close(): void {
    this.ended = true;
    this.#timer?.cancel();
    for (const kept of [...this.#leases.values()]) this.#drop(kept);
    this.#stream?.cancel();
    this.#task.cancel();
  }

  *#run(): Task<void> {
    while (!this.ended) {
      const stream = this.#deps.channel.stream(LeaseService.LeaseKeepAlive, {
        metadata: REQUIRE_LEADER,
        waitForReady: true,
      });
      this.#stream = stream;
      this.#look();
      try {
        for (;;) {
          const answer = yield* stream.receive();
          if (answer === undefined) break;
          this.#take(answer);
        }
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
      this.#stream = null;
      yield* this.#deps.ports.clock.sleep(RETRY_US);
    }
  }

  #take(answer: LeaseKeepAliveResponse): void {
    const kept = this.#leases.get(answer.id);
    if (kept === undefined) return;
    if (answer.ttl <= 0) {
      this.#drop(kept);
      return;
    }
    const now = this.#deps.ports.clock.monotonicUs();
    kept.nextUs = now + Math.round((answer.ttl * 1_000_000) / 3);
    kept.deadlineUs = now + answer.ttl * 1_000_000;
    for (const channel of kept.answers) channel.offer(answer);
    this.#arm();
  }

  /** Renews what is due and gives up what is over. */
  #look(): void {
    const now = this.#deps.ports.clock.monotonicUs();
    for (const kept of [...this.#leases.values()]) {
      if (kept.deadlineUs < now) this.#drop(kept);
      else if (kept.nextUs <= now && this.#stream !== null) {
        this.#stream.send({ id: kept.id });
        // Sent again at every look until it is answered.
        kept.nextUs = Math.max(kept.nextUs, now);
      }
    }
    this.#arm();
  }

  #drop(kept: Kept): void {
    this.#leases.delete(kept.id);
    for (const channel of kept.answers) channel.close();
  }

  /** Sets the timer to the next instant of a loop's grid at which it would do something. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#leases.size === 0 || this.ended) return;
    const now = this.#deps.ports.clock.monotonicUs();
    let dueUs = Number.POSITIVE_INFINITY;
    for (const kept of this.#leases.values()) {
      dueUs = Math.min(dueUs, this.#onGrid(kept.nextUs, SEND_US, now), this.#onGrid(kept.deadlineUs, DEADLINE_US, now));
    }
    this.#timer = this.#deps.ports.clock.after(dueUs - now, () => {
      this.#timer = null;
      this.#look();
    });
  }

  #onGrid(atUs: number, gridUs: number, now: number): number {
    const steps = Math.ceil((Math.max(atUs, now + 1) - this.#startedUs) / gridUs);
    return this.#startedUs + steps * gridUs;
  }
}
