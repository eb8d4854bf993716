import type { Codec, Method } from '../platform/rpc.ts';

/** Bytes as they are, for a proxy that forwards messages unread. */
export const rawCodec: Codec<Uint8Array> = Object.freeze({
  typeName: 'raw',
  encode: (bytes: Uint8Array) => bytes,
  decode: (bytes: Uint8Array) => bytes,
  sizeBytes: (bytes: Uint8Array) => bytes.length,
});

/**
 * A method seen by a proxy. A server hands it calls through `unknownMethod` with the path as metadata `:path`; whatever
 * the real kind, the proxy treats it as a stream of messages each way.
 */
export function rawMethod(path: string): Method<Uint8Array, Uint8Array> {
  return { path, kind: 'bidi', request: rawCodec, response: rawCodec };
}
