import { EtcdError } from '../../../api/etcd/errors.ts';
import type { InternalRaftRequest } from '../../../api/etcd/internal.ts';
import {
  CompactionRequest,
  DeleteRangeRequest,
  PutRequest,
  type RangeRequest,
  type RangeResponse,
  TxnRequest,
  type TxnResponse,
} from '../../../api/etcd/kv.ts';
import { sameBytes } from '../../../platform/bytes.ts';
import type { MessageType } from '../../../rpc/message.ts';
import type { Blame, CommitOrder, Committed } from './commit-order.ts';
import { difference, type Outcome } from './model/difference.ts';
import { rangeAt } from './model/read.ts';
import { readTxnAt } from './model/write.ts';

const GUARANTEE = 'linearizable';

/** What a client asked; exactly one member is set, and it is the object that was sent. */
export type ClientRequest = Partial<
  Pick<InternalRaftRequest, 'range' | 'put' | 'deleteRange' | 'txn' | 'compaction' | 'leaseGrant' | 'leaseRevoke'>
>;

/** What was agreed when an operation began: nothing older may be its answer. */
export interface Begun {
  readonly index: number;
  readonly revision: number;
  readonly compacted: number;
  readonly atUs: number;
}

/** Errors that say for certain that the request was applied and refused. */
const REFUSED_WHEN_APPLIED: ReadonlySet<string> = new Set([
  EtcdError.LeaseNotFound.message,
  EtcdError.LeaseExist.message,
  EtcdError.Compacted.message,
  EtcdError.FutureRev.message,
]);

/**
 * Checks every operation of every client against the order of writes that the simulation knows, at the moment its answer
 * arrives: a write has to be one entry of its own, committed between call and return and answered as the model says; a
 * read has to show the state of one revision, not older than anything that was committed before the call (reference/etcd.md
 * F8). A serializable read may be older, but still shows one revision as it was.
 */
export class ClientOperations {
  readonly #order: CommitOrder;
  readonly #blame: (detail: string) => void;
  checked = 0;
  /** Answers about a past that is not remembered any more. */
  unchecked = 0;

  constructor(order: CommitOrder, blame: Blame) {
    this.#order = order;
    this.#blame = (detail) => blame(GUARANTEE, detail);
  }

  begin(): Begun {
    const { position, model, nowUs } = this.#order;
    return { index: position, revision: model.revision, compacted: model.compacted, atUs: nowUs };
  }

  returned(begun: Begun, request: ClientRequest, response: Outcome): void {
    this.checked++;
    if (request.range) this.#range(begun, request.range, response as RangeResponse);
    else if (request.txn && isReadOnly(request.txn)) this.#readTxn(begun, request.txn, response as TxnResponse);
    else this.#write(begun, request, response);
  }

  /** The error's text. What is not a definite refusal says nothing: the request may have taken effect, or may yet. */
  failed(begun: Begun, request: ClientRequest, text: string): void {
    if (!REFUSED_WHEN_APPLIED.has(text)) return;
    this.checked++;
    if (request.range) this.#refusedRange(begun, request.range, text);
    else if (request.txn && isReadOnly(request.txn)) return;
    else if (this.#refusedEntry(begun, request, text) === undefined) {
      this.#blame(`a request is refused with "${text}", which no entry was answered with since it was sent`);
    }
  }

