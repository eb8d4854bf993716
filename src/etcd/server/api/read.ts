import { type EtcdErrorKind, rpcError } from '../../../api/etcd/errors.ts';
import type { RangeRequest, RangeResponse, ResponseHeader, TxnRequest, TxnResponse } from '../../../api/etcd/kv.ts';
import type { RpcError } from '../../../platform/rpc.ts';
import type { Caller, PendingAnswer } from '../../../rpc/service.ts';
import { executeRange } from '../apply/range.ts';
import { executeTxn, isError } from '../apply/txn.ts';
import type { Member } from '../member/member.ts';
import type { Reader } from '../member/read-barrier.ts';

/** An answer that says where the cluster stood. */
export interface Headed {
  readonly header: ResponseHeader | null;
}

/** The answer with a full header: applying knows only the revision. */
export function withHeader<T extends Headed>(member: Member, answer: T): T {
  return { ...answer, header: member.header(answer.header!.revision) };
}

/** A read that waits until what it sees is linearizable, or is called at once where that does not matter. */
abstract class Read<Req extends RangeRequest | TxnRequest, Res extends (RangeResponse | TxnResponse) & Headed>
  implements Reader, PendingAnswer
{
  protected readonly member: Member;
  protected readonly request: Req;
  readonly #caller: Caller<Res>;
  readonly #begun: number;

  constructor(member: Member, request: Req, caller: Caller<Res>) {
    this.member = member;
    this.request = request;
    this.#caller = caller;
    this.#begun = member.observer?.readBegins(member.memberId) ?? 0;
  }

  protected abstract execute(): Res | EtcdErrorKind;

  ready(): void {
    const answer = this.execute();
    if (isError(answer)) {
      this.#caller.refuse(rpcError(answer));
      return;
    }
    const { member } = this;
    const response = withHeader(member, answer);
    member.observer?.read(member.memberId, this.#begun, this.request, response);
    this.#caller.answer(response);
  }

  refused(error: RpcError): void {
    this.#caller.refuse(error);
  }

  withdraw(): void {
    this.member.barrier.leave(this);
  }
}

export class RangeRead extends Read<RangeRequest, RangeResponse> {
  protected execute(): RangeResponse | EtcdErrorKind {
    return executeRange(this.member.state.store, this.request);
  }
}

/** A transaction that only reads. */
export class TxnRead extends Read<TxnRequest, TxnResponse> {
  protected execute(): TxnResponse | EtcdErrorKind {
    return executeTxn(this.member.state, this.request);
  }
}
