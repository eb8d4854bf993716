/** Reading patches: what kind one is, and where it comes from (reference/network-config.md E.10 "Loading patches"). */

import type { ConfigValue } from '../schema/types.ts';
import { readYaml } from '../yaml/read.ts';
import { decodeDocuments, noDocuments } from './config-set.ts';
import { extractDeletes } from './delete-markers.ts';
import { PatchError } from './error.ts';
import type { JsonOperation, JsonPatch } from './json-patch.ts';
import { jsonOfNode } from './json-value.ts';
import { orderSteps, type StrategicPatch } from './strategic.ts';

export type Patch = StrategicPatch | JsonPatch;

export interface PatchOptions {
  /** Minor of the Talos release whose tool reads the patch. */
  readonly minor: number;
  /** Shown in located errors. */
  readonly file?: string;
}

/**
 * Reads a patch text: a strategic one when the config loader takes it, else a JSON patch in JSON, else one in YAML.
 * Throws `PatchError`: the JSON error for a text that starts with `[`, else what the config loader said.
 */
export function parsePatch(text: string, options: PatchOptions): Patch {
  try {
    return parseStrategic(text, options);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return parseJsonPatch(text, error);
  }
}

function parseStrategic(text: string, options: PatchOptions): StrategicPatch {
  const { stream, selectors } = extractDeletes(readYaml(text), options.minor);
  const documents = decodeDocuments(stream, { minor: options.minor, file: options.file ?? 'patch' }, true);
  if (documents.length + selectors.length === 0) throw new PatchError(noDocuments(options.minor));
  return { type: 'strategic', steps: orderSteps(documents, selectors) };
}

function parseJsonPatch(text: string, strategicError: PatchError): JsonPatch {
  const fromJson = operationsOfJson(text);
  if (Array.isArray(fromJson)) return { type: 'json', operations: fromJson };
  const fromYaml = operationsOfYaml(text);
  if (fromYaml !== null) return { type: 'json', operations: fromYaml };
  throw text.trimStart().startsWith('[') ? new PatchError(fromJson as string) : strategicError;
}

/** The operations, or the message of Go's JSON decoder. */
function operationsOfJson(text: string): JsonOperation[] | string {
  let parsed: ConfigValue;
  try {
    parsed = JSON.parse(text) as ConfigValue;
  } catch {
    return jsonMessage(text);
  }
  const operations = asOperations(parsed);
  return operations ?? 'json: cannot unmarshal the patch into a list of operations';
}

/** Go's decoder names the first character that does not fit; engines differ in their wording, so we look ourselves. */
function jsonMessage(text: string): string {
  const trimmed = text.trimStart();
  if (trimmed === '') return 'unexpected end of JSON input';
  const rest = trimmed.slice(1).trimStart();
  if (!/^[[{"0-9tfn-]/.test(trimmed)) {
    return `invalid character '${trimmed[0]}' looking for beginning of value`;
  }
  if (trimmed.startsWith('[') && rest !== '' && !/^[[{"0-9tfn\]-]/.test(rest)) {
    return `invalid character '${rest[0]}' looking for beginning of value`;
  }
  return rest.endsWith(']') ? 'invalid character in JSON patch' : 'unexpected end of JSON input';
}

function operationsOfYaml(text: string): JsonOperation[] | null {
  const stream = readYaml(text);
  const root = stream.documents[0]?.root;
  if (stream.problems.length > 0 || root === undefined) return null;
  return asOperations(jsonOfNode(root, text));
}

function asOperations(value: ConfigValue): JsonOperation[] | null {
  if (!Array.isArray(value)) return null;
  const isOperation = (item: ConfigValue): boolean => typeof item === 'object' && item !== null && !Array.isArray(item);
  return value.every(isOperation) ? (value as JsonOperation[]) : null;
}

/** Reads a file as text; throws with a message such as `open x.yaml: no such file or directory`. */
export type ReadText = (path: string) => string;

/**
 * Reads the values of `--config-patch` and `--patch`: inline text, or `@file`. From v1.12 on a value without blanks and line
 * breaks that does not start with `[` or `{` is a file name too. JSON patches that follow each other become one.
 */
export function loadPatches(values: readonly string[], readText: ReadText, options: PatchOptions): Patch[] {
  const patches: Patch[] = [];
  for (const value of values) {
    const path = patchFile(value, options.minor);
    const patch = path === null ? parsePatch(value, options) : parsePatch(readText(path), { ...options, file: path });
    const last = patches.at(-1);
    if (patch.type === 'json' && last?.type === 'json') {
      patches[patches.length - 1] = { type: 'json', operations: [...last.operations, ...patch.operations] };
    } else {
      patches.push(patch);
    }
  }
  return patches;
}

/** The file a value names, or null when it is the patch itself. */
function patchFile(value: string, minor: number): string | null {
  if (value.startsWith('@')) return value.slice(1);
  return minor >= 12 && !/[\n ]/.test(value) && !/^[[{]/.test(value) ? value : null;
}
