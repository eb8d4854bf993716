/**
 * The crypto port inside a run. Keys and serial numbers are functions of the seed, a certificate is its record, signatures are
 * digests that anybody could compute: nobody forges here, so only *which* key signed matters. PEM texts have the real format, so
 * that configs, tools and nodes read them with the code of the host; their signatures hold inside the run only.
 *
 * Real keys and certificates (a config generated outside) are read and used alike: `isSignedBy` goes by key identifiers.
 */

import { decodeBase64 } from '../../platform/base64.ts';
import { concatBytes, utf8Encode } from '../../platform/bytes.ts';
import type {
  CertificateRecord,
  CryptoPort,
  DistinguishedName,
  KeyKind,
  KeySpec,
  PrivateKey,
  PublicKey,
} from '../../platform/crypto.ts';
import { CryptoError } from '../../platform/crypto.ts';
import { sha1, sha256 } from '../../platform/hash.ts';
import { remembering } from '../../platform/remember.ts';
import {
  authorityRecord,
  encodeRequestBody,
  encodeSigned,
  encodeToBeSigned,
  issuedRecord,
} from '../../platform/x509/certificate.ts';
import { sequence, unsignedInteger } from '../../platform/x509/der.ts';
import { parsePemItems } from '../../platform/x509/items.ts';
import { decodePrivateKey, ecPrivateKey, ed25519PrivateKey, encodePublicKey } from '../../platform/x509/keys.ts';
import { encodePem } from '../../platform/x509/pem.ts';
import { decryptBlocksSimulated, encryptBlocksSimulated, openSimulated, sealSimulated } from './cipher.ts';
import { ed25519PublicBits } from './ed25519.ts';
import { RSA_2048_POOL, RSA_4096_POOL } from './rsa-pool.ts';

/** Texts whose reading is remembered: a machine reads the same few certificates again with each connection it makes. */
const PEM_TEXTS = 64;

/**
 * `seed` names the owner too (`<run seed>/<machine>`): two ports with one seed make the same keys in the same order,
 * two with different seeds have nothing in common.
 */
export function createSimCrypto(seed: string): CryptoPort {
  const source = new SeededSource(seed);
  const generateKey = (spec: KeySpec): PrivateKey => makeKey(source, spec);
  return {
    randomBytes: (sizeBytes) => source.bytes(sizeBytes),
    sha1,
    sha256,
    generateKey,
    sign: (key, data) => simulatedSignature(key.kind, key.publicKey.keyId, data),
    verify: verifySimulated,
    selfSignedAuthority: (request) => {
      const key = generateKey(request.keySpec);
      return { certificate: authorityRecord(request, key, source.serial()), key };
    },
    issueCertificate: (request) => issuedRecord(request, source.serial()),
    isSignedBy,
    createSigningRequest: (input) => {
      const body = encodeRequestBody(input);
      const signature = simulatedSignature(input.key.kind, input.key.publicKey.keyId, body);
      return encodePem('CERTIFICATE REQUEST', encodeSigned(body, input.key.kind, signature));
    },
    certificateToPem: (certificate) => encodePem('CERTIFICATE', derOf(certificate)),
    privateKeyToPem: (key) => encodePem(key.pemLabel, key.der),
    publicKeyToPem: (key) => encodePem('PUBLIC KEY', encodePublicKey(key)),
    // A request from outside carries a real signature, which only a host can check: it is taken at its word.
    parsePem: remembering(PEM_TEXTS, (pem) => parsePemItems(pem, { derivePublicBits, verify: () => true })),
    seal: sealSimulated,
    open: openSimulated,
    encryptBlocks: encryptBlocksSimulated,
    decryptBlocks: decryptBlocksSimulated,
  };
}

/** Bytes that are a function of the seed and of how many were drawn before. */
class SeededSource {
  readonly #input: Uint8Array;
  readonly #counter: DataView;
  #drawn = 0;
  #rsaKeys: number;

  constructor(seed: string) {
    this.#input = concatBytes([sha256(utf8Encode(`talosim crypto\n${seed}`)), new Uint8Array(4)]);
    this.#counter = new DataView(this.#input.buffer);
    this.#rsaKeys = this.#input[0]!;
  }

  bytes(sizeBytes: number): Uint8Array {
    const out = new Uint8Array(sizeBytes);
    for (let offset = 0; offset < sizeBytes; offset += 32) {
      this.#counter.setUint32(32, this.#drawn++);
      out.set(sha256(this.#input).subarray(0, Math.min(32, sizeBytes - offset)), offset);
    }
    return out;
  }

  serial(): Uint8Array {
    const serial = this.bytes(16);
    serial[0] = (serial[0]! & 0x7f) | 0x01;
    return serial;
  }

  /** Index into the pool: starts anywhere, then goes round, so that one owner repeats as late as possible. */
  nextRsa(poolSize: number): number {
    return this.#rsaKeys++ % poolSize;
  }
}

function makeKey(source: SeededSource, spec: KeySpec): PrivateKey {
  if (spec === 'rsa-4096') return pooledKey(RSA_4096_POOL[source.nextRsa(RSA_4096_POOL.length)]!);
  if (spec === 'rsa-2048') return pooledKey(RSA_2048_POOL[source.nextRsa(RSA_2048_POOL.length)]!);
  const secret = source.bytes(32);
  const half = sha256(concatBytes([utf8Encode('public'), secret]));
  if (spec === 'ed25519') return ed25519PrivateKey(secret, half, true);
  return ecPrivateKey(secret, concatBytes([Uint8Array.of(4), half, sha256(half)]));
}

function pooledKey(base64: string): PrivateKey {
  return decodePrivateKey('RSA PRIVATE KEY', decodeBase64(base64)!, derivePublicBits);
}

function derivePublicBits(kind: 'ed25519' | 'ecdsa-p256', secret: Uint8Array): Uint8Array {
  if (kind === 'ed25519') return ed25519PublicBits(secret);
  throw new CryptoError(
    'unsupported-algorithm',
    'this EC private key does not contain its public key: write it with one',
  );
}

/** Depends on key and data only. Has the size of a real one (for RSA, of a 2048-bit key). */
function simulatedSignature(kind: KeyKind, keyId: string, data: Uint8Array): Uint8Array {
  const first = sha256(concatBytes([utf8Encode(`signature\n${keyId}\n`), sha256(data)]));
  const second = sha256(first);
  if (kind === 'ed25519') return concatBytes([first, second]);
  if (kind === 'ecdsa-p256') return sequence(unsignedInteger(first), unsignedInteger(second));
  return concatBytes([first, second, first, second, first, second, first, second]);
}

function verifySimulated(key: PublicKey, data: Uint8Array, signature: Uint8Array): boolean {
  const expected = simulatedSignature(key.kind, key.keyId, data);
  return expected.length === signature.length && expected.every((byte, i) => byte === signature[i]);
}

function derOf(record: CertificateRecord): Uint8Array {
  if (record.der !== null) return record.der;
  const body = encodeToBeSigned(record);
  return encodeSigned(body, record.signedBy, simulatedSignature(record.signedBy, record.issuerKeyId, body));
}

function isSignedBy(certificate: CertificateRecord, authority: CertificateRecord): boolean {
  if (!authority.isCa || !sameName(certificate.issuer, authority.subject)) return false;
  return certificate.issuerKeyId === '' || certificate.issuerKeyId === authority.subjectKeyId;
}

function sameName(a: DistinguishedName, b: DistinguishedName): boolean {
  return a.commonName === b.commonName && a.organizations.join('\n') === b.organizations.join('\n');
}
