/** SHA-512 (FIPS 180-4) on big integers: slow, and only used to read real Ed25519 keys that an operator brings along. */

const MASK = 0xffffffffffffffffn;

/** The first `count` primes; constants of the hash are fractions of their roots. */
function primes(count: number): bigint[] {
  const found: bigint[] = [];
  for (let candidate = 2n; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0n)) found.push(candidate);
  }
  return found;
}

/** First 64 bits of the fractional part of the square (`degree` 2) or cube (3) root. */
function rootFraction(prime: bigint, degree: 2 | 3): bigint {
  const scaled = degree === 2 ? prime << 128n : prime << 192n;
  let low = 0n;
  let high = 1n << 73n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    const power = degree === 2 ? middle * middle : middle * middle * middle;
    if (power <= scaled) low = middle;
    else high = middle;
  }
  return low & MASK;
}

const INITIAL: readonly bigint[] = Object.freeze(primes(8).map((prime) => rootFraction(prime, 2)));
const ROUND: readonly bigint[] = Object.freeze(primes(80).map((prime) => rootFraction(prime, 3)));

export function sha512(data: Uint8Array): Uint8Array {
  const state = [...INITIAL];
  const padded = withPadding(data);
  for (let offset = 0; offset < padded.length; offset += 128) compress(state, padded, offset);
  const out = new Uint8Array(64);
  const view = new DataView(out.buffer);
  for (let i = 0; i < 8; i++) view.setBigUint64(i * 8, state[i]!);
  return out;
}

function withPadding(data: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor((data.length + 16) / 128) + 1) * 128);
  padded.set(data);
  padded[data.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(data.length) * 8n);
  return padded;
}

function compress(state: bigint[], bytes: Uint8Array, offset: number): void {
  const view = new DataView(bytes.buffer, offset, 128);
  const words: bigint[] = [];
  for (let i = 0; i < 16; i++) words.push(view.getBigUint64(i * 8));
  for (let i = 16; i < 80; i++) {
    const a = words[i - 15]!;
    const b = words[i - 2]!;
    const s0 = rotate(a, 1n) ^ rotate(a, 8n) ^ (a >> 7n);
    const s1 = rotate(b, 19n) ^ rotate(b, 61n) ^ (b >> 6n);
    words.push((words[i - 16]! + s0 + words[i - 7]! + s1) & MASK);
  }
  let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
  for (let i = 0; i < 80; i++) {
    const s1 = rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n);
    const t1 = h + s1 + ((e & f) ^ ((e ^ MASK) & g)) + ROUND[i]! + words[i]!;
    const s0 = rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n);
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) & MASK, c, b, a, (t1 + t2) & MASK];
  }
  const next = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = (state[i]! + next[i]!) & MASK;
}

function rotate(word: bigint, count: bigint): bigint {
  return ((word >> count) | (word << (64n - count))) & MASK;
}
