/**
 * A stream of draws. In a simulation a draw is a function of (seed, purpose, owner path, ordinal in that owner), so an
 * owner whose own inputs did not change draws the same, whatever else is added or removed.
 */
export interface Random {
  /** Uniform 32-bit unsigned integer. */
  uint32(): number;
  /** Uniform integer in [min, max], both included. */
  int(min: number, max: number): number;
  /** True with probability `partsPerMillion` / 1,000,000. */
  chance(partsPerMillion: number): boolean;
  /** `count` random bytes. Not for keys: those come from the crypto port. */
  bytes(count: number): Uint8Array;
  /** A stream of its own, named below this one. The same name twice gives the same stream from its start. */
  stream(purpose: string): Random;
}

/** Fisher–Yates on a copy. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.int(0, i);
    const other = result[j]!;
    result[j] = result[i]!;
    result[i] = other;
  }
  return result;
}
