/** X25519 (RFC 7748): the public half of a WireGuard key. About 10 ms a key. */

const P = (1n << 255n) - 19n;
const A24 = 121_665n;
const BASE = 9n;
const BITS = 255;
export const X25519_KEY_BYTES = 32;

/** Makes 32 random bytes a private key: a multiple of the cofactor, of fixed length. */
export function clampX25519(bytes: Uint8Array): Uint8Array {
  const key = Uint8Array.from(bytes);
  key[0] = key[0]! & 248;
  key[31] = (key[31]! & 127) | 64;
  return key;
}

/** The public key of a private one; both have 32 bytes. */
export function x25519PublicKey(privateKey: Uint8Array): Uint8Array {
  const scalar = littleEndian(clampX25519(privateKey));
  let [x2, z2, x3, z3] = [1n, 0n, BASE, 1n];
  let swap = 0n;
  for (let bit = BITS - 1; bit >= 0; bit--) {
    const now = (scalar >> BigInt(bit)) & 1n;
    if (swap !== now) [x2, x3, z2, z3] = [x3, x2, z3, z2];
    swap = now;
    [x2, z2, x3, z3] = step(x2, z2, x3, z3);
  }
  return bytesOf(mod((swap === 0n ? x2 : x3) * invert(swap === 0n ? z2 : z3)));
}

/** One step of the Montgomery ladder: doubles the first point, adds both into the second. */
function step(x2: bigint, z2: bigint, x3: bigint, z3: bigint): [bigint, bigint, bigint, bigint] {
  const sum = x2 + z2;
  const difference = x2 - z2;
  const sumSquare = mod(sum * sum);
  const differenceSquare = mod(difference * difference);
  const both = sumSquare - differenceSquare;
  const crossed = mod((x3 - z3) * sum);
  const other = mod((x3 + z3) * difference);
  return [
    mod(sumSquare * differenceSquare),
    mod(both * (sumSquare + A24 * both)),
    mod((crossed + other) * (crossed + other)),
    mod(BASE * mod((crossed - other) * (crossed - other))),
  ];
}

function mod(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

/** By Fermat: to the power of P - 2. */
function invert(value: bigint): bigint {
  let result = 1n;
  let power = value;
  for (let exponent = P - 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = mod(result * power);
    power = mod(power * power);
  }
  return result;
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]!);
  return value;
}

function bytesOf(value: bigint): Uint8Array {
  const bytes = new Uint8Array(X25519_KEY_BYTES);
  let rest = value;
  for (let i = 0; i < X25519_KEY_BYTES; i++) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}
