import type { Random } from '../platform/random.ts';

/** Pauses of go-retry's exponential: (2ⁿ−1)/2 units after the n-th failure: 0, 1, 3, 7, 15 … (reference/controllers.md C.7). */
export function exponentialUnits(unitUs: number): (attempt: number) => number {
  return (attempt) => {
    let units = 1;
    for (let i = 0; i < attempt && units < 0x100000; i++) units *= 2;
    return Math.floor((units - 1) / 2) * unitUs;
  };
}

/** Pauses of go-retry's constant: always the same plus a random part below `jitterUs`. */
export function constantPause(random: Random, pauseUs: number, jitterUs: number): () => number {
  return () => pauseUs + (jitterUs > 0 ? random.int(0, jitterUs - 1) : 0);
}
