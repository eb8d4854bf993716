/** Keys in DER: SubjectPublicKeyInfo (RFC 5280), PKCS#8 (RFC 5958), SEC 1 (RFC 5915), PKCS#1 (RFC 8017). */

import { toHex } from '../bytes.ts';
import { CryptoError, type KeyKind, type PrivateKey, type PrivateKeyLabel, type PublicKey } from '../crypto.ts';
import { sha1 } from '../hash.ts';
import {
  bitString,
  DerReader,
  element,
  explicitTag,
  implicitTag,
  malformed,
  objectIdentifier,
  sequence,
  TAG,
  unsignedInteger,
} from './der.ts';

const OID_ED25519 = '1.3.101.112';
const OID_EC = '1.2.840.10045.2.1';
const OID_P256 = '1.2.840.10045.3.1.7';
const OID_RSA = '1.2.840.113549.1.1.1';

/** Finds the public half of a secret when the encoding does not carry it. */
export type DerivePublicBits = (kind: 'ed25519' | 'ecdsa-p256', secret: Uint8Array) => Uint8Array;

function publicKeyOf(kind: KeyKind, bits: Uint8Array): PublicKey {
  return { kind, bits, keyId: toHex(sha1(bits)) };
}

export function encodePublicKey(key: PublicKey): Uint8Array {
  return sequence(algorithmOf(key.kind), bitString(key.bits));
}

function algorithmOf(kind: KeyKind): Uint8Array {
  if (kind === 'ed25519') return sequence(objectIdentifier(OID_ED25519));
  if (kind === 'ecdsa-p256') return sequence(objectIdentifier(OID_EC), objectIdentifier(OID_P256));
  return sequence(objectIdentifier(OID_RSA), element(TAG.nullValue));
}

export function decodePublicKey(reader: DerReader): PublicKey {
  const info = reader.sequence('public key');
  const kind = decodeAlgorithm(info.sequence('public key algorithm'));
  return publicKeyOf(kind, info.bitString('public key bits'));
}

function decodeAlgorithm(algorithm: DerReader): KeyKind {
  const oid = algorithm.identifier('public key algorithm');
  if (oid === OID_ED25519) return 'ed25519';
  if (oid === OID_RSA) return 'rsa';
  if (oid !== OID_EC) throw new CryptoError('unsupported-algorithm', `unsupported key algorithm ${oid}`);
  requireP256(algorithm.identifier('named curve'));
  return 'ecdsa-p256';
}

function requireP256(curve: string): void {
  if (curve === OID_P256) return;
  throw new CryptoError(
    'unsupported-algorithm',
    `unsupported elliptic curve ${curve}: only P-256 (prime256v1) is supported`,
  );
}

/** The bit string of an RSA public key. */
function rsaPublicBits(modulus: Uint8Array, exponent: Uint8Array): Uint8Array {
  return sequence(unsignedInteger(modulus), unsignedInteger(exponent));
}

/** PKCS#8 for Ed25519. With `publicBits` in it (version 2 of the format) no curve arithmetic is needed to read it back. */
export function ed25519PrivateKey(seed: Uint8Array, publicBits: Uint8Array, embedPublic: boolean): PrivateKey {
  const der = sequence(
    unsignedInteger(Uint8Array.of(embedPublic ? 1 : 0)),
    algorithmOf('ed25519'),
    element(TAG.octetString, element(TAG.octetString, seed)),
    ...(embedPublic ? [element(implicitTag(1), Uint8Array.of(0), publicBits)] : []),
  );
  return { kind: 'ed25519', publicKey: publicKeyOf('ed25519', publicBits), pemLabel: 'ED25519 PRIVATE KEY', der };
}

/** SEC 1 for P-256, with curve and public key, as Go writes it. */
export function ecPrivateKey(secret: Uint8Array, publicBits: Uint8Array): PrivateKey {
  const der = sequence(
    unsignedInteger(Uint8Array.of(1)),
    element(TAG.octetString, secret),
    element(explicitTag(0), objectIdentifier(OID_P256)),
    element(explicitTag(1), bitString(publicBits)),
  );
  return { kind: 'ecdsa-p256', publicKey: publicKeyOf('ecdsa-p256', publicBits), pemLabel: 'EC PRIVATE KEY', der };
}

export function decodePrivateKey(label: PrivateKeyLabel, der: Uint8Array, derive: DerivePublicBits): PrivateKey {
  if (label === 'EC PRIVATE KEY') return decodeSec1(label, der, der, derive);
  if (label === 'RSA PRIVATE KEY') return decodePkcs1(label, der, der);
  return decodePkcs8(label, der, derive);
}

function decodePkcs8(label: PrivateKeyLabel, der: Uint8Array, derive: DerivePublicBits): PrivateKey {
  const info = new DerReader(der).sequence('private key');
  info.unsignedInteger('private key version');
  const kind = decodeAlgorithm(info.sequence('private key algorithm'));
  const inner = info.expect(TAG.octetString, 'private key').content;
  if (kind === 'rsa') return decodePkcs1(label, inner, der);
  if (kind === 'ecdsa-p256') return decodeSec1(label, inner, der, derive);
  const seed = new DerReader(inner).expect(TAG.octetString, 'Ed25519 seed').content;
  if (seed.length !== 32) throw malformed('Ed25519 seed');
  info.optional(explicitTag(0));
  const embedded = info.optional(implicitTag(1));
  const bits = embedded === null ? derive('ed25519', seed) : embedded.content.subarray(1);
  return { kind, publicKey: publicKeyOf(kind, bits), pemLabel: label, der };
}

function decodeSec1(label: PrivateKeyLabel, sec1: Uint8Array, der: Uint8Array, derive: DerivePublicBits): PrivateKey {
  const info = new DerReader(sec1).sequence('EC private key');
  info.unsignedInteger('EC private key version');
  const secret = info.expect(TAG.octetString, 'EC private key').content;
  const curve = info.optional(explicitTag(0));
  if (curve !== null) requireP256(new DerReader(curve.content).identifier('named curve'));
  const embedded = info.optional(explicitTag(1));
  const bits =
    embedded === null ? derive('ecdsa-p256', secret) : new DerReader(embedded.content).bitString('EC public key');
  return { kind: 'ecdsa-p256', publicKey: publicKeyOf('ecdsa-p256', bits), pemLabel: label, der };
}

function decodePkcs1(label: PrivateKeyLabel, pkcs1: Uint8Array, der: Uint8Array): PrivateKey {
  const info = new DerReader(pkcs1).sequence('RSA private key');
  info.unsignedInteger('RSA private key version');
  const modulus = info.unsignedInteger('RSA modulus');
  const exponent = info.unsignedInteger('RSA exponent');
  return { kind: 'rsa', publicKey: publicKeyOf('rsa', rsaPublicBits(modulus, exponent)), pemLabel: label, der };
}
