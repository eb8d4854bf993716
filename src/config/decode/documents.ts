/**
 * Splits a stream into documents and decodes each (reference/network-config.md E.1; v1.11.3.md 11.3).
 * Besides located errors the result carries what the real loader would have said, which stops at its first problem.
 */

import { goQuote } from '../../platform/text/quote.ts';
import { type ConfigError, sortErrors } from '../errors.ts';
import { documentSpec, kindSince } from '../schema/registry.ts';
import type { ConfigObject, DocumentSpec } from '../schema/types.ts';
import { LEGACY_KIND } from '../schema/v1alpha1/root.ts';
import type { LineIndex } from '../yaml/lines.ts';
import { deref, isNull, lookup, type MapNode, type YamlNode } from '../yaml/node.ts';
import { readYaml, type YamlStream } from '../yaml/read.ts';
import { type DecodeContext, reportAt } from './context.ts';
import { decodeStruct } from './decode.ts';
import { unknownKeysText } from './unknown.ts';

/** A decoded document with the node it came from, for positions. */
export interface ConfigDocument {
  readonly spec: DocumentSpec;
  /** Empty for singletons. */
  readonly name: string;
  readonly value: ConfigObject;
  readonly node: YamlNode | undefined;
}

export interface DecodedStream {
  readonly documents: readonly ConfigDocument[];
  readonly errors: readonly ConfigError[];
  /** The real loader's error text; undefined when there is no error. */
  readonly toolError: string | undefined;
  readonly lines: LineIndex;
}

export interface DecodeOptions {
  readonly file: string;
  readonly minor: number;
  /** Same kind and name twice is accepted (patches from v1.12 on). */
  readonly allowDuplicates?: boolean;
}

/** Decodes all documents of a text. Never throws. */
export function decodeStream(text: string, options: DecodeOptions): DecodedStream {
  return decodeYaml(readYaml(text), options);
}

/** Decodes a stream that was read before, perhaps with parts of it taken out (patches). */
export function decodeYaml(stream: YamlStream, options: DecodeOptions): DecodedStream {
  const run = new Run(stream, options);
  run.syntax();
  for (const document of stream.documents) {
    run.document(document.root, document.offset);
  }
  return {
    documents: run.documents,
    errors: sortErrors(run.errors),
    toolError: run.toolError,
    lines: stream.lines,
  };
}

const LEGACY_WORDS: readonly string[] = Object.freeze(['machine', 'cluster', 'debug', 'persist']);

class Run {
  readonly documents: ConfigDocument[] = [];
  readonly errors: ConfigError[] = [];
  toolError: string | undefined;
  private seen = new Map<string, number>();
  private readonly stream: YamlStream;
  private readonly options: DecodeOptions;

  constructor(stream: YamlStream, options: DecodeOptions) {
    this.stream = stream;
    this.options = options;
  }

  /** Problems of the YAML text itself. */
  syntax(): void {
    for (const problem of this.stream.problems) {
      const { line, column } = this.stream.lines.at(problem.offset);
      const related = problem.related === undefined ? 0 : this.stream.lines.at(problem.related).line;
      const message = related === 0 ? problem.message : `${problem.message} at line ${related}`;
      this.errors.push({ file: this.options.file, line, column, path: '', message, hint: problem.hint });
      this.toolError ??=
        related === 0
          ? `decode error: yaml: line ${line}: ${message}`
          : `yaml: unmarshal errors:\n  line ${line}: ${message}`;
    }
  }

  document(root: YamlNode | undefined, offset: number): void {
    if (root === undefined || isNull(root)) {
      // Up to v1.11 an empty document is refused, later ones skip it (reference/v1.11.3.md 11.3).
      if (this.options.minor < 12) {
        this.fail(offset, 'missing kind', 'missing kind', 'remove the empty document (two separators in a row)');
      }
      return;
    }
    const target = deref(root);
    if (target.kind !== 'map') {
      const { line } = this.stream.lines.at(offset);
      const tool = this.options.minor < 12 ? 'expected a document' : `expected a YAML document at line ${line}`;
      this.fail(offset, 'a document must be a mapping', tool, '');
      return;
    }
    const spec = this.identify(target);
    if (spec !== undefined) {
      this.decode(spec, target);
    }
  }

