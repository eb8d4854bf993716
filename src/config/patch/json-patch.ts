/** JSON patches (RFC 6902), with the errors of the library that the real tool uses (reference/network-config.md E.10). */

import { deepEqual } from '../../platform/deep-equal.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { PatchError } from './error.ts';

/** One operation as it was written; what is wrong with it shows when it is applied. */
export type JsonOperation = ConfigObject;

export interface JsonPatch {
  readonly type: 'json';
  readonly operations: readonly JsonOperation[];
}

/** Applies operations in order; throws `PatchError`. The given value is not changed. */
export function applyJsonPatch(root: ConfigValue, operations: readonly JsonOperation[]): ConfigValue {
  const document = { root: copyOf(root) };
  for (const operation of operations) applyOperation(document, operation);
  return document.root as ConfigValue;
}

/** A private copy that operations change in place. */
type Json = string | number | bigint | boolean | null | Json[] | { [key: string]: Json };

interface Document {
  root: Json;
}

function copyOf(value: ConfigValue): Json {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item)]));
}

function applyOperation(document: Document, operation: JsonOperation): void {
  const kind = typeof operation.op === 'string' ? operation.op : 'unknown';
  const apply = Object.hasOwn(OPERATIONS, kind) ? OPERATIONS[kind] : undefined;
  if (apply === undefined) throw new PatchError(`Unexpected kind: ${kind}`);
  apply(document, operation);
}

const OPERATIONS: Readonly<Record<string, (document: Document, operation: JsonOperation) => void>> = Object.freeze({
  add,
  remove,
  replace,
  move,
  copy,
  test,
});

function add(document: Document, operation: JsonOperation): void {
  const path = pathOf(operation, 'path', 'add');
  const found = find(document, path);
  if (found === null)
    throw new PatchError(`add operation does not apply: doc is missing path: "${path}": missing value`);
  within(`error in add for path: '${path}'`, () => insert(found, copyOf(operation.value ?? null)));
}

function remove(document: Document, operation: JsonOperation): void {
  const path = pathOf(operation, 'path', 'remove');
  const found = find(document, path);
  if (found === null) {
    throw new PatchError(`remove operation does not apply: doc is missing path: "${path}": missing value`);
  }
  within(`error in remove for path: '${path}'`, () => take(found));
}

function replace(document: Document, operation: JsonOperation): void {
  const path = pathOf(operation, 'path', 'replace');
  const found = find(document, path);
  if (found === null) {
    throw new PatchError(`replace operation does not apply: doc is missing path: ${path}: missing value`);
  }
  if (peek(found) === undefined) {
    throw new PatchError(`replace operation does not apply: doc is missing key: ${path}: missing value`);
  }
  put(found, copyOf(operation.value ?? null));
}

function move(document: Document, operation: JsonOperation): void {
  const from = pathOf(operation, 'from', 'move');
  const source = find(document, from);
  if (source === null) {
    throw new PatchError(`move operation does not apply: doc is missing from path: ${from}: missing value`);
  }
  const value = within(`error in move for path: '${source.key}'`, () => take(source));
  const path = pathOf(operation, 'path', 'move');
  const target = find(document, path);
  if (target === null) {
    throw new PatchError(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
  }
  within(`error in move for path: '${path}'`, () => insert(target, value));
}

function copy(document: Document, operation: JsonOperation): void {
  const from = pathOf(operation, 'from', 'copy');
  const source = find(document, from);
  if (source === null) {
    throw new PatchError(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
  }
  const value = peek(source);
  if (value === undefined && Array.isArray(source.container)) {
    throw new PatchError(`error in copy for from: '${from}': ${badIndex(source.key)}`);
  }
  const path = pathOf(operation, 'path', 'copy');
  const target = find(document, path);
  if (target === null) {
    throw new PatchError(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
  }
  within('error while adding value during copy', () => insert(target, copyOf((value ?? null) as ConfigValue)));
}

function test(document: Document, operation: JsonOperation): void {
  const path = pathOf(operation, 'path', 'test');
  const found = find(document, path);
  if (found === null) throw new PatchError(`test operation does not apply: is missing path: ${path}: missing value`);
  const value = peek(found);
  if (value === undefined && Array.isArray(found.container)) {
    throw new PatchError(`error in test for path: '${path}': ${badIndex(found.key)}`);
  }
  if (!deepEqual(value ?? null, operation.value ?? null)) {
    throw new PatchError(`testing value ${path} failed: test failed`);
  }
}

function pathOf(operation: JsonOperation, field: 'path' | 'from', kind: string): string {
  const path = operation[field];
  if (typeof path === 'string') return path;
  const missing = field === 'path' ? 'operation missing path field' : 'operation, missing from field';
  const isBare = field === 'path' && (kind === 'add' || kind === 'remove' || kind === 'copy');
  throw new PatchError(`${kind} operation failed to decode ${field}: ${isBare ? '' : `${missing}: `}missing value`);
}

interface Place {
  readonly container: Json[] | { [key: string]: Json };
  readonly key: string;
}

/** The container that the last step of a pointer names a member of; null when the way there does not exist. */
function find(document: Document, path: string): Place | null {
  const steps = path.split('/');
  if (steps.length < 2) return null;
  let at: Json | undefined = document.root;
  for (const step of steps.slice(1, -1)) {
    if (!isContainer(at)) return null;
    at = peek({ container: at, key: decodeStep(step) });
  }
  return isContainer(at) ? { container: at, key: decodeStep(steps.at(-1)!) } : null;
}

function isContainer(value: Json | undefined): value is Json[] | { [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}

function decodeStep(step: string): string {
  return step.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~'));
}

/** The member, or undefined. */
function peek({ container, key }: Place): Json | undefined {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  return /^[0-9]+$/.test(key) ? container[Number(key)] : undefined;
}

function put({ container, key }: Place, value: Json): void {
  if (Array.isArray(container)) container[Number(key)] = value;
  else setMember(container, key, value);
}

/** Adds a member; in a list before the given position, at the end for `-`, counting from the end for negative ones. */
function insert({ container, key }: Place, value: Json): void {
  if (!Array.isArray(container)) {
    setMember(container, key, value);
  } else if (key === '-') {
    container.push(value);
  } else {
    const index = indexOf(key, `value was not a proper array index: '${key}': `);
    const size = container.length + 1;
    if (index >= size || index < -size) throw new PatchError(badIndex(key));
    container.splice(index < 0 ? index + size : index, 0, value);
  }
}

/** Removes a member and returns it. */
function take({ container, key }: Place): Json {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) throw new PatchError(`Unable to remove nonexistent key: ${key}: missing value`);
    const value = container[key]!;
    delete container[key];
    return value;
  }
  const index = indexOf(key, '');
  if (index >= container.length || index < -container.length) throw new PatchError(badIndex(key));
  return container.splice(index < 0 ? index + container.length : index, 1)[0]!;
}

function setMember(container: { [key: string]: Json }, key: string, value: Json): void {
  Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}

function indexOf(key: string, prefix: string): number {
  if (/^[-+]?[0-9]+$/.test(key)) return Number(key);
  throw new PatchError(`${prefix}strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
}

function badIndex(key: string): string {
  return `Unable to access invalid index: ${key}: invalid index referenced`;
}

/** Runs a step and says where it failed. */
function within<T>(place: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof PatchError) throw new PatchError(`${place}: ${error.message}`);
    throw error;
  }
}
