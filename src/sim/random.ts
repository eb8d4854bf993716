import seedrandom from 'seedrandom';
import { Bug, invariant } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';

const WORD = 0x1_0000_0000;
const PARTS = 1_000_000;

/**
 * A keyed stream: what it draws is a function of (seed, owner path, ordinal of the draw). Only 32-bit draws of the
 * `alea` generator are used (reference/ecosystem.md section 5: mixing widths shifts the stream). The generator is made
 * at the first draw, since most streams are never drawn from.
 */
export class KeyedRandom implements Random {
  readonly #seed: string;
  readonly #path: string;
  #generator: { int32(): number } | undefined;

  /** `seed` is the run's seed, not empty; `path` names the owner and the purpose. */
  constructor(seed: string, path: string) {
    invariant(seed !== '', 'a seed must not be empty');
    this.#seed = seed;
    this.#path = path;
  }

  uint32(): number {
    this.#generator ??= seedrandom.alea(`${this.#seed}\u0000${this.#path}`);
    return this.#generator.int32() >>> 0;
  }

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

  stream(purpose: string): Random {
    return new KeyedRandom(this.#seed, `${this.#path}/${purpose}`);
  }
}
