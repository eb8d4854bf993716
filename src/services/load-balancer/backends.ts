import type { Endpoint } from '../../platform/net.ts';

/** Backends in the order of the command line, and which of them answer. */
export class BackendList {
  readonly all: readonly Endpoint[];
  readonly #healthy: boolean[];
  #last = -1;

  /** All count as unhealthy until their first check. */
  constructor(backends: readonly Endpoint[]) {
    this.all = backends;
    this.#healthy = backends.map(() => false);
  }

  isHealthy(index: number): boolean {
    return this.#healthy[index] === true;
  }

  /** True when this changed something. */
  setHealthy(index: number, healthy: boolean): boolean {
    if (this.#healthy[index] === healthy) return false;
    this.#healthy[index] = healthy;
    return true;
  }

  /** The healthy backend whose turn it is; undefined when there is none. */
  next(): Endpoint | undefined {
    for (let step = 1; step <= this.all.length; step++) {
      const index = (this.#last + step) % this.all.length;
      if (!this.isHealthy(index)) continue;
      this.#last = index;
      return this.all[index];
    }
    return undefined;
  }
}
