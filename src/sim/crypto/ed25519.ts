/**
 * The public half of a real Ed25519 key (RFC 8032, 5.1.5). Keys made inside a run carry their public half along; this is for the
 * keys in machine configs that were generated outside, whose PKCS#8 holds the seed alone. About 10 ms a key.
 */

import { invert, littleEndian, littleEndianBytes, mod } from '../../platform/field-25519.ts';
import { sha512 } from './sha512.ts';

const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;
const BASE_X = 0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51an;
const BASE_Y = 0x6666666666666666666666666666666666666666666666666666666666666658n;

/** Extended coordinates: x = X/Z, y = Y/Z, T = XY/Z. */
interface Point {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
  readonly t: bigint;
}

export function ed25519PublicBits(seed: Uint8Array): Uint8Array {
  const hash = sha512(seed);
  hash[0] = hash[0]! & 248;
  hash[31] = (hash[31]! & 63) | 64;
  const point = multiply({ x: BASE_X, y: BASE_Y, z: 1n, t: mod(BASE_X * BASE_Y) }, littleEndian(hash.subarray(0, 32)));
  const inverse = invert(point.z);
  const x = mod(point.x * inverse);
  const out = littleEndianBytes(mod(point.y * inverse));
  out[31] = out[31]! | (Number(x & 1n) << 7);
  return out;
}

function multiply(point: Point, scalar: bigint): Point {
  let result: Point = { x: 0n, y: 1n, z: 1n, t: 0n };
  let power = point;
  for (let rest = scalar; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result, power);
    power = add(power, power);
  }
  return result;
}

/** RFC 8032, 5.1.4; complete, hence also good for doubling. */
function add(p: Point, q: Point): Point {
  const a = mod((p.y - p.x) * (q.y - q.x));
  const b = mod((p.y + p.x) * (q.y + q.x));
  const c = mod(2n * p.t * q.t * D);
  const d = mod(2n * p.z * q.z);
  const e = b - a;
  const f = d - c;
  const g = d + c;
  const h = b + a;
  return { x: mod(e * f), y: mod(g * h), z: mod(f * g), t: mod(e * h) };
}
