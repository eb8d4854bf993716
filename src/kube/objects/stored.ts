import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import type { KubeObject } from './object.ts';

/** What etcd holds under a key. */
export interface StoredValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly modRevision: number;
}

/**
 * The stored form of an object, which remembers what it reads as: in a simulation the same bytes go by reference to every
 * API server that watches them, and one reading serves all. Bytes that came over a wire or a disk are plain.
 */
class StoredBytes extends Uint8Array {
  object: KubeObject | undefined;
}

/** The stored form carries no resourceVersion: that is the revision of the key. */
export function encodeObject(object: KubeObject): Uint8Array {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  const bytes = utf8Encode(JSON.stringify({ ...object, metadata }));
  return new StoredBytes(bytes);
}

/** The object, at the revision at which the value was written. */
export function decodeObject(stored: StoredValue): KubeObject {
  const { value, modRevision } = stored;
  if (!(value instanceof StoredBytes)) return withVersion(parse(value), modRevision);
  const known = value.object;
  if (known?.metadata.resourceVersion === String(modRevision)) return known;
  value.object = withVersion(known ?? parse(value), modRevision);
  return value.object;
}

export function withVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function parse(value: Uint8Array): KubeObject {
  return JSON.parse(utf8Decode(value)) as KubeObject;
}
