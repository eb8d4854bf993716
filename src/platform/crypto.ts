/**
 * The crypto port: synchronous, without I/O. Two implementations: `host/crypto` (real keys, real X.509, real randomness)
 * and `sim/crypto` (everything derives from the seed; certificates are records, rendered to PEM only when asked).
 * Node code sees no difference: it holds records and asks the port to issue, check, print and read them.
 */

/** What `generateKey` can make. */
export type KeySpec = 'ed25519' | 'ecdsa-p256' | 'rsa-2048' | 'rsa-4096';

/** What a key that was read can be. RSA of any size is accepted when read. */
export type KeyKind = 'ed25519' | 'ecdsa-p256' | 'rsa';

export interface PublicKey {
  readonly kind: KeyKind;
  /** Content of the `subjectPublicKey` bit string of X.509. */
  readonly bits: Uint8Array;
  /** SHA-1 of `bits` as 40 lower-case hex digits: the X.509 subject key identifier, and our name for the key. */
  readonly keyId: string;
}

/** Labels of private keys as Talos writes them: PKCS#8 for Ed25519, SEC 1 for ECDSA, PKCS#1 for RSA. */
export type PrivateKeyLabel = 'ED25519 PRIVATE KEY' | 'EC PRIVATE KEY' | 'RSA PRIVATE KEY' | 'PRIVATE KEY';

export interface PrivateKey {
  readonly kind: KeyKind;
  readonly publicKey: PublicKey;
  readonly pemLabel: PrivateKeyLabel;
  /** The content of the PEM block. */
  readonly der: Uint8Array;
}

export interface DistinguishedName {
  /** Attribute O, in order. */
  readonly organizations: readonly string[];
  /** Attribute CN, empty when absent. */
  readonly commonName: string;
  /** The encoding this name was read from (it may hold further attributes); null for a name made here. */
  readonly der: Uint8Array | null;
}

export type KeyUsage = 'digital-signature' | 'key-encipherment' | 'cert-sign' | 'crl-sign';
export type ExtendedKeyUsage = 'server-auth' | 'client-auth';

/** A certificate as everything but TLS sees it. Immutable. */
export interface CertificateRecord {
  /** Lower-case hex, no leading zeros. */
  readonly serial: string;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** Seconds since 1970-01-01T00:00:00Z, inclusive. */
  readonly notBeforeSec: number;
  /** Seconds since 1970-01-01T00:00:00Z, inclusive. */
  readonly notAfterSec: number;
  readonly isCa: boolean;
  readonly keyUsages: readonly KeyUsage[];
  readonly extendedKeyUsages: readonly ExtendedKeyUsage[];
  readonly dnsNames: readonly string[];
  /** Canonical text: dotted IPv4, RFC 5952 IPv6. */
  readonly ipAddresses: readonly string[];
  readonly publicKey: PublicKey;
  /** Subject key identifier: `publicKey.keyId` unless a foreign certificate states another one. */
  readonly subjectKeyId: string;
  /** `subjectKeyId` of the authority that signed it; its own when self-signed; empty when a foreign certificate does not tell. */
  readonly issuerKeyId: string;
  /** Kind of the signing key. */
  readonly signedBy: KeyKind;
  /** The encoding, when it exists already (read, or issued for real); null when it would have to be rendered. */
  readonly der: Uint8Array | null;
}

/** A certificate with the key it certifies. */
export interface KeyPair {
  readonly certificate: CertificateRecord;
  readonly key: PrivateKey;
}

export interface SubjectName {
  readonly organizations?: readonly string[];
  readonly commonName?: string;
}

export interface AuthorityRequest {
  readonly subject: SubjectName;
  readonly keySpec: KeySpec;
  readonly notBeforeSec: number;
  readonly notAfterSec: number;
}

export interface CertificateRequest {
  readonly subject: SubjectName;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly notBeforeSec: number;
  readonly notAfterSec: number;
  readonly keyUsages: readonly KeyUsage[];
  readonly extendedKeyUsages: readonly ExtendedKeyUsage[];
  /** Key to certify. */
  readonly publicKey: PublicKey;
  readonly signer: KeyPair;
}

/** A parsed certificate signing request whose own signature was checked. */
export interface SigningRequest {
  readonly subject: DistinguishedName;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly publicKey: PublicKey;
}

export interface SigningRequestInput {
  readonly subject: SubjectName;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly key: PrivateKey;
}