  private identify(root: MapNode): DocumentSpec | undefined {
    const { text: kind, node: kindNode } = headerText(root, 'kind');
    const header = headerText(root, 'apiVersion');
    const legacy = root.entries.some((entry) => entry.key.kind === 'scalar' && LEGACY_WORDS.includes(entry.key.text));
    const version = legacy ? 'v1alpha1' : header.text;
    const place = kindNode?.offset ?? root.offset;
    if (kind === '') {
      if (version === 'v1alpha1') {
        return documentSpec(LEGACY_KIND, this.options.minor);
      }
      const hint = 'a document has machine: or cluster:, or else apiVersion: and kind:';
      this.fail(place, 'missing kind', 'missing kind', hint);
      return undefined;
    }
    const unregistered = `${goQuote(kind)} ${goQuote(version)}: not registered`;
    if (version === '') {
      const tool = this.options.minor < 12 ? unregistered : 'missing apiVersion';
      this.fail(place, 'missing apiVersion', tool, 'add apiVersion: v1alpha1');
      return undefined;
    }
    const spec = version === 'v1alpha1' ? documentSpec(kind, this.options.minor) : undefined;
    if (spec === undefined || kind === LEGACY_KIND) {
      this.fail(place, unregistered, unregistered, unknownKindHint(kind, version, this.options.minor));
      return undefined;
    }
    return spec;
  }

  private decode(spec: DocumentSpec, root: MapNode): void {
    const context: DecodeContext = {
      file: this.options.file,
      lines: this.stream.lines,
      minor: this.options.minor,
      path: [],
      errors: this.errors,
      unmarshal: [],
      fatal: undefined,
      aliasDepth: 0,
    };
    const value = decodeStruct(context, spec.struct, root) ?? {};
    const name = spec.named && typeof value.name === 'string' ? value.name : '';
    this.noteDuplicate(spec, name, root);
    this.toolError ??= toolText(spec, context, root);
    this.documents.push({ spec, name, value, node: root });
  }

  private noteDuplicate(spec: DocumentSpec, name: string, root: MapNode): void {
    const id = `v1alpha1/${spec.kind}/${name}`;
    const earlier = this.seen.get(id);
    if (earlier !== undefined && this.options.allowDuplicates !== true) {
      const { line } = this.stream.lines.at(earlier);
      const apiVersion = spec.kind === LEGACY_KIND ? '' : 'v1alpha1';
      const tool = `duplicate document ${apiVersion}/${spec.kind}/${name} is not allowed`;
      this.fail(root.offset, tool, tool, `the first one is at line ${line}`);
    }
    this.seen.set(id, earlier ?? root.offset);
  }

  private fail(offset: number, message: string, tool: string, hint: string): void {
    reportAt({ file: this.options.file, lines: this.stream.lines, errors: this.errors }, offset, [], message, hint);
    this.toolError ??= tool;
  }
}

function headerText(root: MapNode, key: string): { readonly text: string; readonly node: YamlNode | undefined } {
  const node = lookup(root, key);
  const target = node === undefined ? undefined : deref(node);
  const text = target?.kind === 'scalar' && target.tag !== 'null' ? target.text : '';
  return { text, node };
}

function unknownKindHint(kind: string, version: string, minor: number): string {
  const since = kindSince(kind);
  if (since !== undefined && since > minor) {
    return `known from v1.${since} on; this is checked for v1.${minor}`;
  }
  return version === 'v1alpha1' ? 'no release has this kind' : 'the only apiVersion is v1alpha1';
}

function toolText(spec: DocumentSpec, context: DecodeContext, root: MapNode): string | undefined {
  const legacy = spec.kind === LEGACY_KIND;
  const prefix = `error decoding ${legacy ? '' : spec.kind} to *${spec.struct.goType}: `;
  if (context.fatal !== undefined) {
    return prefix + context.fatal;
  }
  if (context.unmarshal.length > 0) {
    return `${prefix}yaml: unmarshal errors:\n  ${context.unmarshal.join('\n  ')}`;
  }
  return unknownKeysText(spec.struct, root, context.minor);
}
