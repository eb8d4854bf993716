import { KeyValue } from '../../../api/etcd/kv.ts';
import { nested, uint64 } from '../../../rpc/fields.ts';
import { type MessageOf, message } from '../../../rpc/message.ts';

/** A change of one key in a commit, as it is stored. */
export const StoredRevision = message('talosim.etcd.StoredRevision', { sub: uint64(1), kv: nested(2, KeyValue) });
export type StoredRevision = MessageOf<typeof StoredRevision>;
