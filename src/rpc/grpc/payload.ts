import { invariant } from '../../platform/errors.ts';
import type { Codec } from '../../platform/rpc.ts';
import { rawCodec } from '../raw.ts';

/**
 * A message on its way. It travels by reference and is encoded only for a reader that knows another description of it
 * (a proxy that forwards bytes, for instance).
 */
export class Payload {
  readonly message: unknown;
  /** Of the encoded message, without gRPC's prefix. */
  readonly sizeBytes: number;
  readonly #codec: Codec<unknown>;

  constructor(codec: Codec<unknown>, message: unknown, strictWire: boolean) {
    this.#codec = codec;
    this.sizeBytes = codec.sizeBytes(message);
    this.message = strictWire ? roundTrip(codec, message, this.sizeBytes) : message;
  }

  bytes(): Uint8Array {
    return this.#codec.encode(this.message);
  }

  /** The message as `codec` describes it. Throws DecodeError when its bytes do not fit that description. */
  readAs(codec: Codec<unknown>): unknown {
    return codec === this.#codec ? this.message : codec.decode(this.bytes());
  }
}

/** A message that arrived as bytes. */
export function payloadOfBytes(bytes: Uint8Array): Payload {
  return new Payload(rawCodec as Codec<unknown>, bytes, false);
}

function roundTrip(codec: Codec<unknown>, message: unknown, sizeBytes: number): unknown {
  const bytes = codec.encode(message);
  invariant(
    bytes.length === sizeBytes,
    `${codec.typeName}: sizeBytes says ${sizeBytes}, encoding takes ${bytes.length} bytes`,
  );
  return codec.decode(bytes);
}
