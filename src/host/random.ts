import { createHash, randomBytes } from 'node:crypto';
import { type Random, WordRandom } from '../platform/random.ts';

/** Real randomness at the root; below it a named stream is a function of the root's key and its name. */
export function createHostRandom(key: Uint8Array = randomBytes(32)): Random {
  return new HostRandom(key, '');
}

/** AES would do as well: SHA-256 of key, path and a counter, eight draws a block. */
class HostRandom extends WordRandom {
  readonly #key: Uint8Array;
  readonly #path: string;
  #block = new Uint32Array(0);
  #used = 0;
  #blocks = 0;

  constructor(key: Uint8Array, path: string) {
    super();
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

  stream(purpose: string): Random {
    return new HostRandom(this.#key, `${this.#path}/${purpose}`);
  }
}
