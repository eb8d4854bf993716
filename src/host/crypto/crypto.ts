/** The crypto port on a host: node:crypto, real keys, X.509 that other tools accept. */

import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign as signWith,
  verify as verifyWith,
  X509Certificate,
} from 'node:crypto';
import type {
  CertificateRecord,
  CryptoPort,
  KeyPair,
  KeySpec,
  PemItem,
  PrivateKey,
  PublicKey,
} from '../../platform/crypto.ts';
import { CryptoError } from '../../platform/crypto.ts';
import {
  authorityRecord,
  encodeRequestBody,
  encodeSigned,
  encodeToBeSigned,
  issuedRecord,
  type SignatureHash,
} from '../../platform/x509/certificate.ts';
import { parsePemItems } from '../../platform/x509/items.ts';
import { decodePrivateKey, ecPrivateKey, ed25519PrivateKey, encodePublicKey } from '../../platform/x509/keys.ts';
import { encodePem } from '../../platform/x509/pem.ts';

const SERIAL_SIZE_BYTES = 16;
const TAG_SIZE_BYTES = 16;
/** PKCS#8 prefix that turns 32 bytes of seed into an Ed25519 key. */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Real randomness, real certificates. Stateless. */
export function createHostCrypto(): CryptoPort {
  return {
    randomBytes: (sizeBytes) => bytes(randomBytes(sizeBytes)),
    sha1: (data) => bytes(createHash('sha1').update(data).digest()),
    sha256: (data) => bytes(createHash('sha256').update(data).digest()),
    generateKey,
    sign,
    verify: (key, data, signature) => verify(key, data, signature, key.kind === 'ed25519' ? 'none' : 'sha256'),
    selfSignedAuthority: (request): KeyPair => {
      const key = generateKey(request.keySpec);
      return { certificate: issue(authorityRecord(request, key, newSerial()), key), key };
    },
    issueCertificate: (request) => issue(issuedRecord(request, newSerial()), request.signer.key),
    isSignedBy,
    createSigningRequest: (input) => {
      const body = encodeRequestBody(input);
      return encodePem('CERTIFICATE REQUEST', encodeSigned(body, input.key.kind, sign(input.key, body)));
    },
    certificateToPem: (certificate) => encodePem('CERTIFICATE', derOf(certificate)),
    privateKeyToPem: (key) => encodePem(key.pemLabel, key.der),
    publicKeyToPem: (key) => encodePem('PUBLIC KEY', encodePublicKey(key)),
    parsePem: (pem): readonly PemItem[] => parsePemItems(pem, { derivePublicBits, verify }),
    seal,
    open,
    encryptBlocks: (key, plaintext) => ecb(createCipheriv('aes-256-ecb', key, null), plaintext),
    decryptBlocks: (key, ciphertext) => ecb(createDecipheriv('aes-256-ecb', key, null), ciphertext),
  };
}

function bytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer);
}

/** Positive and without a leading zero byte problem: the top bit is cleared. */
function newSerial(): Uint8Array {
  const serial = bytes(randomBytes(SERIAL_SIZE_BYTES));
  serial[0] = (serial[0]! & 0x7f) | 0x01;
  return serial;
}

function generateKey(spec: KeySpec): PrivateKey {
  if (spec === 'ed25519') {
    const seed = bytes(randomBytes(32));
    return ed25519PrivateKey(seed, derivePublicBits('ed25519', seed), false);
  }
  if (spec === 'ecdsa-p256') {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const secret = bytes(Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url'));
    return ecPrivateKey(secret, derivePublicBits('ecdsa-p256', secret));
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: spec === 'rsa-4096' ? 4096 : 2048 });
  const der = bytes(privateKey.export({ format: 'der', type: 'pkcs1' }));
  return decodePrivateKey('RSA PRIVATE KEY', der, derivePublicBits);
}

function derivePublicBits(kind: 'ed25519' | 'ecdsa-p256', secret: Uint8Array): Uint8Array {
  if (kind === 'ecdsa-p256') {
    const curve = createECDH('prime256v1');
    curve.setPrivateKey(secret);
    return bytes(curve.getPublicKey());
  }
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PREFIX, secret]), format: 'der', type: 'pkcs8' });
  return bytes(Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url'));
}

function keyObject(key: PrivateKey): KeyObject {
  const type = key.pemLabel === 'EC PRIVATE KEY' ? 'sec1' : key.pemLabel === 'RSA PRIVATE KEY' ? 'pkcs1' : 'pkcs8';
  return createPrivateKey({ key: Buffer.from(key.der), format: 'der', type });
}

function publicKeyObject(key: PublicKey): KeyObject {
  return createPublicKey({ key: Buffer.from(encodePublicKey(key)), format: 'der', type: 'spki' });
}

function sign(key: PrivateKey, data: Uint8Array): Uint8Array {
  return bytes(signWith(key.kind === 'ed25519' ? null : 'sha256', data, keyObject(key)));
}

function verify(key: PublicKey, data: Uint8Array, signature: Uint8Array, hash: SignatureHash): boolean {
  return verifyWith(hash === 'none' ? null : hash, data, publicKeyObject(key), signature);
}

function issue(record: CertificateRecord, signer: PrivateKey): CertificateRecord {
  const body = encodeToBeSigned(record);
  return { ...record, der: encodeSigned(body, signer.kind, sign(signer, body)) };
}

function derOf(certificate: CertificateRecord): Uint8Array {
  if (certificate.der === null) {
    throw new CryptoError('invalid-argument', 'a certificate issued inside a simulation cannot be used on a host');
  }
  return certificate.der;
}

function isSignedBy(certificate: CertificateRecord, authority: CertificateRecord): boolean {
  const parsed = new X509Certificate(derOf(certificate));
  const issuer = new X509Certificate(derOf(authority));
  return parsed.checkIssued(issuer) && parsed.verify(issuer.publicKey);
}

function seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return bytes(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]));
}

function open(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Uint8Array {
  const split = sealed.length - TAG_SIZE_BYTES;
  if (split < 0) throw new CryptoError('decrypt-failed', 'cipher: message authentication failed');
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(split));
  try {
    return bytes(Buffer.concat([decipher.update(sealed.subarray(0, split)), decipher.final()]));
  } catch {
    throw new CryptoError('decrypt-failed', 'cipher: message authentication failed');
  }
}

function ecb(cipher: ReturnType<typeof createCipheriv>, data: Uint8Array): Uint8Array {
  if (data.length % 16 !== 0) throw new CryptoError('invalid-argument', 'input is not a multiple of the block size');
  cipher.setAutoPadding(false);
  return bytes(Buffer.concat([cipher.update(data), cipher.final()]));
}
