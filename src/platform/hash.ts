/**
 * SHA-1 and SHA-256 in plain TypeScript (FIPS 180-4), for the layers that may not reach a crypto library.
 * They name things (etcd member ids, host names, key ids); nothing secret depends on them.
 */

const SHA256_K: readonly number[] = Object.freeze(
  [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
  ].map((word) => word | 0),
);

/** SHA-256 of `data`: 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  const state = Int32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  const schedule = new Int32Array(64);
  const padded = withPadding(data);
  for (let offset = 0; offset < padded.length; offset += 64) {
    loadWords(schedule, padded, offset);
    for (let i = 16; i < 64; i++) {
      const a = schedule[i - 15]!;
      const b = schedule[i - 2]!;
      const s0 = rotateRight(a, 7) ^ rotateRight(a, 18) ^ (a >>> 3);
      const s1 = rotateRight(b, 17) ^ rotateRight(b, 19) ^ (b >>> 10);
      schedule[i] = schedule[i - 16]! + s0 + schedule[i - 7]! + s1;
    }
    compress256(state, schedule);
  }
  return toBytes(state);
}

function compress256(state: Int32Array, schedule: Int32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const choose = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choose + SHA256_K[i]! + schedule[i]!) | 0;
    const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}

/** SHA-1 of `data`: 20 bytes. */
export function sha1(data: Uint8Array): Uint8Array {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const schedule = new Int32Array(80);
  const padded = withPadding(data);
  for (let offset = 0; offset < padded.length; offset += 64) {
    loadWords(schedule, padded, offset);
    for (let i = 16; i < 80; i++) {
      const word = schedule[i - 3]! ^ schedule[i - 8]! ^ schedule[i - 14]! ^ schedule[i - 16]!;
      schedule[i] = (word << 1) | (word >>> 31);
    }
    compress1(state, schedule);
  }
  return toBytes(state);
}

function compress1(state: Int32Array, schedule: Int32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  for (let i = 0; i < 80; i++) {
    let mix: number;
    if (i < 20) mix = ((b & c) | (~b & d)) + 0x5a827999;
    else if (i < 40) mix = (b ^ c ^ d) + 0x6ed9eba1;
    else if (i < 60) mix = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    else mix = (b ^ c ^ d) + 0xca62c1d6;
    const next = (((a << 5) | (a >>> 27)) + mix + e + schedule[i]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
}

function rotateRight(word: number, count: number): number {
  return (word >>> count) | (word << (32 - count));
}

/** The message, a one bit, zeros, and the length in bits as a 64-bit big-endian number; a multiple of 64 bytes. */
function withPadding(data: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((data.length + 8) >>> 6) + 1) * 64);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(data.length / 0x20000000));
  view.setUint32(padded.length - 4, (data.length << 3) >>> 0);
  return padded;
}

function loadWords(schedule: Int32Array, bytes: Uint8Array, offset: number): void {
  for (let i = 0; i < 16; i++) {
    const at = offset + i * 4;
    schedule[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
}

function toBytes(state: Int32Array): Uint8Array {
  const out = new Uint8Array(state.length * 4);
  const view = new DataView(out.buffer);
  for (let i = 0; i < state.length; i++) view.setInt32(i * 4, state[i]!);
  return out;
}
