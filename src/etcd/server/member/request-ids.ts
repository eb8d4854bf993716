import type { Id64 } from '../../../api/etcd/kv.ts';

/** Low 40 bits of milliseconds, then eight bits that count. */
const SUFFIX_LIMIT = 0x1_0000_0000_0000;

/**
 * Ids for requests: two bytes of the member's id, five of the time when it started, one that counts and overflows into
 * the time (reference/etcd.md A1). Unique over members and restarts.
 */
export class RequestIds {
  readonly #prefix: string;
  #suffix: number;

  constructor(memberId: Id64, nowMs: number) {
    this.#prefix = memberId.slice(12);
    this.#suffix = (nowMs % 0x100_0000_0000) * 0x100;
  }

  next(): Id64 {
    this.#suffix = (this.#suffix + 1) % SUFFIX_LIMIT;
    return this.#prefix + this.#suffix.toString(16).padStart(12, '0');
  }
}
