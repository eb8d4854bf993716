/** Certificates (RFC 5280) and signing requests (RFC 2986) between records and DER. */

import { fromHex, toHex } from '../bytes.ts';
import type {
  AuthorityRequest,
  CertificateRecord,
  CertificateRequest,
  KeyKind,
  PrivateKey,
  PublicKey,
  SigningRequest,
  SigningRequestInput,
} from '../crypto.ts';
import { CryptoError } from '../crypto.ts';
import {
  bitString,
  DerReader,
  element,
  explicitTag,
  implicitTag,
  objectIdentifier,
  sequence,
  TAG,
  unsignedInteger,
} from './der.ts';
import {
  decodeExtensions,
  type Extensions,
  encodeExtensions,
  encodeRequestAttributes,
  requestedExtensions,
} from './extensions.ts';
import { decodePublicKey, encodePublicKey } from './keys.ts';
import { decodeName, encodeName, nameOf } from './names.ts';
import { decodeTime, encodeTime } from './time.ts';

/** Hash that a signature is made over; Ed25519 has its own inside. */
export type SignatureHash = 'none' | 'sha1' | 'sha256' | 'sha384' | 'sha512';

interface SignatureScheme {
  readonly oid: string;
  readonly kind: KeyKind;
  readonly hash: SignatureHash;
}

/** The first scheme of a kind is the one we sign with. */
const SCHEMES: readonly SignatureScheme[] = Object.freeze([
  { oid: '1.3.101.112', kind: 'ed25519', hash: 'none' },
  { oid: '1.2.840.10045.4.3.2', kind: 'ecdsa-p256', hash: 'sha256' },
  { oid: '1.2.840.10045.4.3.3', kind: 'ecdsa-p256', hash: 'sha384' },
  { oid: '1.2.840.10045.4.3.4', kind: 'ecdsa-p256', hash: 'sha512' },
  { oid: '1.2.840.113549.1.1.11', kind: 'rsa', hash: 'sha256' },
  { oid: '1.2.840.113549.1.1.12', kind: 'rsa', hash: 'sha384' },
  { oid: '1.2.840.113549.1.1.13', kind: 'rsa', hash: 'sha512' },
  { oid: '1.2.840.113549.1.1.5', kind: 'rsa', hash: 'sha1' },
]);

function encodeScheme(kind: KeyKind): Uint8Array {
  const { oid } = SCHEMES.find((scheme) => scheme.kind === kind)!;
  return kind === 'rsa' ? sequence(objectIdentifier(oid), element(TAG.nullValue)) : sequence(objectIdentifier(oid));
}

function decodeScheme(algorithm: DerReader): SignatureScheme {
  const oid = algorithm.identifier('signature algorithm');
  const known = SCHEMES.find((scheme) => scheme.oid === oid);
  if (known === undefined) throw new CryptoError('unsupported-algorithm', `unsupported signature algorithm ${oid}`);
  return known;
}

/** Record of a self-signed authority, not encoded yet (network-config.md E.9: certSign + digitalSignature, server + client auth). */
export function authorityRecord(request: AuthorityRequest, key: PrivateKey, serial: Uint8Array): CertificateRecord {
  const name = nameOf(request.subject);
  return {
    serial: serialText(serial),
    subject: name,
    issuer: name,
    notBeforeSec: request.notBeforeSec,
    notAfterSec: request.notAfterSec,
    isCa: true,
    keyUsages: ['digital-signature', 'cert-sign'],
    extendedKeyUsages: ['server-auth', 'client-auth'],
    dnsNames: [],
    ipAddresses: [],
    publicKey: key.publicKey,
    subjectKeyId: key.publicKey.keyId,
    issuerKeyId: key.publicKey.keyId,
    signedBy: key.kind,
    der: null,
  };
}

/** Record of an issued certificate, not encoded yet. */
export function issuedRecord(request: CertificateRequest, serial: Uint8Array): CertificateRecord {
  return {
    serial: serialText(serial),
    subject: nameOf(request.subject),
    issuer: request.signer.certificate.subject,
    notBeforeSec: request.notBeforeSec,
    notAfterSec: request.notAfterSec,
    isCa: false,
    keyUsages: request.keyUsages,
    extendedKeyUsages: request.extendedKeyUsages,
    dnsNames: request.dnsNames ?? [],
    ipAddresses: request.ipAddresses ?? [],
    publicKey: request.publicKey,
    subjectKeyId: request.publicKey.keyId,
    issuerKeyId: request.signer.certificate.subjectKeyId,
    signedBy: request.signer.key.kind,
    der: null,
  };
}

function serialText(serial: Uint8Array): string {
  return toHex(serial).replace(/^0+(?=.)/, '');
}

