/** Arithmetic of the field that X25519 (RFC 7748) and Ed25519 (RFC 8032) share: numbers modulo 2^255 - 19. */

const P = (1n << 255n) - 19n;
const SIZE_BYTES = 32;

/** The number from 0 to P - 1 that is `value` modulo P. */
export function mod(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

/** By Fermat: to the power of P - 2. */
export function invert(value: bigint): bigint {
  let result = 1n;
  let power = value;
  for (let exponent = P - 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = mod(result * power);
    power = mod(power * power);
  }
  return result;
}

/** A number from its bytes, the lowest first. */
export function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]!);
  return value;
}

/** The 32 bytes of a number, the lowest first. */
export function littleEndianBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(SIZE_BYTES);
  let rest = value;
  for (let i = 0; i < SIZE_BYTES; i++) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}
