/**
 * `$patch: delete` in patch documents: the markers are cut out of the node tree and become selectors
 * (reference/network-config.md E.10 "`$patch: delete`").
 */

import { deref, keyText, type ListNode, lookup, type MapEntry, type MapNode, type YamlNode } from '../yaml/node.ts';
import type { YamlDocument, YamlStream } from '../yaml/read.ts';
import { PatchError } from './error.ts';

/** What one marker asks to delete. */
export interface DeleteSelector {
  readonly apiVersion: string;
  /** `v1alpha1` for the legacy document. */
  readonly kind: string;
  readonly name: string;
  /** Keys down to the place, list positions as `[i]`; empty for the whole document. */
  readonly path: readonly string[];
  /** For a list element: the field that identifies it and its text. */
  readonly key: string;
  readonly value: string;
  /** Where its document starts in the patch. */
  readonly offset: number;
}

export interface ExtractedDeletes {
  readonly stream: YamlStream;
  readonly selectors: readonly DeleteSelector[];
}

/** Cuts all markers out of a patch stream; throws `PatchError` for markers that make no sense. */
export function extractDeletes(stream: YamlStream, minor: number): ExtractedDeletes {
  const selectors: DeleteSelector[] = [];
  const documents: YamlDocument[] = [];
  for (const document of stream.documents) {
    if (document.root === undefined) {
      documents.push(document);
      continue;
    }
    const root = cutDocument(document, selectors, stream, minor);
    if (root !== null) documents.push({ ...document, root });
  }
  return { stream: { ...stream, documents }, selectors };
}

/** The document without its markers; null when nothing but a header is left. */
function cutDocument(
  document: YamlDocument,
  selectors: DeleteSelector[],
  stream: YamlStream,
  minor: number,
): YamlNode | null {
  try {
    const cutter = new Cutter(document.root!, document.offset, selectors);
    const rest = cutter.cut(document.root!, [], 'document');
    return rest === null || isHeaderOnly(rest) ? null : rest;
  } catch (error) {
    if (!(error instanceof PatchError) || minor < 12) throw error;
    const { line } = stream.lines.at(document.offset);
    throw new PatchError(`error processing patch delete statements at line ${line}: ${error.message}`);
  }
}

/** `apiVersion` is not among the header keys: a document that has one stays, and is merged (quirk, reference E.10). */
function isHeaderOnly(root: YamlNode): boolean {
  if (root.kind !== 'map') return false;
  return root.entries.every(({ key, value }) => {
    if (key.kind !== 'scalar' || value.kind !== 'scalar') return false;
    return key.text === 'version' || key.text === 'kind' || key.text === 'name';
  });
}

class Cutter {
  readonly #root: YamlNode;
  readonly #offset: number;
  readonly #selectors: DeleteSelector[];

  constructor(root: YamlNode, offset: number, selectors: DeleteSelector[]) {
    this.#root = root;
    this.#offset = offset;
    this.#selectors = selectors;
  }

  /** The node without markers; null when it is to go as a whole. Aliases are not looked behind. */
  cut(node: YamlNode, path: readonly string[], parent: 'document' | 'map' | 'list'): YamlNode | null {
    if (node.kind === 'map') return this.#cutMap(node, path, parent);
    if (node.kind === 'list') return this.#cutList(node, path);
    return node;
  }

  #cutMap(node: MapNode, path: readonly string[], parent: 'document' | 'map' | 'list'): YamlNode | null {
    const kept: MapEntry[] = [];
    for (const entry of node.entries) {
      if (isMarker(entry)) {
        if (parent === 'list') this.#selectElement(node, path);
        else this.#selectPath(path);
        return null;
      }
      const value = this.cut(entry.value, [...path, keyText(entry.key) ?? ''], 'map');
      if (value !== null) kept.push(value === entry.value ? entry : { key: entry.key, value });
    }
    if (kept.length === 0 && node.entries.length > 0) return null;
    const isSame = kept.length === node.entries.length && kept.every((entry, i) => entry === node.entries[i]);
    return isSame ? node : { ...node, entries: kept };
  }

  #cutList(node: ListNode, path: readonly string[]): YamlNode | null {
    const kept: YamlNode[] = [];
    for (const item of node.items) {
      // Positions count what is left of the list, as in the real tool.
      const rest = this.cut(item, [...path, `[${kept.length}]`], 'list');
      if (rest !== null) kept.push(rest);
    }
    if (kept.length === 0 && node.items.length > 0) return null;
    const isSame = kept.length === node.items.length && kept.every((item, i) => item === node.items[i]);
    return isSame ? node : { ...node, items: kept };
  }

  #selectPath(path: readonly string[]): void {
    if (path.some((step) => step.startsWith('['))) {
      throw new PatchError(`cannot delete an inner key in '${path.join('.')}'`);
    }
    this.#select(path, '', '');
  }

  #selectElement(node: MapNode, path: readonly string[]): void {
    const entry = node.entries.find((other) => !isMarker(other));
    if (entry === undefined) {
      throw new PatchError(`no key:val found in sequence node for path ${path.join('.')}`);
    }
    const value = deref(entry.value);
    this.#select(path, keyText(entry.key) ?? '', value.kind === 'scalar' ? value.text : '');
  }

  #select(path: readonly string[], key: string, value: string): void {
    const isRequired = path.length === 0;
    const apiVersion = this.#header('apiVersion', isRequired);
    const kind = this.#header('kind', isRequired);
    if ((kind === '') !== (apiVersion === '')) {
      throw new PatchError(`kind and apiVersion must be both set for path ${path.join('.')}`);
    }
    this.#selectors.push({
      apiVersion,
      kind: kind === '' ? 'v1alpha1' : kind,
      name: this.#header('name', false),
      path,
      key,
      value,
      offset: this.#offset,
    });
  }

  #header(key: string, isRequired: boolean): string {
    const node = lookup(this.#root, key);
    if (node === undefined && isRequired) {
      throw new PatchError(`missing ${key} in document for which $patch: delete is used`);
    }
    return node === undefined ? '' : (scalarText(node) ?? '');
  }
}

function scalarText(node: YamlNode): string | undefined {
  const target = deref(node);
  return target.kind === 'scalar' ? target.text : undefined;
}

function isMarker(entry: MapEntry): boolean {
  return entry.value.kind === 'scalar' && entry.value.text === 'delete' && keyText(entry.key) === '$patch';
}
