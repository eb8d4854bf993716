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
  ResponseHeader,
  TxnRequest,
  TxnResponse,
} from '../../../api/etcd/kv.ts';
import { KvService } from '../../../api/etcd/services.ts';
import type { HandlerEntry } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import { costBytes } from '../apply/quota.ts';
import { executeRange } from '../apply/range.ts';
import { executeTxn, isError, isReadOnlyTxn, isSerializableTxn } from '../apply/txn.ts';
import { validateDelete, validatePut, validateRange, validateTxn } from '../apply/validate.ts';
import type { Member } from '../member/member.ts';
import type { OneRequest } from '../raft/payload.ts';
import type { Guard } from './guard.ts';

/** The KV service (reference/etcd.md A1, A3 to A6). */
export function kvHandlers(member: Member, guard: Guard): HandlerEntry[] {
  const kv = new KvApi(member);
  return serviceHandlers(KvService, {
    Range: guard.unary(
      (request) => kv.range(request),
      (request) => request.serializable,
    ),
    Put: guard.unary((request) => kv.put(request)),
    DeleteRange: guard.unary((request) => kv.deleteRange(request)),
    Txn: guard.unary((request) => kv.txn(request)),
    Compact: guard.unary((request) => kv.compact(request)),
  });
}

/** KV requests of one member, without the transport around them. */
export class KvApi {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  *range(request: RangeRequest): Task<RangeResponse> {
    check(validateRange(request));
    const begun = this.#readBegins();
    if (!request.serializable) yield* this.#member.barrier.wait();
    const answer = executeRange(this.#member.state.store, request);
    if (isError(answer)) throw rpcError(answer);
    const response = this.#withHeader(answer);
    this.#member.observer?.read(this.#member.memberId, begun, request, response);
    return response;
  }

  #readBegins(): number {
    return this.#member.observer?.readBegins(this.#member.memberId) ?? 0;
  }

  put(request: PutRequest): Task<PutResponse> {
    check(validatePut(request));
    return this.#write({ put: request });
  }

  deleteRange(request: DeleteRangeRequest): Task<DeleteRangeResponse> {
    check(validateDelete(request));
    return this.#write({ deleteRange: request });
  }

  txn(request: TxnRequest): Task<TxnResponse> {
    check(validateTxn(request, this.#member.identity.config.maxTxnOps));
    return isReadOnlyTxn(request) ? this.#readTxn(request) : this.#write({ txn: request });
  }

  /** Replicates a write, unless it does not fit any more, and completes the answer's header. */
  #write<T extends { readonly header: ResponseHeader | null }>(parts: OneRequest): Task<T> {
    this.#checkQuota(parts);
    return this.#member.proposals.submit(parts, (answer) => this.#withHeader(answer as T));
  }

  *#readTxn(request: TxnRequest): Task<TxnResponse> {
    const begun = this.#readBegins();
    if (!isSerializableTxn(request)) yield* this.#member.barrier.wait();
    const answer = executeTxn(this.#member.state, request);
    if (isError(answer)) throw rpcError(answer);
    const response = this.#withHeader(answer);
    this.#member.observer?.read(this.#member.memberId, begun, request, response);
    return response;
  }

  /**
   * Compaction. A physical one also waits for the removal, even when it was refused because the revision had been
   * compacted before.
   */
  *compact(request: CompactionRequest): Task<CompactionResponse> {
    const { proposals, compactor, persistence, state } = this.#member;
    let answer: CompactionResponse | null = null;
    try {
      answer = yield* proposals.request({ compaction: request });
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
    return this.#withHeader({ header: { ...answer!.header!, revision: state.store.currentRevision } });
  }

  /** Refuses what does not fit any more, and raises the alarm (reference/etcd.md C7). */
  #checkQuota(parts: OneRequest): void {
    const { applier, identity } = this.#member;
    const cost = costBytes(parts, identity.behaviour.quotaCountsNested);
    if (cost === 0 || applier.fitsQuota(cost)) return;
    this.#member.effects.overQuota();
    throw rpcError(EtcdError.NoSpace);
  }

  #withHeader<T extends { readonly header: ResponseHeader | null }>(answer: T): T {
    return { ...answer, header: this.#member.header(answer.header!.revision) };
  }
}

function check(refused: EtcdErrorKind | null): void {
  if (refused !== null) throw rpcError(refused);
}
