import {
  ClusterMemberAttrSetRequest,
  ClusterVersionSetRequest,
  DowngradeInfoSetRequest,
  InternalRaftRequest,
} from '../../../api/etcd/internal.ts';
import { CompactionRequest, DeleteRangeRequest, PutRequest, RangeRequest, TxnRequest } from '../../../api/etcd/kv.ts';
import { LeaseCheckpointRequest, LeaseGrantRequest, LeaseRevokeRequest } from '../../../api/etcd/lease.ts';
import { AlarmRequest } from '../../../api/etcd/maintenance.ts';
import type { OpaqueData } from '../../../raft/index.ts';
import type { MessageType } from '../../../rpc/message.ts';
import { delimitedSizeBytes, type ReverseWriter, varintSizeBytes } from '../../../rpc/wire.ts';
import { writeNested } from '../../../rpc/written-out.ts';
import { keyOf } from '../mvcc/keys.ts';
import { ID_HEADER, RequestId } from './request-id.ts';

/** The kinds of requests that a log entry may hold. */
export type RequestName = Exclude<keyof InternalRaftRequest, 'header'>;

export type RequestOf<N extends RequestName> = NonNullable<InternalRaftRequest[N]>;

/** A request as an entry holds it. */
interface Kind {
  readonly name: RequestName;
  readonly number: number;
  readonly type: MessageType<unknown>;
}

function kind<N extends RequestName>(name: N, number: number, type: MessageType<RequestOf<N>>): Kind {
  return Object.freeze({ name, number, type: type as MessageType<unknown> });
}

const KINDS: { readonly [N in RequestName]: Kind } = Object.freeze({
  range: kind('range', 3, RangeRequest),
  put: kind('put', 4, PutRequest),
  deleteRange: kind('deleteRange', 5, DeleteRangeRequest),
  txn: kind('txn', 6, TxnRequest),
  compaction: kind('compaction', 7, CompactionRequest),
  leaseGrant: kind('leaseGrant', 8, LeaseGrantRequest),
  leaseRevoke: kind('leaseRevoke', 9, LeaseRevokeRequest),
  alarm: kind('alarm', 10, AlarmRequest),
  leaseCheckpoint: kind('leaseCheckpoint', 11, LeaseCheckpointRequest),
  clusterVersionSet: kind('clusterVersionSet', 1300, ClusterVersionSetRequest),
  clusterMemberAttrSet: kind('clusterMemberAttrSet', 1301, ClusterMemberAttrSetRequest),
  downgradeInfoSet: kind('downgradeInfoSet', 1302, DowngradeInfoSetRequest),
});
const HEADER_NUMBER = 100;

/**
 * The content of a normal log entry. One object serves all members of a simulation. Each of their logs has it write its
 * bytes straight into the log's own buffer; it is decoded once, when it came from a disk or a real wire. An entry holds
 * one request beside its id, and is kept and written as that: the general message has a dozen absent fields.
 */
export class Payload implements OpaqueData {
  readonly sizeBytes: number;
  /** These three are null when there are bytes instead. */
  readonly #id: RequestId | null;
  readonly #kind: Kind | null;
  readonly #one: unknown;
  readonly #bytes: Uint8Array | null;
  #request: InternalRaftRequest | null = null;
  #putKey: string | null = null;

  private constructor(
    sizeBytes: number,
    id: RequestId | null,
    kind: Kind | null,
    one: unknown,
    bytes: Uint8Array | null,
  ) {
    this.sizeBytes = sizeBytes;
    this.#id = id;
    this.#kind = kind;
    this.#one = one;
    this.#bytes = bytes;
  }

  static ofRequest<N extends RequestName>(id: RequestId, name: N, one: RequestOf<N>): Payload {
    const kind: Kind = KINDS[name];
    const sizeBytes =
      varintSizeBytes(HEADER_NUMBER * 8) +
      delimitedSizeBytes(ID_HEADER.sizeBytes(id)) +
      varintSizeBytes(kind.number * 8) +
      delimitedSizeBytes(kind.type.sizeBytes(one));
    return new Payload(sizeBytes, id, kind, one, null);
  }

  static ofBytes(bytes: Uint8Array): Payload {
    return new Payload(bytes.length, null, null, null, bytes);
  }

  /** The general message. Of a put nobody needs it but an observer. */
  get request(): InternalRaftRequest {
    this.#request ??= this.#bytes === null ? this.#general() : InternalRaftRequest.decode(this.#bytes);
    return this.#request;
  }

  #general(): InternalRaftRequest {
    const header = { id: this.#id!.text, username: '', authRevision: 0 };
    return InternalRaftRequest.of({ header, [this.#kind!.name]: this.#one });
  }

  get id(): RequestId {
    return this.#id ?? RequestId.parse(this.request.header!.id);
  }

  /** Null when the request is another one. */
  get put(): PutRequest | null {
    if (this.#kind === null) return this.request.put;
    return this.#kind === KINDS.put ? (this.#one as PutRequest) : null;
  }

  /** The key that a put writes, as stores have it: one text for all members that share this object. */
  get putKey(): string {
    this.#putKey ??= keyOf(this.put!.key);
    return this.#putKey;
  }

  /** Writes the bytes. Backwards, as the writer goes: the higher field number first. */
  writeTo(out: ReverseWriter): void {
    if (this.#bytes !== null) {
      out.raw(this.#bytes);
      return;
    }
    const { number, type } = this.#kind!;
    if (number > HEADER_NUMBER) writeNested(out, number, type, this.#one);
    writeNested(out, HEADER_NUMBER, ID_HEADER, this.#id!);
    if (number < HEADER_NUMBER) writeNested(out, number, type, this.#one);
  }
}
