/** Header fields that every side document starts with. */
import { type FieldOptions, field, int, str, struct, structType, text } from '../build.ts';
import type { DocumentSpec, Field, StructSpec } from '../types.ts';
import { byteSizeCodec, expressionCodec, routingTableCodec } from './codecs.ts';

export const header: readonly Field[] = Object.freeze([
  field('apiVersion', str, 'Version of the document schema.'),
  field('kind', str, 'Kind of the document.', { print: 'always' }),
]);

/** Header of a named document. */
export function named(doc: string): readonly Field[] {
  return [...header, field('name', str, doc, { print: 'always' })];
}

/** Registers a struct as a document kind. */
export function documentKind(
  kind: string,
  group: string,
  struct: StructSpec,
  doc: string,
  options: { since?: number; conflictsWith?: readonly string[] } = {},
): DocumentSpec {
  return Object.freeze({
    kind,
    apiVersion: 'v1alpha1',
    group,
    struct,
    named: struct.byName.name !== undefined,
    doc,
    since: options.since ?? 0,
    conflictsWith: Object.freeze([...(options.conflictsWith ?? [])]),
  });
}

/** A row of a table of kinds. */
export interface KindRow {
  readonly kind: string;
  readonly group: string;
  readonly since: number;
  readonly doc: string;
  /** Says what the name is; absent for singletons. */
  readonly name?: string | undefined;
  readonly fields: readonly Field[];
  /** Other kinds that must not exist with the same name. */
  readonly conflictsWith?: readonly string[];
}

/** The kind that a row describes. */
export function kindOf({ kind, group, since, doc, name, fields, conflictsWith = [] }: KindRow): DocumentSpec {
  const start = name === undefined ? header : named(name);
  const spec = struct(`${group}.${kind}V1Alpha1`, [...start, ...fields]);
  return documentKind(kind, group, spec, doc, { since, conflictsWith });
}

/** A struct field that is no pointer. */
export const plain = (
  name: string,
  goType: string,
  fields: readonly Field[],
  doc: string,
  options: FieldOptions = {},
): Field => field(name, structType(struct(goType, fields)), doc, options);

/** An expression. A patch without one takes it away (reference E.10). */
export const expression = (name: string, doc: string): Field =>
  field(name, text(expressionCodec), doc, { merge: 'copy' });

/** A size in bytes. A patch without one takes it away (reference E.10). */
export const byteSize = (name: string, doc: string): Field => field(name, text(byteSizeCodec), doc, { merge: 'copy' });

/** A number of which zero is a value. */
export const count = (name: string, doc: string): Field => field(name, int('uint32'), doc, { pointer: true });

/** A certificate with its key, both as PEM. */
export const certificateAndKey: StructSpec = struct('meta.CertificateAndKey', [
  field('cert', str, 'Certificate, PEM.'),
  field('key', str, 'Key, PEM.', { secret: true }),
]);

/** A routing table by name or number. */
export const table = (options: FieldOptions = {}): Field =>
  field('table', text(routingTableCodec), 'Routing table.', options);
