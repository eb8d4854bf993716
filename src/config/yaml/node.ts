/** The YAML node tree that decoding works on: scalars resolved as Go's yaml.v3 does, positions kept. */

/** 1-based place in a file; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Short tags of yaml.v3; `custom` is any tag outside the core set. */
export type ScalarTag = 'str' | 'int' | 'float' | 'bool' | 'null' | 'timestamp' | 'binary' | 'merge' | 'custom';

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly tag: ScalarTag;
  /** Text after unquoting and folding. */
  readonly text: string;
  /** Value of the resolved tag: text for strings and timestamps. */
  readonly value: string | number | bigint | boolean | null;
  readonly offset: number;
}

export interface MapEntry {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

/** A mapping with its entries as written: merge keys (`<<`) are still among them. */
export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
  readonly offset: number;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
  readonly offset: number;
}

/** A reference to an anchored node. It matters: the real tool does not look for unknown keys behind one. */
export interface AliasNode {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: ScalarNode | MapNode | ListNode;
  readonly offset: number;
}

export type YamlNode = ScalarNode | MapNode | ListNode | AliasNode;

/** The node itself, or what an alias stands for. */
export function deref(node: YamlNode): ScalarNode | MapNode | ListNode {
  return node.kind === 'alias' ? node.target : node;
}

/** True for null, also behind an alias. */
export function isNull(node: YamlNode): boolean {
  const target = deref(node);
  return target.kind === 'scalar' && target.tag === 'null';
}

/** Name of a mapping key: its text when it is a scalar. */
export function keyText(node: YamlNode): string | undefined {
  const target = deref(node);
  return target.kind === 'scalar' ? target.text : undefined;
}

/** Value under a key, the first one when a key is repeated. */
export function lookup(node: YamlNode, key: string): YamlNode | undefined {
  const target = deref(node);
  if (target.kind !== 'map') {
    return undefined;
  }
  return target.entries.find((entry) => keyText(entry.key) === key)?.value;
}

/** Tag as the real tool names it in errors, e.g. `!!str`. */
export function shortTag(node: YamlNode): string {
  const target = deref(node);
  switch (target.kind) {
    case 'map':
      return '!!map';
    case 'list':
      return '!!seq';
    default:
      return `!!${target.tag === 'custom' ? 'str' : target.tag}`;
  }
}
