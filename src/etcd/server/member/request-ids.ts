import type { Id64 } from '../../../api/etcd/kv.ts';
import { hexDigit } from '../../../platform/bytes.ts';

/** Those of a member's own two bytes. */
const PREFIX_DIGITS = 4;
/** Low 40 bits of milliseconds, then eight bits that count. */
const SUFFIX_LIMIT = 0x1_0000_0000_0000;

/**
 * Ids for requests: two bytes of the member's id, five of the time when it started, one that counts and overflows into
 * the time (reference/etcd.md A1). Unique over members and restarts.
 */
export class RequestIds {
  readonly #prefix: string;
  #suffix: number;
  /** The upper half of the suffix, and its text behind the prefix. */
  #high = -1;
  #highText = '';

  constructor(memberId: Id64, nowMs: number) {
    this.#prefix = memberId.slice(-PREFIX_DIGITS);
    this.#suffix = (nowMs % 0x100_0000_0000) * 0x100;
  }

  next(): Id64 {
    this.#suffix = (this.#suffix + 1) % SUFFIX_LIMIT;
    const high = Math.floor(this.#suffix / 0x100_0000);
    if (high !== this.#high) {
      this.#high = high;
      this.#highText = this.#prefix + hex24(high);
    }
    return this.#highText + hex24(this.#suffix % 0x100_0000);
  }

  /** Whether an id begins as this member's do: a request of another one is told at first sight. */
  mayBeOwn(id: Id64): boolean {
    for (let i = 0; i < PREFIX_DIGITS; i++) if (id.charCodeAt(i) !== this.#prefix.charCodeAt(i)) return false;
    return true;
  }
}

/** Position of an id in the order of its member: all but the two bytes that name the member. */
export function ordinalOf(id: Id64): number {
  let ordinal = 0;
  for (let i = PREFIX_DIGITS; i < 16; i++) ordinal = ordinal * 16 + hexDigit(id.charCodeAt(i));
  return ordinal;
}

/** Two digits of each byte. */
const BYTES: readonly string[] = Object.freeze(
  Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')),
);

function hex24(value: number): string {
  return BYTES[value >>> 16]! + BYTES[(value >>> 8) & 0xff]! + BYTES[value & 0xff]!;
}
