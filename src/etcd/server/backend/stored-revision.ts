import { KeyValue, NO_LEASE } from '../../../api/etcd/kv.ts';
import { type Nestable, nested, uint64 } from '../../../rpc/fields.ts';
import { message } from '../../../rpc/message.ts';
import {
  DELIMITED,
  delimitedSizeBytes,
  type Reader,
  type ReverseWriter,
  VARINT,
  varintSizeBytes,
} from '../../../rpc/wire.ts';

/** One change of one key as it is stored. */
export interface StoredRevision {
  readonly sub: number;
  readonly kv: KeyValue | null;
}

/** The description, for whatever is not written by hand. */
const Described = message('talosim.etcd.StoredRevision', { sub: uint64(1), kv: nested(2, KeyValue) });

/** A revision in a commit. Its encoding is written out: every change of every member passes here. */
export const StoredRevision: Nestable<StoredRevision> = Object.freeze({
  sizeBytes: ({ sub, kv }: StoredRevision) =>
    kv === null ? Described.sizeBytes({ sub, kv }) : numberBytes(sub) + 1 + delimitedSizeBytes(keyValueBytes(kv)),
  writeTo: (out: ReverseWriter, revision: StoredRevision) => {
    const { sub, kv } = revision;
    if (kv === null) {
      Described.writeTo(out, revision);
      return;
    }
    const end = out.at;
    writeKeyValue(out, kv);
    out.varint(end - out.at);
    out.tag(2, DELIMITED);
    writeNumber(out, 1, sub);
  },
  readFrom: (input: Reader) => Described.readFrom(input),
});

function keyValueBytes(kv: KeyValue): number {
  const { key, value } = kv;
  const text =
    (key.length === 0 ? 0 : 1 + delimitedSizeBytes(key.length)) +
    (value.length === 0 ? 0 : 1 + delimitedSizeBytes(value.length));
  const numbers = numberBytes(kv.createRevision) + numberBytes(kv.modRevision) + numberBytes(kv.version);
  return text + numbers + (kv.lease === NO_LEASE ? 0 : KeyValue.shape.lease!.sizeBytes(kv.lease));
}

function writeKeyValue(out: ReverseWriter, kv: KeyValue): void {
  if (kv.lease !== NO_LEASE) KeyValue.shape.lease!.write(out, kv.lease);
  writeBytes(out, 5, kv.value);
  writeNumber(out, 4, kv.version);
  writeNumber(out, 3, kv.modRevision);
  writeNumber(out, 2, kv.createRevision);
  writeBytes(out, 1, kv.key);
}

/** A number that is never negative, with its tag; nothing for 0. */
function numberBytes(value: number): number {
  return value === 0 ? 0 : 1 + varintSizeBytes(value);
}

function writeNumber(out: ReverseWriter, number: number, value: number): void {
  if (value === 0) return;
  out.varint(value);
  out.tag(number, VARINT);
}

function writeBytes(out: ReverseWriter, number: number, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  out.raw(bytes);
  out.varint(bytes.length);
  out.tag(number, DELIMITED);
}
