import { createHash, randomBytes } from 'node:crypto';
import type { Random } from '../platform/random.ts';

const TWO_32 = 0x1_0000_0000;
const MILLION = 1_000_000;

/** Real randomness at the root; below it a named stream is a function of the root's key and its name. */
export function createHostRandom(key: Uint8Array = randomBytes(32)): Random {
  return new HostRandom(key, '');
}

/** AES would do as well: SHA-256 of key, path and a counter, eight draws a block. */
class HostRandom implements Random {
  readonly #key: Uint8Array;
  readonly #path: string;
  #block = new Uint32Array(0);
  #used = 0;
  #blocks = 0;

  constructor(key: Uint8Array, path: string) {
    this.#key = key;
    this.#path = path;
  }

  uint32(): number {
    if (this.#used === this.#block.length) this.#refill();
    return this.#block[this.#used++]!;
  }

  #refill(): void {
    const hash = createHash('sha256')
      .update(this.#key)
      .update(`${this.#path}\n${this.#blocks++}`)
      .digest();
    this.#block = new Uint32Array(hash.buffer.slice(hash.byteOffset, hash.byteOffset + hash.length));
    this.#used = 0;
  }

  int(min: number, max: number): number {
    const span = max - min + 1;
    if (span <= TWO_32) return min + this.#below(span);
    const high = Math.floor(span / TWO_32) + 1;
    for (;;) {
      const value = this.#below(high) * TWO_32 + this.uint32();
      if (value < span) return min + value;
    }
  }

  /** Uniform in [0, span): draws that would favour small values are thrown away. */
  #below(span: number): number {
    const limit = TWO_32 - (TWO_32 % span);
    for (;;) {
      const value = this.uint32();
      if (value < limit) return value % span;
    }
  }

  chance(partsPerMillion: number): boolean {
    return this.#below(MILLION) < partsPerMillion;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.uint32() & 0xff);
  }

  stream(purpose: string): Random {
    return new HostRandom(this.#key, `${this.#path}/${purpose}`);
  }
}
