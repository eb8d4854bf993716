import { KEY_VALUE } from '../../../api/etcd/encodings.ts';
import { KeyValue } from '../../../api/etcd/kv.ts';
import { nested, uint64 } from '../../../rpc/fields.ts';
import { type MessageType, message } from '../../../rpc/message.ts';
import { type Encoding, nestedSizeBytes, numberSizeBytes, writeNested, writeNumber } from '../../../rpc/written-out.ts';

/** One change of one key as it is stored. */
export interface StoredRevision {
  readonly sub: number;
  readonly kv: KeyValue | null;
}

/** Every change of every member passes here. */
const ENCODING: Encoding<StoredRevision> = Object.freeze({
  sizeBytes: ({ sub, kv }: StoredRevision) => numberSizeBytes(sub) + (kv === null ? 0 : nestedSizeBytes(KEY_VALUE, kv)),
  writeTo: (out, { sub, kv }) => {
    if (kv !== null) writeNested(out, 2, KEY_VALUE, kv);
    writeNumber(out, 1, sub);
  },
} satisfies Encoding<StoredRevision>);

/** A revision in a commit. */
export const StoredRevision: MessageType<StoredRevision> = message(
  'talosim.etcd.StoredRevision',
  { sub: uint64(1), kv: nested(2, KeyValue) },
  ENCODING,
);
