/** A machine config as patches see it: decoded documents, the legacy one first. */

import { decodeYaml } from '../decode/documents.ts';
import { emitDocument } from '../encode/emit.ts';
import { plainOut } from '../encode/plain.ts';
import { printStruct } from '../encode/print.ts';
import type { ConfigObject, DocumentSpec } from '../schema/types.ts';
import { LEGACY_KIND } from '../schema/v1alpha1/root.ts';
import type { YamlDocument, YamlStream } from '../yaml/read.ts';
import { readYaml } from '../yaml/read.ts';
import { PatchError } from './error.ts';
import { looseDocument } from './loose.ts';

export interface PatchableDocument {
  /** `v1alpha1` for the legacy document. */
  readonly kind: string;
  /** Empty for the legacy document. */
  readonly apiVersion: string;
  /** Empty for singletons. */
  readonly name: string;
  /** Field tree of the kind; null for kinds that are known by name only, which are merged by general rules. */
  readonly spec: DocumentSpec | null;
  readonly value: ConfigObject;
}

export interface ConfigSet {
  readonly documents: readonly PatchableDocument[];
}

export interface ConfigOptions {
  /** Minor of the Talos release whose tool is at work. */
  readonly minor: number;
  /** Shown in located errors. */
  readonly file?: string;
}

/** Reads a whole config; throws `PatchError` with the loader's message. */
export function loadConfigSet(text: string, options: ConfigOptions): ConfigSet {
  const placed = decodeDocuments(readYaml(text), options, false);
  if (placed.length === 0) throw new PatchError(noDocuments(options.minor));
  placed.sort((a, b) => rank(a.document) - rank(b.document) || a.offset - b.offset);
  return { documents: placed.map(({ document }) => document) };
}

/** The loader's word for a text without documents. */
export function noDocuments(minor: number): string {
  return minor < 14 ? 'config not found' : 'no configuration documents';
}

/** A document with the offset at which it starts. */
export interface PlacedDocument {
  readonly offset: number;
  readonly document: PatchableDocument;
}

/** Decodes what was read; `isPatch` allows the same document twice where the release does. Throws `PatchError`. */
export function decodeDocuments(stream: YamlStream, options: ConfigOptions, isPatch: boolean): PlacedDocument[] {
  const { typed, loose } = splitLoose(stream, options.minor);
  const decoded = decodeYaml(typed, {
    file: options.file ?? 'config',
    minor: options.minor,
    allowDuplicates: isPatch && options.minor >= 12,
  });
  if (decoded.toolError !== undefined) throw new PatchError(decoded.toolError, decoded.errors);
  const placed = [...loose];
  for (const { spec, name, value, node } of decoded.documents) {
    const apiVersion = spec.kind === LEGACY_KIND ? '' : spec.apiVersion;
    placed.push({ offset: node?.offset ?? 0, document: { kind: spec.kind, apiVersion, name, spec, value } });
  }
  return placed;
}

function rank(document: PatchableDocument): number {
  return document.kind === LEGACY_KIND ? 0 : 1;
}

/** Takes documents of kinds without a field tree out of the stream. */
function splitLoose(stream: YamlStream, minor: number): { typed: YamlStream; loose: PlacedDocument[] } {
  const loose: PlacedDocument[] = [];
  const kept: YamlDocument[] = [];
  for (const document of stream.documents) {
    const found = document.root === undefined ? null : looseDocument(document.root, minor);
    if (found === null) kept.push(document);
    else loose.push({ offset: document.offset, document: found });
  }
  return loose.length === 0 ? { typed: stream, loose } : { typed: { ...stream, documents: kept }, loose };
}

/** The stream as the real tool writes it without comments. */
export function printConfigSet(set: ConfigSet, minor: number): string {
  return set.documents.map((document) => printDocument(document, minor)).join('---\n');
}

function printDocument(document: PatchableDocument, minor: number): string {
  if (document.spec !== null) return printStruct(document.spec.struct, document.value, { minor });
  return emitDocument(plainOut(document.value));
}

/** Identity of a document: what a patch document must equal to be merged into it. */
export function documentId(document: { apiVersion: string; kind: string; name: string }): string {
  return `${document.apiVersion}/${document.kind}${document.name === '' ? '' : `/${document.name}`}`;
}

/** Rules of construction that hold for every set (reference E.6, last paragraph of the table). */
export function checkConstruction(documents: readonly PatchableDocument[]): void {
  const seen = new Set<string>();
  const conflicting = new Map<string, string>();
  for (const document of documents) {
    if (document.kind === LEGACY_KIND) {
      if (seen.has(LEGACY_KIND)) throw new PatchError('duplicate v1alpha1.Config');
      seen.add(LEGACY_KIND);
      continue;
    }
    const id = `${document.kind}/${document.name}`;
    if (seen.has(id)) throw new PatchError(`duplicate document: ${id}`);
    seen.add(id);
    const claimed = conflicting.get(id);
    if (claimed !== undefined) throw new PatchError(`conflicting documents: ${claimed} and ${id}`);
    for (const kind of document.spec?.conflictsWith ?? []) {
      const other = `${kind}/${document.name}`;
      if (seen.has(other)) throw new PatchError(`conflicting documents: ${other} and ${id}`);
      conflicting.set(other, id);
    }
  }
}
