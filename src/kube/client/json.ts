import { utf8Decode, utf8Encode, utf8SizeBytes } from '../../platform/bytes.ts';
import type { Codec } from '../../platform/rpc.ts';

/** JSON bodies of the Kubernetes API. Values are immutable and travel by reference where they can. */
export const jsonCodec: Codec<unknown> = Object.freeze({
  typeName: 'application/json',
  encode: (value: unknown) => utf8Encode(JSON.stringify(value)),
  decode: (bytes: Uint8Array) => JSON.parse(utf8Decode(bytes)) as unknown,
  sizeBytes: (value: unknown) => utf8SizeBytes(JSON.stringify(value)),
});
