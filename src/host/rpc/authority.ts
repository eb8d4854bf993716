/**
 * etcdctl 3.4 names a server that it asks alone by its whole URL, `http://10.0.0.10:2379`. Go's servers do not look at
 * that; Node's HTTP/2 gives the call up before anybody sees it. So the URL is cut down to what it should be.
 */

/** Characters of HPACK's Huffman code by the length of their codes; codes of one length follow each other (RFC 7541 B). */
const CODES: readonly { readonly bits: number; readonly first: number; readonly characters: string }[] = [
  { bits: 5, first: 0x0, characters: '012aceiost' },
  { bits: 6, first: 0x14, characters: ' %-./3456789=A_bdfghlmnpru' },
  { bits: 7, first: 0x5c, characters: ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz' },
  { bits: 8, first: 0xf8, characters: '&*,;XZ' },
  { bits: 13, first: 0x1ff9, characters: '$@[]~' },
];
const MAX_PADDING_BITS = 7;
/** Index of `:authority` in HPACK's static table. */
const AUTHORITY = 1;

/** Text of a Huffman coded string; null when it has characters that no host name has. */
export function huffmanText(bytes: Uint8Array): string | null {
  let text = '';
  let code = 0;
  let bits = 0;
  for (let at = 0; at < bytes.length * 8; at++) {
    code = (code << 1) | ((bytes[at >> 3]! >> (7 - (at & 7))) & 1);
    bits++;
    const found = CODES.find((group) => group.bits === bits && code - group.first < group.characters.length);
    if (found !== undefined && code >= found.first) {
      text += found.characters[code - found.first]!;
      code = 0;
      bits = 0;
    } else if (bits > 13) return null;
  }
  return bits <= MAX_PADDING_BITS && code === (1 << bits) - 1 ? text : null;
}

/** Reads a header block as far as its structure goes. */
class BlockReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.#bytes.length;
  }

  peek(): number {
    return this.#bytes[this.at] ?? 0;
  }

  /** An integer that begins in the low bits of a byte. */
  integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = this.#next() & most;
    if (value < most) return value;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#next();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80 || shift > 21) return value;
    }
  }

  /** A string, null when it cannot be read. */
  string(): string | null {
    const isCoded = this.peek() >= 0x80;
    const sizeBytes = this.integer(7);
    const bytes = this.#bytes.subarray(this.at, this.at + sizeBytes);
    this.at += sizeBytes;
    return isCoded ? huffmanText(bytes) : Buffer.from(bytes).toString('latin1');
  }

  #next(): number {
    return this.#bytes[this.at++] ?? 0;
  }
}

/** A header block whose authority has no scheme; the block as it was when there is nothing to cut. */
export function withPlainAuthority(block: Uint8Array): Uint8Array {
  const reader = new BlockReader(block);
  while (!reader.done) {
    const byte = reader.peek();
    if (byte >= 0x80) reader.integer(7);
    else if ((byte & 0xe0) === 0x20) reader.integer(5);
    else {
      const name = reader.integer((byte & 0xc0) === 0x40 ? 6 : 4);
      if (name === 0) reader.string();
      const from = reader.at;
      const value = reader.string();
      if (name !== AUTHORITY || value === null) continue;
      const plain = /^[a-z]+:\/\/([^/]*)/.exec(value)?.[1];
      if (plain === undefined || plain.length > 126) return block;
      return Buffer.concat([
        block.subarray(0, from),
        Buffer.from([plain.length]),
        Buffer.from(plain, 'latin1'),
        block.subarray(reader.at),
      ]);
    }
  }
  return block;
}
