import type { Random } from '../../platform/random.ts';

const INITIAL_US = 500_000;
const MAXIMUM_US = 60_000_000;

/** Pauses between restarts: 0.5 s × 1.5 up to 60 s, each ± 50 % around the capped value (reference/controllers.md A.6). */
export class RestartBackoff {
  #random: Random;
  #intervalUs = INITIAL_US;

  constructor(random: Random) {
    this.#random = random;
  }

  nextUs(): number {
    const intervalUs = this.#intervalUs;
    this.#intervalUs = Math.min(Math.round(intervalUs * 1.5), MAXIMUM_US);
    const half = Math.floor(intervalUs / 2);
    return this.#random.int(intervalUs - half, intervalUs + half);
  }

  reset(): void {
    this.#intervalUs = INITIAL_US;
  }
}
