/** A loaded machine configuration: documents, text and version (reference/network-config.md E.1). */
import { type ConfigDocument, type DecodedStream, decodeStream } from './decode/documents.ts';
import { type EnvSource, fillPlaceholders } from './env.ts';
import { type ConfigError, type Path, sortErrors } from './errors.ts';
import type { ConfigObject } from './schema/types.ts';
import { LEGACY_KIND } from './schema/v1alpha1/root.ts';
import { DEFAULT_VERSION, type TalosVersion } from './version.ts';
import { textAt } from './view.ts';
import type { LineIndex } from './yaml/lines.ts';
import { deref, keyText, type Position, type YamlNode } from './yaml/node.ts';

/** An immutable configuration. `documents` has the legacy document first, the others in stored order. */
export interface Config {
  readonly file: string;
  /** Original text, which is also what the real container gives back when it was only loaded. */
  readonly text: string;
  readonly version: TalosVersion;
  readonly documents: readonly ConfigDocument[];
  readonly lines: LineIndex;
}

export interface LoadOptions {
  /** Name shown in errors. */
  readonly file?: string;
  readonly version?: TalosVersion;
  /** Values for `${NAME}` placeholders; without it each placeholder is refused by name. */
  readonly env?: EnvSource;
}

export type LoadResult =
  | { readonly config: Config }
  | {
      readonly errors: readonly ConfigError[];
      /** The text of the real loader, which stops at its first problem. */
      readonly toolError: string;
    };

/** Loads a configuration text: all problems at once, or the configuration. Never throws. */
export function loadConfig(text: string, options: LoadOptions = {}): LoadResult {
  const file = options.file ?? 'config.yaml';
  const version = options.version ?? DEFAULT_VERSION;
  const filled = fillPlaceholders(text, file, options.env);
  if (filled.errors.length > 0) {
    return { errors: filled.errors, toolError: filled.errors[0]!.message };
  }
  const stream = decodeStream(filled.text, { file, minor: version.minor });
  const errors = [...stream.errors, ...conflicts(stream, file), ...peerConflicts(stream, file)];
  if (stream.documents.length === 0 && errors.length === 0) {
    errors.push({ file, line: 1, column: 1, path: '', message: 'config not found', hint: 'the file has no document' });
  }
  if (errors.length > 0) {
    const sorted = sortErrors(errors);
    return { errors: sorted, toolError: stream.toolError ?? sorted[0]!.message };
  }
  return {
    config: { file, text: filled.text, version, documents: legacyFirst(stream.documents), lines: stream.lines },
  };
}

/** Assembles a configuration from decoded values, e.g. a generated or patched one. */
export function configOf(documents: readonly ConfigDocument[], text: string, version: TalosVersion): Config {
  return {
    file: 'config.yaml',
    text,
    version,
    documents: legacyFirst(documents),
    lines: { at: () => ({ line: 0, column: 0 }) },
  };
}

function legacyFirst(documents: readonly ConfigDocument[]): readonly ConfigDocument[] {
  const legacy = documents.filter((document) => document.spec.kind === LEGACY_KIND);
  return [...legacy, ...documents.filter((document) => document.spec.kind !== LEGACY_KIND)];
}

/** Kinds that must not share a name (reference E.6, construction). */
function conflicts(stream: DecodedStream, file: string): ConfigError[] {
  const seen = new Set<string>();
  const claimed = new Map<string, string>();
  const errors: ConfigError[] = [];
  for (const { spec, name, node } of stream.documents) {
    const id = `${spec.kind}/${name}`;
    const earlier =
      claimed.get(id) ?? spec.conflictsWith.map((kind) => `${kind}/${name}`).find((other) => seen.has(other));
    if (earlier !== undefined) {
      const place = node === undefined ? { line: 0, column: 0 } : stream.lines.at(node.offset);
      const hint = 'give one of them another name';
      errors.push({ file, ...place, path: 'name', message: `conflicting documents: ${earlier} and ${id}`, hint });
    }
    seen.add(id);
    for (const kind of spec.conflictsWith) {
      claimed.set(`${kind}/${name}`, id);
    }
  }
  return errors;
}

/** A veth pair makes two links: its peer's name must be nobody else's (reference E.6, construction). */
function peerConflicts(stream: DecodedStream, file: string): ConfigError[] {
  const owners = new Map<string, string>();
  const pairs = stream.documents.filter(({ spec }) => spec.kind === 'VethConfig');
  const isLink = (kind: string): boolean =>
    pairs.some(({ spec }) => spec.kind === kind || spec.conflictsWith.includes(kind));
  for (const { spec, name } of stream.documents) if (isLink(spec.kind)) owners.set(name, `${spec.kind}/${name}`);
  const errors: ConfigError[] = [];
  for (const { spec, name, value, node } of pairs) {
    const peer = textAt(value, 'peer', 'name');
    const id = `${spec.kind}/${name}`;
    const owner = owners.get(peer);
    if (owner !== undefined && owner !== id) {
      const place = node === undefined ? { line: 0, column: 0 } : stream.lines.at(node.offset);
      const hint = 'give one of them another name';
      const message = `conflicting documents: ${owner} and the peer of ${id}`;
      errors.push({ file, ...place, path: 'peer.name', message, hint });
    }
    if (peer !== '') owners.set(peer, `the peer of ${id}`);
  }
  return errors;
}

/** The legacy document's value, if the configuration has one. */
export function legacyOf(config: Config): ConfigObject | undefined {
  return config.documents.find((document) => document.spec.kind === LEGACY_KIND)?.value;
}

/** Values of all documents of a kind. */
export function documentsOf(config: Config, kind: string): readonly ConfigObject[] {
  return config.documents.filter((document) => document.spec.kind === kind).map((document) => document.value);
}

/** Where a field of a document stands, or the nearest parent that was written. */
export function locate(config: Config, document: ConfigDocument, path: Path): Position | undefined {
  if (document.node === undefined) {
    return undefined;
  }
  let node: YamlNode = document.node;
  let offset = node.offset;
  for (const step of path) {
    const target = deref(node);
    if (target.kind === 'list' && typeof step === 'number' && target.items[step] !== undefined) {
      node = target.items[step];
      offset = node.offset;
      continue;
    }
    const entry =
      target.kind === 'map' ? target.entries.find((candidate) => keyText(candidate.key) === String(step)) : undefined;
    if (entry === undefined) {
      break;
    }
    node = entry.value;
    offset = entry.key.offset;
  }
  return config.lines.at(offset);
}
