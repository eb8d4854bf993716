import { EtcdError, type EtcdErrorKind, rpcError } from '../../../api/etcd/errors.ts';
import type {
  CompactionRequest,
  CompactionResponse,
  DeleteRangeRequest,
  DeleteRangeResponse,
  PutRequest,
  PutResponse,
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
} from '../../../api/etcd/kv.ts';
import { KvService } from '../../../api/etcd/services.ts';
import type { HandlerEntry } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { Caller, PendingAnswer } from '../../../rpc/service.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import type { ApplyAnswer } from '../apply/applier.ts';
import { putCostBytes, txnCostBytes } from '../apply/quota.ts';
import { isReadOnlyTxn, isSerializableTxn } from '../apply/txn.ts';
import { validateDelete, validatePut, validateRange, validateTxn } from '../apply/validate.ts';
import type { Member } from '../member/member.ts';
import type { RequestName, RequestOf } from '../raft/payload.ts';
import type { Guard } from './guard.ts';
import { type Headed, RangeRead, TxnRead, withHeader } from './read.ts';

/** The KV service (reference/etcd.md A1, A3 to A6). */
export function kvHandlers(member: Member, guard: Guard): HandlerEntry[] {
  const kv = new KvApi(member);
  return serviceHandlers(KvService, {
    Range: guard.serving(
      (request, caller) => kv.range(request, caller),
      (request) => request.serializable,
    ),
    Put: guard.serving((request, caller) => kv.put(request, caller)),
    DeleteRange: guard.serving((request, caller) => kv.deleteRange(request, caller)),
    Txn: guard.serving((request, caller) => kv.txn(request, caller)),
    Compact: guard.unary((request) => kv.compact(request)),
  });
}

/** KV requests of one member, without the transport around them. */
export class KvApi {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  range(request: RangeRequest, caller: Caller<RangeResponse>): PendingAnswer {
    check(validateRange(request));
    const read = new RangeRead(this.#member, request, caller);
    if (request.serializable) read.ready();
    else this.#member.barrier.join(read);
    return read;
  }

  put(request: PutRequest, caller: Caller<PutResponse>): PendingAnswer {
    check(validatePut(request));
    return this.#write('put', request, putCostBytes(request), caller);
  }

  deleteRange(request: DeleteRangeRequest, caller: Caller<DeleteRangeResponse>): PendingAnswer {
    check(validateDelete(request));
    return this.#write('deleteRange', request, 0, caller);
  }

  txn(request: TxnRequest, caller: Caller<TxnResponse>): PendingAnswer {
    check(validateTxn(request, this.#member.identity.config.maxTxnOps));
    if (!isReadOnlyTxn(request)) {
      const { quotaCountsNested } = this.#member.identity.behaviour;
      return this.#write('txn', request, txnCostBytes(request, quotaCountsNested), caller);
    }
    const read = new TxnRead(this.#member, request, caller);
    if (isSerializableTxn(request)) read.ready();
    else this.#member.barrier.join(read);
    return read;
  }

  /** Replicates a write, unless it does not fit any more, and completes the answer's header. */
  #write<N extends RequestName, T extends Headed>(
    name: N,
    request: RequestOf<N>,
    costBytes: number,
    caller: Caller<T>,
  ): PendingAnswer {
    this.#checkQuota(costBytes);
    return this.#member.proposals.submit(name, request, new Completion(this.#member, caller));
  }

  /**
   * Compaction. A physical one also waits for the removal, even when it was refused because the revision had been
   * compacted before.
   */
  *compact(request: CompactionRequest): Task<CompactionResponse> {
    const { proposals, compactor, persistence, state } = this.#member;
    try {
      yield* proposals.request('compaction', request);
    } catch (error) {
      const wasCompacted = request.revision <= state.store.compactRevision;
      if (!request.physical || !wasCompacted) throw error;
      yield* compactor.idle();
      yield* persistence.flush();
      throw error;
    }
    if (request.physical) {
      yield* compactor.idle();
      yield* persistence.flush();
    }
    return { header: this.#member.header(state.store.currentRevision) };
  }

  /** Refuses what does not fit any more, and raises the alarm (reference/etcd.md C7). */
  #checkQuota(costBytes: number): void {
    if (costBytes === 0 || this.#member.applier.fitsQuota(costBytes)) return;
    this.#member.effects.overQuota();
    throw rpcError(EtcdError.NoSpace);
  }
}

function check(refused: EtcdErrorKind | null): void {
  if (refused !== null) throw rpcError(refused);
}

/** Completes the header of a write's answer on its way to whoever asked. */
class Completion<T extends Headed> implements Caller<ApplyAnswer> {
  readonly #member: Member;
  readonly #caller: Caller<T>;

  constructor(member: Member, caller: Caller<T>) {
    this.#member = member;
    this.#caller = caller;
  }

  answer(answer: ApplyAnswer): void {
    this.#caller.answer(withHeader(this.#member, answer as T));
  }

  refuse(error: unknown): void {
    this.#caller.refuse(error);
  }
}
