/** PEM texts to items: what both implementations of the port share. */

import type { PemItem, PrivateKeyLabel } from '../crypto.ts';
import { CryptoError } from '../crypto.ts';
import { decodeCertificate, decodeSigningRequest, type VerifySignature } from './certificate.ts';
import { DerReader } from './der.ts';
import { type DerivePublicBits, decodePrivateKey, decodePublicKey } from './keys.ts';
import { decodePem, type PemBlock } from './pem.ts';

export interface ItemReaders {
  readonly derivePublicBits: DerivePublicBits;
  readonly verify: VerifySignature;
}

/** See `CryptoPort.parsePem`. */
export function parsePemItems(pem: string, readers: ItemReaders): PemItem[] {
  return decodePem(pem).map((block) => itemOf(block, readers));
}

function itemOf(block: PemBlock, readers: ItemReaders): PemItem {
  const { label, content } = block;
  if (label === 'CERTIFICATE') return { type: 'certificate', certificate: decodeCertificate(content) };
  if (label === 'CERTIFICATE REQUEST') {
    return { type: 'signing-request', request: decodeSigningRequest(content, readers.verify) };
  }
  if (isPrivateLabel(label)) {
    return { type: 'private-key', key: decodePrivateKey(label, content, readers.derivePublicBits) };
  }
  if (label === 'PUBLIC KEY' || label.endsWith(' PUBLIC KEY')) {
    return { type: 'public-key', publicKey: decodePublicKey(new DerReader(content)) };
  }
  throw new CryptoError('unsupported-algorithm', `unsupported PEM block: ${label}`);
}

function isPrivateLabel(label: string): label is PrivateKeyLabel {
  return (
    label === 'ED25519 PRIVATE KEY' ||
    label === 'EC PRIVATE KEY' ||
    label === 'RSA PRIVATE KEY' ||
    label === 'PRIVATE KEY'
  );
}
