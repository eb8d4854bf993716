import seedrandom from 'seedrandom';
import { invariant } from '../platform/errors.ts';
import { type Random, WordRandom } from '../platform/random.ts';

/**
 * A keyed stream: what it draws is a function of (seed, owner path, ordinal of the draw). Only 32-bit draws of the
 * `alea` generator are used (reference/ecosystem.md section 5: mixing widths shifts the stream). The generator is made
 * at the first draw, since most streams are never drawn from.
 */
export class KeyedRandom extends WordRandom {
  readonly #seed: string;
  readonly #path: string;
  #generator: { int32(): number } | undefined;

  /** `seed` is the run's seed, not empty; `path` names the owner and the purpose. */
  constructor(seed: string, path: string) {
    super();
    invariant(seed !== '', 'a seed must not be empty');
    this.#seed = seed;
    this.#path = path;
  }

  uint32(): number {
    this.#generator ??= seedrandom.alea(`${this.#seed}\u0000${this.#path}`);
    return this.#generator.int32() >>> 0;
  }

  stream(purpose: string): Random {
    return new KeyedRandom(this.#seed, `${this.#path}/${purpose}`);
  }
}
