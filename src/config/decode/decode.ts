/**
 * Decodes YAML nodes by the descriptor tree, with the leniency and the strictness of the real loader
 * (reference/network-config.md E.1; v1.11.3.md 11.3). All problems are collected; a value that is wrong is left out.
 */

import { goQuote } from '../../platform/text/quote.ts';
import { fieldIn } from '../schema/registry.ts';
import type { ConfigObject, ConfigValue, Field, StructSpec, Type } from '../schema/types.ts';
import { deref, isNull, keyText, type MapEntry, type MapNode, shortTag, type YamlNode } from '../yaml/node.ts';
import { type DecodeContext, report, reportAt, reportType } from './context.ts';
import { decodeFree } from './free.ts';
import { decodeArgument, decodeBool, decodeInt, decodeString, decodeText } from './scalar.ts';
import { suggestField } from './suggest.ts';

/** Decodes a node as a type; undefined when it is null (the zero value) or wrong. */
export function decodeValue(context: DecodeContext, type: Type, node: YamlNode): ConfigValue | undefined {
  if (isNull(node)) {
    return undefined;
  }
  if (node.kind === 'alias') {
    context.aliasDepth += 1;
    const value = decodeValue(context, type, node.target);
    context.aliasDepth -= 1;
    return value;
  }
  switch (type.kind) {
    case 'string':
      return decodeString(context, type.goType, node);
    case 'bool':
      return decodeBool(context, node);
    case 'int':
      return decodeInt(context, type, node);
    case 'text':
      return decodeText(context, type.codec, node);
    case 'argument':
      return decodeArgument(context, node);
    case 'struct':
      return decodeStruct(context, type.struct, node);
    case 'list':
      return decodeList(context, type, node);
    case 'map':
      return decodeMap(context, type, node);
    case 'object':
      return decodeObject(context, type.goType, node);
  }
}

/** Decodes a struct; undefined when the node is no mapping. */
export function decodeStruct(context: DecodeContext, spec: StructSpec, node: YamlNode): ConfigObject | undefined {
  const target = deref(node);
  if (target.kind !== 'map') {
    reportType(context, node, shortTag(node), spec.goType, 'a mapping is expected here');
    return undefined;
  }
  const found: Record<string, ConfigValue> = Object.create(null);
  let count = 0;
  for (const { key, value } of entriesOf(context, target, true)) {
    const name = keyText(key);
    const field = name === undefined ? undefined : fieldIn(spec, name, context.minor);
    if (field === undefined) {
      unknownKey(context, spec, key, name);
      continue;
    }
    context.path.push(field.name);
    const decoded = decodeField(context, field, value);
    context.path.pop();
    if (decoded !== undefined) {
      found[field.name] = decoded;
      count += 1;
    }
  }
  return count < 2 ? { ...found } : inFieldOrder(spec, found);
}

function inFieldOrder(spec: StructSpec, found: Record<string, ConfigValue>): ConfigObject {
  const ordered: Record<string, ConfigValue> = {};
  for (const field of spec.fields) {
    const value = found[field.name];
    if (value !== undefined) {
      ordered[field.name] = value;
    }
  }
  return ordered;
}

/** A field's value; undefined when the field holds its zero value, see the rules in schema/types.ts. */
function decodeField(context: DecodeContext, field: Field, node: YamlNode): ConfigValue | undefined {
  const value = decodeValue(context, field.type, node);
  return value === undefined || (!field.pointer && isZero(field.type, value)) ? undefined : value;
}

/** True for the zero of a plain field. Lists, maps and objects have none but nil. */
export function isZero(type: Type, value: ConfigValue): boolean {
  switch (type.kind) {
    case 'string':
      return value === '';
    case 'bool':
      return value === false;
    case 'int':
      return value === 0;
    case 'text':
      return type.codec.isZero(value as string | number | bigint);
    case 'struct':
      return Object.keys(value as ConfigObject).length === 0;
    default:
      return false;
  }
}

function unknownKey(context: DecodeContext, spec: StructSpec, key: YamlNode, name: string | undefined): void {
  if (context.aliasDepth > 0) {
    return;
  }
  const shown = name === undefined ? 'a key that is not text' : `unknown key ${goQuote(name)}`;
  const hint = name === undefined ? 'keys must be plain text' : suggestField(spec, name, context.minor);
  reportAt(context, key.offset, name === undefined ? context.path : [...context.path, name], shown, hint);
}