/** One block of a PEM text. */
export type PemItem =
  | { readonly type: 'certificate'; readonly certificate: CertificateRecord }
  | { readonly type: 'private-key'; readonly key: PrivateKey }
  | { readonly type: 'public-key'; readonly publicKey: PublicKey }
  | { readonly type: 'signing-request'; readonly request: SigningRequest };

export type CryptoErrorCode =
  | 'malformed-pem'
  | 'malformed-der'
  | 'unsupported-algorithm'
  | 'bad-signature'
  | 'key-mismatch'
  | 'decrypt-failed'
  | 'invalid-argument';

/** The only error this port throws. */
export class CryptoError extends Error {
  readonly code: CryptoErrorCode;
  constructor(code: CryptoErrorCode, message: string) {
    super(message);
    this.name = 'CryptoError';
    this.code = code;
  }
}

export interface CryptoPort {
  randomBytes(sizeBytes: number): Uint8Array;
  sha1(data: Uint8Array): Uint8Array;
  sha256(data: Uint8Array): Uint8Array;

  generateKey(spec: KeySpec): PrivateKey;
  /** Ed25519, ECDSA with SHA-256 (DER), RSA PKCS#1 v1.5 with SHA-256. */
  sign(key: PrivateKey, data: Uint8Array): Uint8Array;
  verify(key: PublicKey, data: Uint8Array, signature: Uint8Array): boolean;

  /** A certificate authority as Talos makes it: certSign + digitalSignature, server and client auth (network-config.md E.9). */
  selfSignedAuthority(request: AuthorityRequest): KeyPair;
  issueCertificate(request: CertificateRequest): CertificateRecord;
  /** Whether `authority`'s key signed `certificate`. Says nothing about validity in time, names or usage: see `x509/verify.ts`. */
  isSignedBy(certificate: CertificateRecord, authority: CertificateRecord): boolean;
  /** A certificate signing request as PEM. */
  createSigningRequest(input: SigningRequestInput): string;

  certificateToPem(certificate: CertificateRecord): string;
  privateKeyToPem(key: PrivateKey): string;
  publicKeyToPem(key: PublicKey): string;
  /**
   * Every block of a PEM text, in order; text around blocks is ignored.
   * Throws `CryptoError`: malformed-pem when there is no block at all, else malformed-der, unsupported-algorithm, bad-signature.
   */
  parsePem(pem: string): readonly PemItem[];

  /** AES-256-GCM: returns ciphertext followed by the 16-byte tag. `key` 32 bytes, `nonce` 12 bytes. */
  seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Uint8Array;
  /** Reverse of `seal`; throws decrypt-failed. */
  open(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Uint8Array;
  /** AES-256-ECB without padding, for discovery endpoints (network-config.md C, "Encryption and what the service can see"); size a multiple of 16. */
  encryptBlocks(key: Uint8Array, plaintext: Uint8Array): Uint8Array;
  decryptBlocks(key: Uint8Array, ciphertext: Uint8Array): Uint8Array;
}

/** The first certificate of a PEM text. */
export function certificateFromPem(crypto: CryptoPort, pem: string): CertificateRecord {
  for (const item of crypto.parsePem(pem)) if (item.type === 'certificate') return item.certificate;
  throw new CryptoError('malformed-pem', 'no CERTIFICATE block found');
}

/** All certificates of a PEM text, as a list of trusted roots has them. */
export function certificatesFromPem(crypto: CryptoPort, pem: string): CertificateRecord[] {
  const found: CertificateRecord[] = [];
  for (const item of crypto.parsePem(pem)) if (item.type === 'certificate') found.push(item.certificate);
  return found;
}

/** The first private key of a PEM text. */
export function privateKeyFromPem(crypto: CryptoPort, pem: string): PrivateKey {
  for (const item of crypto.parsePem(pem)) if (item.type === 'private-key') return item.key;
  throw new CryptoError('malformed-pem', 'no private key block found');
}

/** A certificate and its key; throws key-mismatch when they do not belong together. */
export function keyPairFromPem(crypto: CryptoPort, certificatePem: string, keyPem: string): KeyPair {
  const certificate = certificateFromPem(crypto, certificatePem);
  const key = privateKeyFromPem(crypto, keyPem);
  if (certificate.publicKey.keyId !== key.publicKey.keyId) {
    throw new CryptoError('key-mismatch', 'tls: private key does not match public key');
  }
  return { certificate, key };
}
