import { EtcdError, type EtcdErrorKind, rpcError } from '../../../api/etcd/errors.ts';
import type { RequestHeader } from '../../../api/etcd/internal.ts';
import type { Id64 } from '../../../api/etcd/kv.ts';
import type { Clock, Timer } from '../../../platform/clock.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Fail, Task } from '../../../platform/task.ts';
import { wait } from '../../../platform/task.ts';
import type { ConfChange } from '../../../raft/index.ts';
import type { ApplyAnswer, ApplyResult } from '../apply/applier.ts';
import { isError } from '../apply/txn.ts';
import type { RaftDriver } from '../raft/driver.ts';
import { type OneRequest, Payload } from '../raft/payload.ts';
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

interface Waiter {
  readonly startedUs: number;
  readonly settle: (result: ApplyResult) => void;
  readonly fail: Fail;
  /** Keeps the proposal from being made, if it is not too late. */
  withdraw: () => void;
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
  readonly #waiting = new Map<Id64, Waiter>();
  #timer: Timer | null = null;

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

  get pending(): number {
    return this.#waiting.size;
  }

  /** Replicates a request and waits for what applying it here gives. Throws the error as it travels. */
  request(one: OneRequest): Task<ApplyAnswer> {
    return this.submit(one, (answer) => answer);
  }

  /** The same, with the answer made into something else on the way, so that the caller need not wait for it itself. */
  submit<T>(one: OneRequest, finish: (answer: ApplyAnswer) => T): Task<T> {
    const { committedIndex, appliedIndex, driver } = this.#owner;
    if (committedIndex > appliedIndex + MAX_APPLY_GAP) throw rpcError(EtcdError.TooManyRequests);
    const id = this.#ids.next();
    const header: RequestHeader = { id, username: '', authRevision: 0 };
    const payload = Payload.ofRequest(header, one);
    if (payload.sizeBytes > this.#maxRequestBytes) throw rpcError(EtcdError.RequestTooLarge);
    return this.#await(id, finish, (refused) => driver.propose(payload, refused));
  }

  /** Replicates a membership change. A second one while one is pending is never answered: it ends by its timeout. */
  change(change: Omit<ConfChange, 'id' | 'version'>): Task<void> {
    const id = this.#ids.next();
    return this.#await(
      id,
      () => {},
      (refused) => this.#owner.driver.proposeChange({ ...change, id, version: 1 }, refused),
    );
  }

  #await<T>(
    id: Id64,
    finish: (answer: ApplyAnswer) => T,
    propose: (refused: (error: string) => void) => () => void,
  ): Task<T> {
    return wait<T>((resume, fail) => {
      const settle = (result: ApplyResult): void => {
        if (isError(result)) fail(rpcError(result));
        else resume(finish(result));
      };
      const waiter: Waiter = { startedUs: this.#clock.monotonicUs(), settle, fail, withdraw: () => {} };
      this.#waiting.set(id, waiter);
      if (this.#timer === null) this.#arm(this.#timeoutUs);
      waiter.withdraw = propose((text) => {
        this.#waiting.delete(id);
        fail(new RpcError('Unknown', text));
      });
      return () => {
        this.#waiting.delete(id);
        waiter.withdraw();
      };
    });
  }

  #arm(delayUs: number): void {
    this.#timer = this.#clock.after(delayUs, () => {
      this.#timer = null;
      this.#expire();
    });
  }

  #expire(): void {
    const now = this.#clock.monotonicUs();
    for (const [id, waiter] of this.#waiting) {
      const leftUs = waiter.startedUs + this.#timeoutUs - now;
      if (leftUs > 0) {
        this.#arm(leftUs);
        return;
      }
      this.#waiting.delete(id);
      waiter.withdraw();
      waiter.fail(rpcError(this.#owner.timeoutReason(waiter.startedUs)));
    }
  }

  /** Gives a result to whoever waits for it here. */
  settle(id: Id64, result: ApplyResult): void {
    const waiter = this.#waiting.get(id);
    if (waiter === undefined) return;
    this.#waiting.delete(id);
    waiter.settle(result);
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