  #write(begun: Begun, request: ClientRequest, response: Outcome): void {
    const entry = this.#find(begun, request, response);
    if (entry === undefined) {
      this.#blame(
        `a ${nameOf(request)} is acknowledged at revision ${revisionOf(response)}, but no such entry was committed ` +
          `since it was sent (between entry ${begun.index} and ${this.#order.position})`,
      );
      return;
    }
    if (entry.claimed) this.#blame(`entry ${entry.index} answers two requests`);
    entry.claimed = true;
    const found = this.#answerDifference(request, entry, response);
    if (found !== null) this.#blame(`the answer to entry ${entry.index} ${found}`);
  }

  #outsideDifference(entry: Committed, response: Outcome): string | null {
    const revision = revisionOf(response);
    if (entry.answer.kind !== 'plain') return 'succeeds, although it was refused';
    return revision >= entry.revision && revision <= this.#order.revision ? null : `says revision ${revision}`;
  }

  /**
   * The entry that a response is about. Identical requests of several clients make identical entries; the oldest that fits
   * is taken, which leaves something for everybody if there is a way to.
   */
  #find(begun: Begun, request: ClientRequest, response: Outcome): Committed | undefined {
    const isIt = (entry: Committed): boolean =>
      !entry.claimed && isOf(entry, request, response) && this.#answerDifference(request, entry, response) === null;
    const candidate = this.#order.ofRevision(revisionOf(response));
    if (candidate !== undefined && candidate.index > begun.index && isIt(candidate)) return candidate;
    let other: Committed | undefined;
    for (const entry of this.#order.after(begun.index)) {
      if (isIt(entry)) return entry;
      if (isOf(entry, request, response)) other = entry;
    }
    return other;
  }

  /** A compaction's header has the revision of when it was answered. */
  #answerDifference(request: ClientRequest, entry: Committed, response: Outcome): string | null {
    return request.compaction ? this.#outsideDifference(entry, response) : difference(entry.answer, response);
  }

  #refusedEntry(begun: Begun, request: ClientRequest, text: string): Committed | undefined {
    for (const entry of this.#order.after(begun.index)) {
      if (entry.answer.kind === 'error' && entry.answer.error.message === text && isOf(entry, request, undefined)) {
        return entry;
      }
    }
    return undefined;
  }

  #range(begun: Begun, request: RangeRequest, response: RangeResponse): void {
    const { keys } = this.#order.model;
    const now = revisionOf(response);
    if (!this.#isCurrent(begun, now, request.serializable)) return;
    if (request.revision > 0) {
      if (!request.serializable && request.revision < begun.compacted) {
        this.#blame(
          `a read at revision ${request.revision} succeeds, although ${begun.compacted} was compacted before`,
        );
      }
      if (request.revision > now) this.#blame(`a read at revision ${request.revision} is answered at ${now}`);
    }
    if ((request.revision > 0 ? request.revision : now) < keys.oldest) {
      this.unchecked++;
      return;
    }
    const found = difference(rangeAt(keys, request, now), response);
    if (found !== null) this.#blame(`a ${wordOf(request.serializable)} read at revision ${now} ${found}`);
  }

  #readTxn(begun: Begun, txn: TxnRequest, response: TxnResponse): void {
    const { keys } = this.#order.model;
    const now = revisionOf(response);
    const serializable = [...txn.success, ...txn.failure].every((op) => op.requestRange!.serializable);
    if (!this.#isCurrent(begun, now, serializable)) return;
    if (now < keys.oldest) {
      this.unchecked++;
      return;
    }
    const found = difference(readTxnAt(keys, txn, now), response);
    if (found !== null) this.#blame(`a ${wordOf(serializable)} transaction at revision ${now} ${found}`);
  }

  /** Neither from the future nor, unless it may, from before the call. */
  #isCurrent(begun: Begun, revision: number, serializable: boolean): boolean {
    if (revision > this.#order.revision) {
      this.#blame(`a read shows revision ${revision}, but only ${this.#order.revision} was committed`);
      return false;
    }
    if (serializable || revision >= begun.revision) return true;
    this.#blame(`a stale read: it shows revision ${revision}, but ${begun.revision} was committed before it began`);
    return false;
  }

  #refusedRange(begun: Begun, request: RangeRequest, text: string): void {
    const { compacted } = this.#order.model;
    if (text === EtcdError.Compacted.message) {
      if (request.revision >= compacted)
        this.#blame(`revision ${request.revision} is refused, only ${compacted} is compacted`);
    } else if (!request.serializable && request.revision <= begun.revision) {
      this.#blame(`revision ${request.revision} is refused as future, but ${begun.revision} was reached before`);
    }
  }
}

/** Whether an entry came from this request. A grant that leaves the id to the server is told by the answer. */
function isOf({ request: entry }: Committed, request: ClientRequest, response: Outcome | undefined): boolean {
  if (request.put) return same(PutRequest, entry.put, request.put);
  if (request.txn) return same(TxnRequest, entry.txn, request.txn);
  if (request.deleteRange) return same(DeleteRangeRequest, entry.deleteRange, request.deleteRange);
  if (request.compaction) return same(CompactionRequest, entry.compaction, request.compaction);
  if (request.leaseRevoke) return entry.leaseRevoke?.id === request.leaseRevoke.id;
  const granted = response === undefined ? request.leaseGrant?.id : (response as { readonly id?: string }).id;
  return entry.leaseGrant !== null && entry.leaseGrant.id === granted;
}

function same<T>(type: MessageType<T>, a: T | null, b: T): boolean {
  return a === b || (a !== null && sameBytes(type.encode(a), type.encode(b)));
}

/** Whether a transaction holds plain ranges only: such a one never becomes an entry. */
export function isReadOnly(txn: TxnRequest): boolean {
  return txn.success.every((op) => op.requestRange !== null) && txn.failure.every((op) => op.requestRange !== null);
}

function revisionOf(outcome: Outcome): number {
  return 'header' in outcome ? (outcome.header?.revision ?? 0) : 0;
}

function wordOf(serializable: boolean): string {
  return serializable ? 'serializable' : 'linearizable';
}

function nameOf(request: ClientRequest): string {
  return Object.keys(request)[0] ?? 'request';
}
