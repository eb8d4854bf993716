/** Header fields that every side document starts with. */
import { field, str } from '../build.ts';
import type { DocumentSpec, Field, StructSpec } from '../types.ts';

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
  options: { since?: number; conflictsWith?: readonly string[]; named?: boolean } = {},
): DocumentSpec {
  return Object.freeze({
    kind,
    apiVersion: 'v1alpha1',
    group,
    struct,
    named: options.named ?? struct.byName.name !== undefined,
    doc,
    since: options.since ?? 0,
    conflictsWith: Object.freeze([...(options.conflictsWith ?? [])]),
  });
}
