import { EtcdError, type EtcdErrorKind, rpcError } from '../../../api/etcd/errors.ts';
import { fromHex, sameBytes } from '../../../platform/bytes.ts';
import type { Clock, Timer } from '../../../platform/clock.ts';
import type { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { wait } from '../../../platform/task.ts';
import type { RequestIds } from './request-ids.ts';

/** Pause after which an unanswered request for a read index is repeated with a new id (reference/etcd.md A1). */
const RETRY_US = 500_000;

/** What the barrier needs of the member. */
export interface BarrierOwner {
  readonly appliedIndex: number;
  requestReadIndex(context: Uint8Array): void;
  /** Calls back once everything up to `index` is applied. */
  whenApplied(index: number, callback: () => void): void;
}

/** Somebody who wants to read. One of both is called, once, unless the reader left. */
export interface Reader {
  /** What is applied now may be read. */
  ready(): void;
  /** `Timeout`, `LeaderChanged`, `Stopped`. */
  refused(error: RpcError): void;
}

/**
 * Makes reads linearizable: all readers that arrive while a round is under way share the next one; a round asks Raft for
 * a read index and waits until it is applied. A reader never joins a round that began before it came.
 */
export class ReadBarrier {
  readonly #clock: Clock;
  readonly #owner: BarrierOwner;
  readonly #ids: RequestIds;
  readonly #timeoutUs: number;
  #waiting: Reader[] = [];
  #round: Round | null = null;
  #closed = false;

  constructor(clock: Clock, ids: RequestIds, owner: BarrierOwner, timeoutUs: number) {
    this.#clock = clock;
    this.#ids = ids;
    this.#owner = owner;
    this.#timeoutUs = timeoutUs;
  }

  /** Waits until a read is linearizable; `Timeout`, `LeaderChanged`, `Stopped`. */
  wait(): Task<void> {
    return wait<void>((resume, fail) => {
      const reader: Reader = { ready: resume, refused: fail };
      this.join(reader);
      return () => this.leave(reader);
    });
  }

  /** The same for a reader that is no task. */
  join(reader: Reader): void {
    if (this.#closed) {
      reader.refused(rpcError(EtcdError.Stopped));
      return;
    }
    this.#waiting.push(reader);
    if (this.#round === null) this.#start();
  }

  leave(reader: Reader): void {
    this.#waiting = this.#waiting.filter((other) => other !== reader);
    if (this.#round !== null) this.#round.readers = this.#round.readers.filter((other) => other !== reader);
  }

  /** Raft answered a request for a read index. */
  onReadState(context: Uint8Array, index: number): void {
    const round = this.#round;
    if (round === null || round.confirmed || !round.contexts.some((own) => sameBytes(own, context))) return;
    round.confirmed = true;
    round.retry.cancel();
    round.limit.cancel();
    if (this.#owner.appliedIndex >= index) this.#finish(round, null);
    else this.#owner.whenApplied(index, () => this.#finish(round, null));
  }

  /** Another leader: what the old one confirmed is worth nothing any more. */
  onLeaderChanged(): void {
    if (this.#round !== null && !this.#round.confirmed) this.#finish(this.#round, EtcdError.LeaderChanged);
  }

  /** A leader's first commit: requests that it could not answer before are asked again. */
  onFirstCommitInTerm(): void {
    const round = this.#round;
    if (round === null || round.confirmed) return;
    round.retry.cancel();
    this.#ask(round);
  }

  close(): void {
    this.#closed = true;
    const readers = [...(this.#round?.readers ?? []), ...this.#waiting];
    this.#round?.retry.cancel();
    this.#round?.limit.cancel();
    this.#round = null;
    this.#waiting = [];
    for (const reader of readers) reader.refused(rpcError(EtcdError.Stopped));
  }

  #start(): void {
    const readers = this.#waiting;
    this.#waiting = [];
    const limit = this.#clock.after(this.#timeoutUs, () => this.#finish(round, EtcdError.Timeout));
    const round: Round = { readers, contexts: [], confirmed: false, over: false, retry: limit, limit };
    this.#round = round;
    this.#ask(round);
  }

  #ask(round: Round): void {
    const context = fromHex(this.#ids.next().text);
    round.contexts.push(context);
    round.retry = this.#clock.after(RETRY_US, () => this.#ask(round));
    this.#owner.requestReadIndex(context);
  }

  #finish(round: Round, error: EtcdErrorKind | null): void {
    if (round.over) return;
    round.over = true;
    round.retry.cancel();
    round.limit.cancel();
    if (this.#round === round) this.#round = null;
    const { readers } = round;
    for (const reader of readers) {
      if (error === null) reader.ready();
      else reader.refused(rpcError(error));
    }
    if (this.#round === null && this.#waiting.length > 0 && !this.#closed) this.#start();
  }
}

interface Round {
  readers: Reader[];
  /** Every request that was sent in this round: the eight bytes of its id. */
  readonly contexts: Uint8Array[];
  confirmed: boolean;
  over: boolean;
  retry: Timer;
  limit: Timer;
}
