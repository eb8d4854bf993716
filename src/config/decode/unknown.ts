/** The real loader's report of unknown keys: a YAML excerpt of everything it did not know. */
import { emitDocument, type Out } from '../encode/emit.ts';
import { compareKeys } from '../encode/key-order.ts';
import { fieldIn } from '../schema/registry.ts';
import type { StructSpec, Type } from '../schema/types.ts';
import { keyText, type MapNode, type YamlNode } from '../yaml/node.ts';

/** `unknown keys found during decoding:` with the excerpt, or undefined when all keys are known. */
export function unknownKeysText(spec: StructSpec, root: MapNode, minor: number): string | undefined {
  const unknown = unknownInStruct(spec, root, minor);
  return unknown === undefined ? undefined : `unknown keys found during decoding:\n${emitDocument(unknown)}`;
}

type Entries = [string, Out][];

function unknownInStruct(spec: StructSpec, node: MapNode, minor: number): Out | undefined {
  return collect(node, (name, value) => {
    const field = fieldIn(spec, name, minor);
    return field === undefined ? nodeOut(value) : unknownBelow(field.type, value, minor);
  });
}

/** Aliases are not looked behind, as in the real tool. */
function unknownBelow(type: Type, node: YamlNode, minor: number): Out | undefined {
  if (node.kind === 'map' && type.kind === 'struct') {
    return unknownInStruct(type.struct, node, minor);
  }
  if (node.kind === 'map' && type.kind === 'map') {
    return collect(node, (_, value) => unknownBelow(type.value, value, minor));
  }
  if (node.kind === 'list' && type.kind === 'list') {
    const items = node.items
      .map((item) => unknownBelow(type.element, item, minor))
      .filter((item) => item !== undefined);
    return items.length === 0 ? undefined : { kind: 'list', items };
  }
  return undefined;
}

function collect(node: MapNode, inspect: (name: string, value: YamlNode) => Out | undefined): Out | undefined {
  const entries: Entries = [];
  for (const { key, value } of node.entries) {
    const name = keyText(key);
    const found = name === undefined ? undefined : inspect(name, value);
    if (name !== undefined && found !== undefined) {
      entries.push([name, found]);
    }
  }
  entries.sort(([a], [b]) => compareKeys(a, b));
  return entries.length === 0 ? undefined : { kind: 'map', entries };
}

/** A node as it was written, in block style. */
function nodeOut(node: YamlNode): Out {
  const target = node.kind === 'alias' ? node.target : node;
  if (target.kind === 'list') {
    return { kind: 'list', items: target.items.map(nodeOut) };
  }
  if (target.kind === 'map') {
    return { kind: 'map', entries: target.entries.map(({ key, value }) => [keyText(key) ?? '', nodeOut(value)]) };
  }
  const { value } = target;
  if (value === null) {
    return { kind: 'null' };
  }
  if (typeof value === 'boolean') {
    return { kind: 'bool', value };
  }
  return typeof value === 'string' ? { kind: 'string', text: value } : { kind: 'number', value };
}
