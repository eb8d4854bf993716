import { EtcdError, type EtcdErrorKind, rpcError } from '../../../api/etcd/errors.ts';
import type { Clock, Timer } from '../../../platform/clock.ts';
import { RecentMap } from '../../../platform/recent-map.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { wait } from '../../../platform/task.ts';
import type { ConfChange } from '../../../raft/index.ts';
import type { Caller, PendingAnswer } from '../../../rpc/service.ts';
import type { ApplyAnswer, ApplyResult } from '../apply/applier.ts';
import { isError } from '../apply/txn.ts';
import type { Proposal, RaftDriver } from '../raft/driver.ts';
import { Payload, type RequestName, type RequestOf } from '../raft/payload.ts';
import type { RequestId } from '../raft/request-id.ts';
import type { RequestIds } from './request-ids.ts';

/** Committed entries that may wait for application before new requests are refused (reference/etcd.md A1). */
const MAX_APPLY_GAP = 5000;

/** What proposals need of the member. */
export interface ProposalOwner {
  readonly driver: RaftDriver;
  readonly committedIndex: number;
  readonly appliedIndex: number;
  /** What a request's running out of time most likely means. */
  timeoutReason(startedUs: number): EtcdErrorKind;
}

/** Who waits for what applying an entry gives. */
export interface Awaiting {
  settle(result: ApplyResult): void;
}

/** A request on its way through the log: what Raft is given, and what whoever asked for it can take back. */
class Waiter implements Proposal, PendingAnswer, Awaiting {
  readonly id: RequestId;
  readonly data: Payload | null;
  readonly change: ConfChange | null;
  readonly startedUs: number;
  readonly caller: Caller<ApplyAnswer>;
  withdrawn = false;
  readonly #waiting: RecentMap<Waiter>;
  readonly #onFailed: () => void;

  constructor(
    waiting: RecentMap<Waiter>,
    onFailed: () => void,
    id: RequestId,
    data: Payload | null,
    change: ConfChange | null,
    startedUs: number,
    caller: Caller<ApplyAnswer>,
  ) {
    this.#waiting = waiting;
    this.#onFailed = onFailed;
    this.id = id;
    this.data = data;
    this.change = change;
    this.startedUs = startedUs;
    this.caller = caller;
  }

  refused(error: string): void {
    this.#waiting.delete(this.id.ordinal);
    this.#onFailed();
    this.caller.refuse(new RpcError('Unknown', error));
  }

  settle(result: ApplyResult): void {
    if (isError(result)) this.caller.refuse(rpcError(result));
    else this.caller.answer(result);
  }

  withdraw(): void {
    this.#waiting.delete(this.id.ordinal);
    this.withdrawn = true;
  }
}

/**
 * Requests of this member on their way through the log, by id. All have the same time limit, so the order of arrival is
 * the order of deadlines and one timer serves them all.
 */
export class Proposals {
  readonly #clock: Clock;
  readonly #ids: RequestIds;
  readonly #owner: ProposalOwner;
  readonly #maxRequestBytes: number;
  readonly #timeoutUs: number;
  /** By the ordinal of their ids. */
  readonly #waiting = new RecentMap<Waiter>();
  #timer: Timer | null = null;
  #failed = 0;
  readonly #onFailed = (): void => {
    this.#failed++;
  };

  constructor(
    clock: Clock,
    ids: RequestIds,
    owner: ProposalOwner,
    limits: { readonly maxRequestBytes: number; readonly timeoutUs: number },
  ) {
    this.#clock = clock;
    this.#ids = ids;
    this.#owner = owner;
    this.#maxRequestBytes = limits.maxRequestBytes;
    this.#timeoutUs = limits.timeoutUs;
  }

  /** Proposals that Raft dropped or that ran out of time. */
  get failed(): number {
    return this.#failed;
  }

  get pending(): number {
    return this.#waiting.size;
  }

  /** Replicates a request and waits for what applying it here gives. Throws the error as it travels. */
  request<N extends RequestName>(name: N, one: RequestOf<N>): Task<ApplyAnswer> {
    return wait<ApplyAnswer>((resume, fail) => {
      const pending = this.submit(name, one, { answer: resume, refuse: fail });
      return () => pending.withdraw();
    });
  }

  /** The same for a caller that is no task. Throws what is refused at once. */
  submit<N extends RequestName>(name: N, one: RequestOf<N>, caller: Caller<ApplyAnswer>): PendingAnswer {
    const { committedIndex, appliedIndex } = this.#owner;
    if (committedIndex > appliedIndex + MAX_APPLY_GAP) throw rpcError(EtcdError.TooManyRequests);
    const id = this.#ids.next();
    const payload = Payload.ofRequest(id, name, one);
    if (payload.sizeBytes > this.#maxRequestBytes) throw rpcError(EtcdError.RequestTooLarge);
    return this.#propose(id, payload, null, caller);
  }

  /** Replicates a membership change. A second one while one is pending is never answered: it ends by its timeout. */
  change(change: Omit<ConfChange, 'id' | 'version'>): Task<void> {
    return wait<void>((resume, fail) => {
      const id = this.#ids.next();
      const caller = { answer: () => resume(), refuse: fail };
      const pending = this.#propose(id, null, { ...change, id: id.text, version: 1 }, caller);
      return () => pending.withdraw();
    });
  }

  #propose(id: RequestId, data: Payload | null, change: ConfChange | null, caller: Caller<ApplyAnswer>): Waiter {
    const waiter = new Waiter(this.#waiting, this.#onFailed, id, data, change, this.#clock.monotonicUs(), caller);
    this.#waiting.set(id.ordinal, waiter);
    if (this.#timer === null) this.#arm(this.#timeoutUs);
    this.#owner.driver.propose(waiter);
    return waiter;
  }

  #arm(delayUs: number): void {
    this.#timer = this.#clock.after(delayUs, () => {
      this.#timer = null;
      this.#expire();
    });
  }

  #expire(): void {
    const now = this.#clock.monotonicUs();
    for (const waiter of this.#waiting.values()) {
      const leftUs = waiter.startedUs + this.#timeoutUs - now;
      if (leftUs > 0) {
        this.#arm(leftUs);
        return;
      }
      waiter.withdraw();
      this.#failed++;
      waiter.caller.refuse(rpcError(this.#owner.timeoutReason(waiter.startedUs)));
    }
  }

  /** Whoever waits here for the entry with this id, which is being applied; undefined when nobody does. */
  take(id: RequestId): Awaiting | undefined {
    if (!this.#ids.isOwn(id)) return undefined;
    const { ordinal } = id;
    const waiter = this.#waiting.get(ordinal);
    if (waiter !== undefined) this.#waiting.delete(ordinal);
    return waiter;
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
