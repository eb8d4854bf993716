import {
  bytesSizeBytes,
  type Encoding,
  flagSizeBytes,
  idSizeBytes,
  nestedSizeBytes,
  numberSizeBytes,
  writeBytes,
  writeFlag,
  writeId,
  writeNested,
  writeNumber,
} from '../../rpc/written-out.ts';
import type { KeyValue, PutRequest, PutResponse, ResponseHeader } from './kv.ts';

/** The encodings of what every write passes through, written out. They are what the descriptions of the messages say. */

export const RESPONSE_HEADER: Encoding<ResponseHeader> = Object.freeze({
  sizeBytes: ({ clusterId, memberId, revision, raftTerm }: ResponseHeader) =>
    idSizeBytes(clusterId) + idSizeBytes(memberId) + numberSizeBytes(revision) + numberSizeBytes(raftTerm),
  writeTo: (out, header) => {
    writeNumber(out, 4, header.raftTerm);
    writeNumber(out, 3, header.revision);
    writeId(out, 2, header.memberId);
    writeId(out, 1, header.clusterId);
  },
} satisfies Encoding<ResponseHeader>);

export const KEY_VALUE: Encoding<KeyValue> = Object.freeze({
  sizeBytes: ({ key, createRevision, modRevision, version, value, lease }: KeyValue) =>
    bytesSizeBytes(key) +
    numberSizeBytes(createRevision) +
    numberSizeBytes(modRevision) +
    numberSizeBytes(version) +
    bytesSizeBytes(value) +
    idSizeBytes(lease),
  writeTo: (out, kv) => {
    writeId(out, 6, kv.lease);
    writeBytes(out, 5, kv.value);
    writeNumber(out, 4, kv.version);
    writeNumber(out, 3, kv.modRevision);
    writeNumber(out, 2, kv.createRevision);
    writeBytes(out, 1, kv.key);
  },
} satisfies Encoding<KeyValue>);

export const PUT_REQUEST: Encoding<PutRequest> = Object.freeze({
  sizeBytes: ({ key, value, lease, prevKv, ignoreValue, ignoreLease }: PutRequest) =>
    bytesSizeBytes(key) +
    bytesSizeBytes(value) +
    idSizeBytes(lease) +
    flagSizeBytes(prevKv) +
    flagSizeBytes(ignoreValue) +
    flagSizeBytes(ignoreLease),
  writeTo: (out, put) => {
    writeFlag(out, 6, put.ignoreLease);
    writeFlag(out, 5, put.ignoreValue);
    writeFlag(out, 4, put.prevKv);
    writeId(out, 3, put.lease);
    writeBytes(out, 2, put.value);
    writeBytes(out, 1, put.key);
  },
} satisfies Encoding<PutRequest>);

export const PUT_RESPONSE: Encoding<PutResponse> = Object.freeze({
  sizeBytes: ({ header, prevKv }: PutResponse) =>
    (header === null ? 0 : nestedSizeBytes(RESPONSE_HEADER, header)) +
    (prevKv === null ? 0 : nestedSizeBytes(KEY_VALUE, prevKv)),
  writeTo: (out, { header, prevKv }) => {
    if (prevKv !== null) writeNested(out, 2, KEY_VALUE, prevKv);
    if (header !== null) writeNested(out, 1, RESPONSE_HEADER, header);
  },
} satisfies Encoding<PutResponse>);
