import { EtcdError, type EtcdErrorKind, rpcError } from '../../../api/etcd/errors.ts';
import { InternalRaftRequest, type RequestHeader } from '../../../api/etcd/internal.ts';
import type { Id64 } from '../../../api/etcd/kv.ts';
import type { Clock } from '../../../platform/clock.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { wait } from '../../../platform/task.ts';
import type { ConfChange } from '../../../raft/index.ts';
import type { ApplyAnswer, ApplyResult } from '../apply/applier.ts';
import { isError } from '../apply/txn.ts';
import type { RaftDriver } from '../raft/driver.ts';
import { Payload } from '../raft/payload.ts';
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

/** Requests of this member on their way through the log, by id. */
export class Proposals {
  readonly #clock: Clock;
  readonly #ids: RequestIds;
  readonly #owner: ProposalOwner;
  readonly #maxRequestBytes: number;
  readonly #timeoutUs: number;
  readonly #waiting = new Map<Id64, (result: ApplyResult) => void>();

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
  *request(parts: Partial<InternalRaftRequest>): Task<ApplyAnswer> {
    const { committedIndex, appliedIndex, driver } = this.#owner;
    if (committedIndex > appliedIndex + MAX_APPLY_GAP) throw rpcError(EtcdError.TooManyRequests);
    const id = this.#ids.next();
    const header: RequestHeader = { id, username: '', authRevision: 0 };
    const payload = Payload.ofRequest(InternalRaftRequest.of({ ...parts, header }));
    if (payload.sizeBytes > this.#maxRequestBytes) throw rpcError(EtcdError.RequestTooLarge);
    const result = yield* this.#await(id, (refused) => driver.propose(payload, refused));
    if (isError(result)) throw rpcError(result);
    return result as ApplyAnswer;
  }

  /** Replicates a membership change. A second one while one is pending is never answered: it ends by its timeout. */
  *change(change: Omit<ConfChange, 'id' | 'version'>): Task<void> {
    const id = this.#ids.next();
    const result = yield* this.#await(id, (refused) => {
      this.#owner.driver.proposeChange({ ...change, id, version: 1 }, refused);
    });
    if (isError(result)) throw rpcError(result);
  }

  #await(id: Id64, propose: (refused: (error: string) => void) => void): Task<ApplyResult> {
    return wait<ApplyResult>((resume, fail) => {
      const startedUs = this.#clock.monotonicUs();
      const timer = this.#clock.after(this.#timeoutUs, () => {
        this.#waiting.delete(id);
        fail(rpcError(this.#owner.timeoutReason(startedUs)));
      });
      const forget = (): void => {
        timer.cancel();
        this.#waiting.delete(id);
      };
      this.#waiting.set(id, (result) => {
        timer.cancel();
        this.#waiting.delete(id);
        resume(result);
      });
      propose((text) => {
        forget();
        fail(new RpcError('Unknown', text));
      });
      return forget;
    });
  }

  /** Whether somebody here waits for this request's result. */
  isLocal(id: Id64): boolean {
    return this.#waiting.has(id);
  }

  /** Gives a result to whoever waits for it here. */
  settle(id: Id64, result: ApplyResult): void {
    this.#waiting.get(id)?.(result);
  }
}
