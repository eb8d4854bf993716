import {
  ClusterMemberAttrSetRequest,
  ClusterVersionSetRequest,
  DowngradeInfoSetRequest,
  InternalRaftRequest,
  RequestHeader,
} from '../../../api/etcd/internal.ts';
import { CompactionRequest, DeleteRangeRequest, PutRequest, RangeRequest, TxnRequest } from '../../../api/etcd/kv.ts';
import { LeaseCheckpointRequest, LeaseGrantRequest, LeaseRevokeRequest } from '../../../api/etcd/lease.ts';
import { AlarmRequest } from '../../../api/etcd/maintenance.ts';
import type { OpaqueData } from '../../../raft/index.ts';
import type { MessageType } from '../../../rpc/message.ts';
import { delimitedSizeBytes, type ReverseWriter, varintSizeBytes } from '../../../rpc/wire.ts';
import { writeNested } from '../../../rpc/written-out.ts';
import { keyOf } from '../mvcc/keys.ts';

type RequestName = Exclude<keyof InternalRaftRequest, 'header'>;

/** Field number and type of each request that a log entry may hold. */
const REQUESTS: { readonly [N in RequestName]: readonly [number, MessageType<NonNullable<InternalRaftRequest[N]>>] } =
  Object.freeze({
    range: [3, RangeRequest],
    put: [4, PutRequest],
    deleteRange: [5, DeleteRangeRequest],
    txn: [6, TxnRequest],
    compaction: [7, CompactionRequest],
    leaseGrant: [8, LeaseGrantRequest],
    leaseRevoke: [9, LeaseRevokeRequest],
    alarm: [10, AlarmRequest],
    leaseCheckpoint: [11, LeaseCheckpointRequest],
    clusterVersionSet: [1300, ClusterVersionSetRequest],
    clusterMemberAttrSet: [1301, ClusterMemberAttrSetRequest],
    downgradeInfoSet: [1302, DowngradeInfoSetRequest],
  });
const HEADER_NUMBER = 100;
/** Copied for each request. */
const NO_REQUEST: Mutable<InternalRaftRequest> = InternalRaftRequest.of();

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The one request of an entry, while it is made. */
export type OneRequest = Partial<Omit<InternalRaftRequest, 'header'>>;

/**
 * The content of a normal log entry. One object serves all members of a simulation. Each of their logs has it write its
 * bytes straight into the log's own buffer; it is decoded once, when it came from a disk or a real wire. An entry holds
 * one request beside its header, so the encoding is written for just that: the general one asks a dozen absent fields.
 */
export class Payload implements OpaqueData {
  readonly sizeBytes: number;
  readonly #name: RequestName | null;
  #request: InternalRaftRequest | null;
  /** As they were read. */
  readonly #bytes: Uint8Array | null;
  #putKey: string | null = null;

  private constructor(
    request: InternalRaftRequest | null,
    name: RequestName | null,
    bytes: Uint8Array | null,
    sizeBytes: number,
  ) {
    this.#request = request;
    this.#name = name;
    this.#bytes = bytes;
    this.sizeBytes = sizeBytes;
  }

  static ofRequest(header: RequestHeader, one: OneRequest): Payload {
    const name = Object.keys(one)[0] as RequestName;
    const [number, type] = REQUESTS[name] as readonly [number, MessageType<unknown>];
    const size =
      varintSizeBytes(HEADER_NUMBER * 8) +
      delimitedSizeBytes(RequestHeader.sizeBytes(header)) +
      varintSizeBytes(number * 8) +
      delimitedSizeBytes(type.sizeBytes(one[name]));
    // Spelled out: the general way makes two more objects, and every write passes here.
    const request = { ...NO_REQUEST };
    request.header = header;
    (request as Record<string, unknown>)[name] = one[name];
    return new Payload(request, name, null, size);
  }

  static ofBytes(bytes: Uint8Array): Payload {
    return new Payload(null, null, bytes, bytes.length);
  }

  get request(): InternalRaftRequest {
    if (this.#request === null) this.#request = InternalRaftRequest.decode(this.#bytes!);
    return this.#request;
  }

  /** The key that a put writes, as stores have it: one text for all members that share this object. */
  get putKey(): string | null {
    const { put } = this.request;
    if (put === null) return null;
    this.#putKey ??= keyOf(put.key);
    return this.#putKey;
  }

  /** Writes the bytes. Backwards, as the writer goes: the higher field number first. */
  writeTo(out: ReverseWriter): void {
    if (this.#bytes !== null) {
      out.raw(this.#bytes);
      return;
    }
    const request = this.#request!;
    const name = this.#name!;
    const [number, type] = REQUESTS[name] as readonly [number, MessageType<unknown>];
    if (number > HEADER_NUMBER) writeNested(out, number, type, request[name]);
    writeNested(out, HEADER_NUMBER, RequestHeader, request.header!);
    if (number < HEADER_NUMBER) writeNested(out, number, type, request[name]);
  }
}