/** The part of a certificate that is signed. */
export function encodeToBeSigned(record: CertificateRecord): Uint8Array {
  const selfSigned = record.issuerKeyId === record.subjectKeyId;
  const extensions: Extensions = {
    isCa: record.isCa,
    keyUsages: record.keyUsages,
    extendedKeyUsages: record.extendedKeyUsages,
    dnsNames: record.dnsNames,
    ipAddresses: record.ipAddresses,
    subjectKeyId: record.isCa ? fromHex(record.subjectKeyId) : new Uint8Array(0),
    authorityKeyId: selfSigned ? new Uint8Array(0) : fromHex(record.issuerKeyId),
  };
  const subject = encodeName(record.subject);
  return sequence(
    element(explicitTag(0), unsignedInteger(Uint8Array.of(2))),
    unsignedInteger(fromHex(record.serial)),
    encodeScheme(record.signedBy),
    encodeName(record.issuer),
    sequence(encodeTime(record.notBeforeSec), encodeTime(record.notAfterSec)),
    subject,
    encodePublicKey(record.publicKey),
    element(explicitTag(3), encodeExtensions(extensions, subject.length === 2)),
  );
}

/** Joins a signed part and its signature: the form shared by certificates and signing requests. */
export function encodeSigned(toBeSigned: Uint8Array, kind: KeyKind, signature: Uint8Array): Uint8Array {
  return sequence(toBeSigned, encodeScheme(kind), bitString(signature));
}

export function decodeCertificate(der: Uint8Array): CertificateRecord {
  const outer = new DerReader(der).sequence('certificate');
  const body = outer.sequence('certificate body');
  const signedBy = decodeScheme(outer.sequence('signature algorithm')).kind;
  outer.bitString('signature');
  body.optional(explicitTag(0));
  const serial = body.unsignedInteger('serial number');
  body.sequence('signature algorithm');
  const issuer = decodeName(body);
  const validity = body.sequence('validity');
  const notBeforeSec = decodeTime(validity);
  const notAfterSec = decodeTime(validity);
  const subject = decodeName(body);
  const publicKey = decodePublicKey(body);
  body.optional(implicitTag(1));
  body.optional(implicitTag(2));
  const list = body.optional(explicitTag(3));
  const extensions = decodeExtensions(list === null ? null : new DerReader(list.content).sequence('extensions'));
  const subjectKeyId = extensions.subjectKeyId.length > 0 ? toHex(extensions.subjectKeyId) : publicKey.keyId;
  return {
    serial: serialText(serial),
    subject,
    issuer,
    notBeforeSec,
    notAfterSec,
    isCa: extensions.isCa,
    keyUsages: extensions.keyUsages,
    extendedKeyUsages: extensions.extendedKeyUsages,
    dnsNames: extensions.dnsNames,
    ipAddresses: extensions.ipAddresses,
    publicKey,
    subjectKeyId,
    issuerKeyId: issuerKeyId(extensions, subject.der!, issuer.der!, subjectKeyId),
    signedBy,
    der,
  };
}

/** A self-signed certificate need not name its authority's key: equal names tell. */
function issuerKeyId(extensions: Extensions, subject: Uint8Array, issuer: Uint8Array, own: string): string {
  if (extensions.authorityKeyId.length > 0) return toHex(extensions.authorityKeyId);
  return extensions.isCa && toHex(subject) === toHex(issuer) ? own : '';
}

/** The part of a signing request that is signed. */
export function encodeRequestBody(input: SigningRequestInput): Uint8Array {
  return sequence(
    unsignedInteger(Uint8Array.of(0)),
    encodeName(nameOf(input.subject)),
    encodePublicKey(input.key.publicKey),
    encodeRequestAttributes(input.dnsNames ?? [], input.ipAddresses ?? []),
  );
}

export type VerifySignature = (key: PublicKey, data: Uint8Array, signature: Uint8Array, hash: SignatureHash) => boolean;

/** Reads a signing request and checks that it is signed with its own key; throws bad-signature otherwise. */
export function decodeSigningRequest(der: Uint8Array, verify: VerifySignature): SigningRequest {
  const outer = new DerReader(der).sequence('signing request');
  const { whole, content } = outer.expect(TAG.sequence, 'signing request body');
  const { hash } = decodeScheme(outer.sequence('signature algorithm'));
  const signature = outer.bitString('signature');
  const body = new DerReader(content);
  body.unsignedInteger('request version');
  const subject = decodeName(body);
  const publicKey = decodePublicKey(body);
  const attributes = body.optional(explicitTag(0));
  const list = attributes === null ? null : requestedExtensions(new DerReader(attributes.content));
  const extensions = decodeExtensions(list);
  if (!verify(publicKey, whole, signature, hash)) {
    throw new CryptoError('bad-signature', 'x509: signature of the signing request does not match its key');
  }
  return { subject, dnsNames: extensions.dnsNames, ipAddresses: extensions.ipAddresses, publicKey };
}
