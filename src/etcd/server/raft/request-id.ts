import type { Id64 } from '../../../api/etcd/kv.ts';
import { type ReverseWriter, VARINT, varint64SizeBytes } from '../../../rpc/wire.ts';
import type { Encoding } from '../../../rpc/written-out.ts';

/**
 * The id of a request on its way through the log. It is kept in two halves of 32 bits, signed, so that they are small
 * integers: with every write an id is made, encoded and looked for, and its text only where somebody prints it.
 */
export class RequestId {
  readonly high: number;
  readonly low: number;

  constructor(high: number, low: number) {
    this.high = high | 0;
    this.low = low | 0;
  }

  static parse(text: Id64): RequestId {
    return new RequestId(Number.parseInt(text.slice(0, 8), 16), Number.parseInt(text.slice(8), 16));
  }

  get text(): Id64 {
    return hex32(this.high) + hex32(this.low);
  }

  /** The two bytes that name the member that made it. */
  get origin(): number {
    return this.high >>> 16;
  }

  /** Its position in the order of that member: all the other bytes. */
  get ordinal(): number {
    return (this.high & 0xffff) * 0x1_0000_0000 + (this.low >>> 0);
  }
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** The header of a request (`RequestHeader`) as long as nobody authenticates: nothing but an id. */
export const ID_HEADER: Encoding<RequestId> = Object.freeze({
  sizeBytes: ({ high, low }: RequestId) => (high === 0 && low === 0 ? 0 : 1 + varint64SizeBytes(high, low)),
  writeTo: (out: ReverseWriter, { high, low }: RequestId) => {
    if (high === 0 && low === 0) return;
    out.varint64(high, low);
    out.tag(1, VARINT);
  },
});
