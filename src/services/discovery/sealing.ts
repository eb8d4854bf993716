import { Affiliate, AffiliateEndpoint } from '../../api/discovery.ts';
import { concatBytes } from '../../platform/bytes.ts';
import { CryptoError, type CryptoPort } from '../../platform/crypto.ts';
import { DecodeError } from '../../rpc/wire.ts';

/**
 * What the discovery service must not see (reference/network-config.md C.7). Data is sealed with AES-256-GCM under a random
 * nonce; endpoints with AES-256-ECB, so that equal ones look equal and the service can merge them.
 */

const NONCE_BYTES = 12;
const BLOCK_BYTES = 16;

/** Nonce, ciphertext, tag. */
export function sealAffiliate(crypto: CryptoPort, key: Uint8Array, affiliate: Affiliate): Uint8Array {
  const nonce = crypto.randomBytes(NONCE_BYTES);
  return concatBytes([nonce, crypto.seal(key, nonce, Affiliate.encode(affiliate))]);
}

/** Undefined for what was sealed with another key, or is no affiliate. */
export function openAffiliate(crypto: CryptoPort, key: Uint8Array, sealed: Uint8Array): Affiliate | undefined {
  return opened(() => Affiliate.decode(crypto.open(key, sealed.slice(0, NONCE_BYTES), sealed.slice(NONCE_BYTES))));
}

/** One byte of length, the message, zeros up to a whole block; encrypted block by block. */
export function sealEndpoint(crypto: CryptoPort, key: Uint8Array, endpoint: AffiliateEndpoint): Uint8Array {
  const message = AffiliateEndpoint.encode(endpoint);
  const padded = new Uint8Array(Math.ceil((1 + message.length) / BLOCK_BYTES) * BLOCK_BYTES);
  padded[0] = message.length;
  padded.set(message, 1);
  return crypto.encryptBlocks(key, padded);
}

/** Undefined for what was sealed with another key, or is no endpoint. */
export function openEndpoint(crypto: CryptoPort, key: Uint8Array, sealed: Uint8Array): AffiliateEndpoint | undefined {
  return opened(() => {
    const padded = crypto.decryptBlocks(key, sealed);
    const lengthBytes = padded[0] ?? 0;
    if (lengthBytes >= padded.length) throw new DecodeError('endpoint is cut off');
    return AffiliateEndpoint.decode(padded.slice(1, 1 + lengthBytes));
  });
}

function opened<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof CryptoError || error instanceof DecodeError) return undefined;
    throw error;
  }
}
