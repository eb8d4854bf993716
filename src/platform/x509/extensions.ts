/** Certificate extensions (RFC 5280, 4.2) in the order in which Go writes them. */

import { utf8Decode, utf8Encode } from '../bytes.ts';
import type { ExtendedKeyUsage, KeyUsage } from '../crypto.ts';
import { CryptoError } from '../crypto.ts';
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
} from './der.ts';
import { ipBytes, ipText } from './ip.ts';

const OID = Object.freeze({
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
});

const OID_EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

const KEY_USAGE_BITS: readonly (readonly [KeyUsage, number])[] = Object.freeze([
  ['digital-signature', 0],
  ['key-encipherment', 2],
  ['cert-sign', 5],
  ['crl-sign', 6],
]);

const EXTENDED_USAGE_OIDS: readonly (readonly [ExtendedKeyUsage, string])[] = Object.freeze([
  ['server-auth', '1.3.6.1.5.5.7.3.1'],
  ['client-auth', '1.3.6.1.5.5.7.3.2'],
]);

export interface Extensions {
  readonly isCa: boolean;
  readonly keyUsages: readonly KeyUsage[];
  readonly extendedKeyUsages: readonly ExtendedKeyUsage[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Bytes of the identifiers; empty when absent. */
  readonly subjectKeyId: Uint8Array;
  readonly authorityKeyId: Uint8Array;
}

const CRITICAL = true;

export function encodeExtensions(extensions: Extensions, subjectIsEmpty: boolean): Uint8Array {
  const list: Uint8Array[] = [];
  if (extensions.keyUsages.length > 0) list.push(extension(OID.keyUsage, CRITICAL, keyUsageBits(extensions.keyUsages)));
  if (extensions.extendedKeyUsages.length > 0) {
    const usages = extensions.extendedKeyUsages.map((usage) => objectIdentifier(oidOfUsage(usage)));
    list.push(extension(OID.extendedKeyUsage, !CRITICAL, sequence(...usages)));
  }
  if (extensions.isCa) {
    list.push(extension(OID.basicConstraints, CRITICAL, sequence(element(TAG.boolean, Uint8Array.of(0xff)))));
  }
  if (extensions.subjectKeyId.length > 0) {
    list.push(extension(OID.subjectKeyId, !CRITICAL, element(TAG.octetString, extensions.subjectKeyId)));
  }
  if (extensions.authorityKeyId.length > 0) {
    const id = sequence(element(implicitTag(0), extensions.authorityKeyId));
    list.push(extension(OID.authorityKeyId, !CRITICAL, id));
  }
  const names = alternativeNames(extensions.dnsNames, extensions.ipAddresses);
  if (names !== null) list.push(extension(OID.alternativeNames, subjectIsEmpty, names));
  return sequence(...list);
}

function extension(oid: string, critical: boolean, value: Uint8Array): Uint8Array {
  const flag = critical ? [element(TAG.boolean, Uint8Array.of(0xff))] : [];
  return sequence(objectIdentifier(oid), ...flag, element(TAG.octetString, value));
}

/** A named bit list: trailing zero bits are dropped. */
function keyUsageBits(usages: readonly KeyUsage[]): Uint8Array {
  let byte = 0;
  let last = 0;
  for (const [usage, bit] of KEY_USAGE_BITS) {
    if (!usages.includes(usage)) continue;
    byte |= 0x80 >>> bit;
    last = bit;
  }
  return bitString(Uint8Array.of(byte), 7 - last);
}

function oidOfUsage(usage: ExtendedKeyUsage): string {
  return EXTENDED_USAGE_OIDS.find(([name]) => name === usage)![1];
}

/** The value of subjectAltName, or null when there are no names. Throws invalid-argument for a text that is no address. */
function alternativeNames(dnsNames: readonly string[], ipAddresses: readonly string[]): Uint8Array | null {
  if (dnsNames.length === 0 && ipAddresses.length === 0) return null;
  const names = dnsNames.map((name) => element(implicitTag(2), utf8Encode(name)));
  for (const address of ipAddresses) {
    const bytes = ipBytes(address);
    if (bytes === null) throw new CryptoError('invalid-argument', `not an IP address: ${address}`);
    names.push(element(implicitTag(7), bytes));
  }
  return sequence(...names);
}

interface MutableExtensions {
  isCa: boolean;
  keyUsages: KeyUsage[];
  extendedKeyUsages: ExtendedKeyUsage[];
  dnsNames: string[];
  ipAddresses: string[];
  subjectKeyId: Uint8Array;
  authorityKeyId: Uint8Array;
}

/** Reads the extensions that we know; others are skipped. `list` is null when there are none. */
export function decodeExtensions(list: DerReader | null): Extensions {
  const found: MutableExtensions = {
    isCa: false,
    keyUsages: [],
    extendedKeyUsages: [],
    dnsNames: [],
    ipAddresses: [],
    subjectKeyId: new Uint8Array(0),
    authorityKeyId: new Uint8Array(0),
  };
  while (list !== null && !list.atEnd) {
    const one = list.sequence('extension');
    const oid = one.identifier('extension id');
    one.optional(TAG.boolean);
    decodeExtension(found, oid, new DerReader(one.expect(TAG.octetString, 'extension value').content));
  }
  return found;
}

function decodeExtension(found: MutableExtensions, oid: string, value: DerReader): void {
  if (oid === OID.keyUsage) {
    const bits = value.bitString('key usage');
    found.keyUsages = KEY_USAGE_BITS.filter(([, bit]) => ((bits[0] ?? 0) & (0x80 >>> bit)) !== 0).map(
      ([usage]) => usage,
    );
  } else if (oid === OID.extendedKeyUsage) {
    const usages = value.sequence('extended key usage');
    while (!usages.atEnd) {
      const usageOid = usages.identifier('extended key usage');
      const known = EXTENDED_USAGE_OIDS.find(([, usage]) => usage === usageOid);
      if (known !== undefined) found.extendedKeyUsages.push(known[0]);
    }
  } else if (oid === OID.basicConstraints) {
    const flag = value.sequence('basic constraints').optional(TAG.boolean);
    found.isCa = flag !== null && flag.content[0] !== 0;
  } else if (oid === OID.subjectKeyId) {
    found.subjectKeyId = value.expect(TAG.octetString, 'subject key id').content;
  } else if (oid === OID.authorityKeyId) {
    const id = value.sequence('authority key id').optional(implicitTag(0));
    if (id !== null) found.authorityKeyId = id.content;
  } else if (oid === OID.alternativeNames) {
    decodeAlternativeNames(found, value.sequence('alternative names'));
  }
}

function decodeAlternativeNames(found: MutableExtensions, names: DerReader): void {
  while (!names.atEnd) {
    const { tag, content } = names.next();
    if (tag === implicitTag(2)) found.dnsNames.push(utf8Decode(content));
    if (tag !== implicitTag(7)) continue;
    if (content.length !== 4 && content.length !== 16) throw malformed('IP address');
    found.ipAddresses.push(ipText(content));
  }
}

/** The extension list inside a signing request, or null when the request has none. */
export function requestedExtensions(attributes: DerReader): DerReader | null {
  while (!attributes.atEnd) {
    const attribute = attributes.sequence('request attribute');
    if (attribute.identifier('request attribute id') !== OID_EXTENSION_REQUEST) continue;
    return new DerReader(attribute.expect(TAG.set, 'extension request').content).sequence('extension list');
  }
  return null;
}

/** Attribute block of a signing request that asks for alternative names. */
export function encodeRequestAttributes(dnsNames: readonly string[], ipAddresses: readonly string[]): Uint8Array {
  const names = alternativeNames(dnsNames, ipAddresses);
  if (names === null) return element(explicitTag(0));
  const list = sequence(extension(OID.alternativeNames, !CRITICAL, names));
  return element(explicitTag(0), sequence(objectIdentifier(OID_EXTENSION_REQUEST), element(TAG.set, list)));
}
