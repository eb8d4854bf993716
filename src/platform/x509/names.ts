/** Distinguished names, as Go's `pkix.Name` encodes them. */

import { utf8Decode, utf8Encode } from '../bytes.ts';
import type { DistinguishedName, SubjectName } from '../crypto.ts';
import { DerReader, element, objectIdentifier, sequence, setOf, TAG } from './der.ts';

const OID_ORGANIZATION = '2.5.4.10';
const OID_COMMON_NAME = '2.5.4.3';

export function nameOf(subject: SubjectName): DistinguishedName {
  return { organizations: subject.organizations ?? [], commonName: subject.commonName ?? '', der: null };
}

/** All organizations share one relative name, the common name has its own. */
export function encodeName(name: DistinguishedName): Uint8Array {
  if (name.der !== null) return name.der;
  const parts: Uint8Array[] = [];
  if (name.organizations.length > 0) {
    parts.push(setOf(name.organizations.map((value) => attribute(OID_ORGANIZATION, value))));
  }
  if (name.commonName !== '') parts.push(setOf([attribute(OID_COMMON_NAME, name.commonName)]));
  return sequence(...parts);
}

function attribute(oid: string, value: string): Uint8Array {
  const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value);
  return sequence(objectIdentifier(oid), element(printable ? TAG.printableString : TAG.utf8String, utf8Encode(value)));
}

export function decodeName(reader: DerReader): DistinguishedName {
  const { content, whole } = reader.expect(TAG.sequence, 'name');
  const organizations: string[] = [];
  let commonName = '';
  const relativeNames = new DerReader(content);
  while (!relativeNames.atEnd) {
    const attributes = new DerReader(relativeNames.expect(TAG.set, 'relative name').content);
    while (!attributes.atEnd) {
      const pair = attributes.sequence('name attribute');
      const oid = pair.identifier('name attribute type');
      const value = utf8Decode(pair.next().content);
      if (oid === OID_ORGANIZATION) organizations.push(value);
      if (oid === OID_COMMON_NAME) commonName = value;
    }
  }
  return { organizations, commonName, der: whole };
}
