/** Applies delete selectors to decoded documents (reference/network-config.md E.10; v1.11.3.md 11.5). */

import { fieldIn } from '../schema/registry.ts';
import type { ConfigObject, ConfigValue, Field, StructSpec, Type } from '../schema/types.ts';
import type { PatchableDocument } from './config-set.ts';
import type { DeleteSelector } from './delete-markers.ts';
import { PatchError } from './error.ts';

/** The document without what the selector names; null when the document itself goes. Throws `PatchError`. */
export function applyDelete(
  document: PatchableDocument,
  selector: DeleteSelector,
  minor: number,
): PatchableDocument | null {
  if (selector.path.length === 0) return null;
  const path = selector.path.join('.');
  const type: Type = document.spec === null ? OBJECT : { kind: 'struct', struct: document.spec.struct };
  try {
    const value = deleteAt({ minor, selector, isLoose: document.spec === null }, type, document.value, selector.path);
    return { ...document, value: value as ConfigObject };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const where = `${document.apiVersion}/${document.kind}`;
    const inner = `failed to delete path '${path}': ${error.message}`;
    if (selector.name !== '') throw new PatchError(`named patch delete: document ${where}: ${inner}`);
    throw new PatchError(`patch delete: path '${path}' in document '${where}': ${inner}`);
  }
}

const OBJECT: Type = Object.freeze({ kind: 'object', goType: 'map[string]interface {}' });

interface Context {
  readonly minor: number;
  readonly selector: DeleteSelector;
  /** Lists of a loose document hold structs, although no schema says so. */
  readonly isLoose: boolean;
}

/** The value with the place removed; `path` is never empty. */
function deleteAt(context: Context, type: Type, value: ConfigValue, path: readonly string[]): ConfigValue {
  switch (type.kind) {
    case 'struct':
      return deleteInStruct(context, type.struct, value as ConfigObject, path);
    case 'map':
      return deleteInMap(context, type.value, value as ConfigObject, path);
    case 'object':
    case 'argument':
      return deleteInFree(context, value, path);
    case 'list':
      return deleteInList(context, type.element, value as readonly ConfigValue[], path);
    default:
      throw lookupFailed();
  }
}

function lookupFailed(): PatchError {
  return new PatchError('lookup failed');
}

function deleteInStruct(context: Context, spec: StructSpec, value: ConfigObject, path: readonly string[]): ConfigValue {
  const field = fieldIn(spec, path[0]!, context.minor);
  if (field === undefined) throw lookupFailed();
  if (path.length === 1) return without(value, field.name);
  const held = value[field.name] ?? plainZero(field);
  return { ...value, [field.name]: deleteAt(context, field.type, held, path.slice(1)) };
}

/** A plain struct exists even where nothing is set in it; everything else that is absent cannot be searched. */
function plainZero(field: Field): ConfigValue {
  if (field.pointer || field.type.kind !== 'struct') throw lookupFailed();
  return {};
}

function deleteInMap(context: Context, type: Type, value: ConfigObject, path: readonly string[]): ConfigValue {
  const held = value[path[0]!];
  if (held === undefined) throw lookupFailed();
  if (path.length === 1) return without(value, path[0]!);
  if (held === null) throw lookupFailed();
  return { ...value, [path[0]!]: deleteAt(context, type, held, path.slice(1)) };
}

function deleteInFree(context: Context, value: ConfigValue, path: readonly string[]): ConfigValue {
  if (typeof value !== 'object' || value === null) throw lookupFailed();
  if (!Array.isArray(value)) return deleteInMap(context, OBJECT, value as ConfigObject, path);
  checkListPath(path);
  // Elements of free-form lists are no structs and never match.
  if (!context.isLoose) throw lookupFailed();
  return removeFirst(value, (item) => matchesText(item, context.selector));
}

function deleteInList(
  context: Context,
  element: Type,
  items: readonly ConfigValue[],
  path: readonly string[],
): ConfigValue {
  checkListPath(path);
  if (element.kind !== 'struct') throw lookupFailed();
  const field = fieldIn(element.struct, context.selector.key, context.minor);
  if (field === undefined || !isComparable(field.type, context.minor)) throw lookupFailed();
  return removeFirst(items, (item) => {
    if (item === null) return false;
    return ((item as ConfigObject)[field.name] ?? '') === context.selector.value;
  });
}

function checkListPath(path: readonly string[]): void {
  if (path.length > 1) throw new PatchError('searching for complex paths in slices is not supported');
  if (!path[0]!.startsWith('[')) throw new PatchError('searching for non-integer keys in slices is not supported');
}

/** Only strings can be compared; from v1.12 on also types that print themselves (prefixes, addresses, URLs). */
function isComparable(type: Type, minor: number): boolean {
  if (type.kind === 'string') return true;
  if (type.kind !== 'text') return false;
  return type.codec.goType === 'string' || minor >= 12;
}

function matchesText(item: ConfigValue, selector: DeleteSelector): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  return (item as ConfigObject)[selector.key] === selector.value;
}

function removeFirst(items: readonly ConfigValue[], matches: (item: ConfigValue) => boolean): readonly ConfigValue[] {
  const at = items.findIndex(matches);
  if (at < 0) throw lookupFailed();
  return [...items.slice(0, at), ...items.slice(at + 1)];
}

function without(value: ConfigObject, key: string): ConfigObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
