import { REQUEST_BURST, REQUESTS_PER_SECOND } from './limits.ts';

const US_PER_REQUEST = Math.floor(1_000_000 / REQUESTS_PER_SECOND);

/**
 * Requests per client address: a bucket of {@link REQUEST_BURST} that refills at {@link REQUESTS_PER_SECOND}. Kept as the
 * time at which the bucket would be full again.
 */
export class RateLimiter {
  readonly #fullAtUs = new Map<string, number>();

  /** How long a request has to wait; -1 when that is longer than `patienceUs`, and then it does not count. */
  reserve(address: string, nowUs: number, patienceUs: number): number {
    const fullAtUs = Math.max(nowUs, this.#fullAtUs.get(address) ?? 0) + US_PER_REQUEST;
    const waitUs = Math.max(0, fullAtUs - nowUs - REQUEST_BURST * US_PER_REQUEST);
    if (waitUs > patienceUs) return -1;
    this.#fullAtUs.set(address, fullAtUs);
    return waitUs;
  }

  /** Forgets addresses whose bucket is full. */
  collect(nowUs: number): void {
    for (const [address, fullAtUs] of this.#fullAtUs) if (fullAtUs <= nowUs) this.#fullAtUs.delete(address);
  }
}
