import { Bug } from './errors.ts';

const WORD = 0x1_0000_0000;
const PARTS = 1_000_000;

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

/** Everything that is drawn, from a source of 32-bit words; the same words give the same draws in both worlds. */
export abstract class WordRandom implements Random {
  abstract uint32(): number;
  abstract stream(purpose: string): Random;

  int(min: number, max: number): number {
    const span = max - min + 1;
    if (!(span >= 1 && Number.isSafeInteger(min) && Number.isSafeInteger(span))) {
      throw new Bug(`draw from [${min}, ${max}]`);
    }
    if (span === 1) return min;
    return min + (span <= WORD ? this.#below(span) : this.#belowWide(span));
  }

  /** Uniform in [0, span) by rejection, span at most 2^32. */
  #below(span: number): number {
    const limit = WORD - (WORD % span);
    for (;;) {
      const word = this.uint32();
      if (word < limit) return word % span;
    }
  }

  /** Uniform in [0, span) for spans up to 2^53: 53 bits from two draws, rejected beyond the largest multiple. */
  #belowWide(span: number): number {
    const limit = Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % span);
    for (;;) {
      const high = this.uint32() & 0x1f_ffff;
      const wide = high * WORD + this.uint32();
      if (wide < limit) return wide % span;
    }
  }

  chance(partsPerMillion: number): boolean {
    if (partsPerMillion <= 0) return false;
    if (partsPerMillion >= PARTS) return true;
    return this.#below(PARTS) < partsPerMillion;
  }

  bytes(count: number): Uint8Array {
    const out = new Uint8Array(count);
    for (let at = 0; at < count; at += 4) {
      let word = this.uint32();
      for (let i = at; i < Math.min(at + 4, count); i++) {
        out[i] = word & 0xff;
        word >>>= 8;
      }
    }
    return out;
  }
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
