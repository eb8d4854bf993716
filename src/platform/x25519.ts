/** X25519 (RFC 7748): the public half of a WireGuard key. About 10 ms a key. */

import { invert, littleEndian, littleEndianBytes, mod } from './field-25519.ts';

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
  return littleEndianBytes(mod((swap === 0n ? x2 : x3) * invert(swap === 0n ? z2 : z3)));
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
