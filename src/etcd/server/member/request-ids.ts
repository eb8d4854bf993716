import type { Id64 } from '../../../api/etcd/kv.ts';
import { RequestId } from '../raft/request-id.ts';

/** Low 40 bits of milliseconds, then eight bits that count. */
const SUFFIX_LIMIT = 0x1_0000_0000_0000;

/**
 * Ids for requests: two bytes of the member's id, five of the time when it started, one that counts and overflows into
 * the time (reference/etcd.md A1). Unique over members and restarts.
 */
export class RequestIds {
  readonly #origin: number;
  #suffix: number;

  constructor(memberId: Id64, nowMs: number) {
    this.#origin = Number.parseInt(memberId.slice(12), 16);
    this.#suffix = (nowMs % 0x100_0000_0000) * 0x100;
  }

  next(): RequestId {
    this.#suffix = (this.#suffix + 1) % SUFFIX_LIMIT;
    return new RequestId((this.#origin << 16) | Math.floor(this.#suffix / 0x1_0000_0000), this.#suffix);
  }

  /** Whether an id is one of this member's. */
  isOwn(id: RequestId): boolean {
    return id.origin === this.#origin;
  }
}