function decodeList(
  context: DecodeContext,
  type: Extract<Type, { kind: 'list' }>,
  node: YamlNode,
): readonly ConfigValue[] | undefined {
  const target = deref(node);
  if (target.kind !== 'list') {
    reportType(context, node, shortTag(node), type.goType, 'a list is expected here');
    return undefined;
  }
  const items: ConfigValue[] = [];
  for (const [index, item] of target.items.entries()) {
    context.path.push(index);
    const value = isNull(item) ? nullElement(type) : decodeValue(context, type.element, item);
    context.path.pop();
    if (value !== undefined) {
      items.push(value);
    }
  }
  return items;
}

/** A null element stays for pointers and nil-able types and vanishes for the others, as in the real decoder. */
function nullElement(type: Extract<Type, { kind: 'list' }>): ConfigValue | undefined {
  const { kind } = type.element;
  return type.elementPointer || kind === 'list' || kind === 'map'
    ? zeroElement(type.element, type.elementPointer)
    : undefined;
}

function decodeMap(
  context: DecodeContext,
  type: Extract<Type, { kind: 'map' }>,
  node: YamlNode,
): ConfigObject | undefined {
  const target = deref(node);
  if (target.kind !== 'map') {
    reportType(context, node, shortTag(node), type.goType, 'a mapping is expected here');
    return undefined;
  }
  const map: Record<string, ConfigValue> = {};
  for (const { key, value } of entriesOf(context, target)) {
    const name = keyText(key);
    if (name === undefined) {
      report(context, key, 'a key that is not text', 'keys must be plain text');
      continue;
    }
    context.path.push(name);
    const decoded = isNull(value)
      ? zeroElement(type.value, type.valuePointer)
      : decodeValue(context, type.value, value);
    context.path.pop();
    if (decoded !== undefined) {
      setKey(map, name, decoded);
    }
  }
  return map;
}

/** What a null element stands for: nil for pointers, else the zero of the type. */
export function zeroElement(type: Type, pointer: boolean): ConfigValue {
  if (pointer) {
    return null;
  }
  switch (type.kind) {
    case 'bool':
      return false;
    case 'int':
      return 0;
    case 'struct':
    case 'map':
    case 'object':
      return {};
    case 'list':
      return [];
    default:
      return '';
  }
}

function decodeObject(context: DecodeContext, goType: string, node: YamlNode): ConfigObject | undefined {
  const target = deref(node);
  if (target.kind !== 'map') {
    const shown = goType === 'meta.Unstructured' ? 'map[string]interface {}' : goType;
    reportType(context, node, shortTag(node), shown, 'a mapping is expected here');
    return undefined;
  }
  return decodeFree(context, target) as ConfigObject;
}

/**
 * Entries with merge keys (`<<`) applied: keys written out win over merged ones, earlier sources over later ones.
 * A struct has no field of that name, so the strict check of the real tool refuses it there; maps take any key.
 */
export function entriesOf(context: DecodeContext, map: MapNode, isStruct = false): readonly MapEntry[] {
  if (!map.entries.some((entry) => isMergeKey(entry.key))) {
    return map.entries;
  }
  const entries = map.entries.filter((entry) => !isMergeKey(entry.key));
  const seen = new Set(entries.map((entry) => keyText(entry.key)));
  for (const entry of map.entries) {
    if (!isMergeKey(entry.key)) {
      continue;
    }
    if (isStruct && context.aliasDepth === 0) {
      reportAt(
        context,
        entry.key.offset,
        [...context.path, '<<'],
        'unknown key "<<"',
        'merge keys are accepted in maps only',
      );
    }
    for (const merged of mergeSources(context, entry.value)) {
      const name = keyText(merged.key);
      if (!seen.has(name)) {
        seen.add(name);
        entries.push(merged);
      }
    }
  }
  return entries;
}

function isMergeKey(key: YamlNode): boolean {
  return key.kind === 'scalar' && key.tag === 'merge';
}

function mergeSources(context: DecodeContext, node: YamlNode): readonly MapEntry[] {
  const target = deref(node);
  if (target.kind === 'map') {
    return target.entries;
  }
  if (target.kind === 'list' && target.items.every((item) => deref(item).kind === 'map')) {
    return target.items.flatMap((item) => (deref(item) as MapNode).entries);
  }
  report(context, node, 'map merge requires map or sequence of maps as the value', '');
  return [];
}

/** Sets a key also when it is `__proto__`, which an assignment would swallow. */
export function setKey(target: Record<string, ConfigValue>, key: string, value: ConfigValue): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
