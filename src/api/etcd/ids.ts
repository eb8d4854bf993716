import type { Id64, LeaseId } from './kv.ts';

/** Ids as etcd and its tools print and read them; in messages they are sixteen hexadecimal digits. */

/** Hexadecimal without leading zeros (`%x`). */
export function shortId(id: Id64): string {
  return id.replace(/^0+(?=.)/, '');
}

/** An unsigned decimal number, as ids appear in JSON and in protobuf text. */
export function decimalId(id: Id64): string {
  return BigInt(`0x${id}`).toString();
}

/** The signed number that a lease id stands for. */
export function leaseNumber(lease: LeaseId): bigint {
  return BigInt.asIntN(64, BigInt(`0x${lease}`));
}

/** Reads an id that somebody typed in hexadecimal; null when it is none. */
export function parseId(text: string): Id64 | null {
  return /^[0-9a-fA-F]{1,16}$/.test(text) ? text.toLowerCase().padStart(16, '0') : null;
}
