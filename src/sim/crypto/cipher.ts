/**
 * Stand-ins for AES inside a run: same sizes, same failures, no secrecy. What is sealed with one key opens with that key only,
 * a changed byte is noticed, equal blocks encrypt equally.
 */

import { concatBytes } from '../../platform/bytes.ts';
import { CryptoError } from '../../platform/crypto.ts';
import { sha256 } from '../../platform/hash.ts';

const TAG_SIZE_BYTES = 16;
const BLOCK_SIZE_BYTES = 16;
const HALF = 8;
const ROUNDS = 4;

/** In place of AES-256-GCM: ciphertext followed by a 16-byte tag. */
export function sealSimulated(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Uint8Array {
  checkSizes(key, nonce);
  const ciphertext = withKeystream(key, nonce, plaintext);
  return concatBytes([ciphertext, tagOf(key, nonce, ciphertext)]);
}

export function openSimulated(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Uint8Array {
  checkSizes(key, nonce);
  const split = sealed.length - TAG_SIZE_BYTES;
  if (split >= 0) {
    const ciphertext = sealed.subarray(0, split);
    const expected = tagOf(key, nonce, ciphertext);
    if (expected.every((byte, i) => byte === sealed[split + i])) return withKeystream(key, nonce, ciphertext);
  }
  throw new CryptoError('decrypt-failed', 'cipher: message authentication failed');
}

function checkSizes(key: Uint8Array, nonce: Uint8Array): void {
  if (key.length !== 32) throw new CryptoError('invalid-argument', `crypto/aes: invalid key size ${key.length}`);
  if (nonce.length !== 12)
    throw new CryptoError('invalid-argument', 'crypto/cipher: incorrect nonce length given to GCM');
}

function tagOf(key: Uint8Array, nonce: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return sha256(concatBytes([key, nonce, Uint8Array.of(1), ciphertext])).subarray(0, TAG_SIZE_BYTES);
}

function withKeystream(key: Uint8Array, nonce: Uint8Array, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(data.length);
  const input = concatBytes([key, nonce, new Uint8Array(5)]);
  const counter = new DataView(input.buffer);
  for (let offset = 0, block = 0; offset < data.length; offset += 32, block++) {
    counter.setUint32(input.length - 4, block);
    const stream = sha256(input);
    for (let i = 0; i < 32 && offset + i < data.length; i++) out[offset + i] = data[offset + i]! ^ stream[i]!;
  }
  return out;
}

/** In place of AES-256-ECB without padding. */
export function encryptBlocksSimulated(key: Uint8Array, plaintext: Uint8Array): Uint8Array {
  return eachBlock(key, plaintext, (block) => {
    for (let round = 0; round < ROUNDS; round++) mixHalf(key, block, round);
  });
}

export function decryptBlocksSimulated(key: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return eachBlock(key, ciphertext, (block) => {
    for (let round = ROUNDS - 1; round >= 0; round--) mixHalf(key, block, round);
  });
}

function eachBlock(key: Uint8Array, data: Uint8Array, apply: (block: Uint8Array) => void): Uint8Array {
  if (key.length !== 32) throw new CryptoError('invalid-argument', `crypto/aes: invalid key size ${key.length}`);
  if (data.length % BLOCK_SIZE_BYTES !== 0) {
    throw new CryptoError('invalid-argument', 'input is not a multiple of the block size');
  }
  const out = data.slice();
  for (let offset = 0; offset < out.length; offset += BLOCK_SIZE_BYTES) {
    apply(out.subarray(offset, offset + BLOCK_SIZE_BYTES));
  }
  return out;
}

/** A Feistel step: one half is mixed with a digest of the other. Its own inverse. */
function mixHalf(key: Uint8Array, block: Uint8Array, round: number): void {
  const source = round % 2 === 0 ? block.subarray(HALF) : block.subarray(0, HALF);
  const target = round % 2 === 0 ? 0 : HALF;
  const digest = sha256(concatBytes([key, Uint8Array.of(round), source]));
  for (let i = 0; i < HALF; i++) block[target + i] = block[target + i]! ^ digest[i]!;
}
