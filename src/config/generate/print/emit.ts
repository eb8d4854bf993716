/** Block style of Go's YAML emitters over a small node tree. */

import { formatNumber, type ScalarPlace, type ScalarStyle, writeString } from './scalar.ts';

export type EmitNode =
  /** Written as it stands: numbers, booleans, null. */
  | { readonly kind: 'bare'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'map'; readonly entries: readonly EmitEntry[] }
  | { readonly kind: 'list'; readonly items: readonly EmitNode[] };

export interface EmitEntry {
  readonly key: string;
  readonly value: EmitNode;
  /** Comment above the key, without `#`. */
  readonly head?: string;
  /** Comment after a scalar value, without `#`. */
  readonly line?: string;
  /** Comment lines below the entry, without `#`. */
  readonly foot?: string;
}

export interface EmitOptions extends ScalarStyle {
  /** Lists inside mappings start in the column of their key. */
  readonly indentlessLists: boolean;
}

/** What Talos prints with: four columns a level, no line folding. */
export const TALOS_STYLE: EmitOptions = Object.freeze({
  dialect: 'v3',
  width: Number.POSITIVE_INFINITY,
  indentStep: 4,
  indentlessLists: false,
});

/** What a JSON patch leaves behind: two columns, lists not indented, lines folded after column 80. */
export const JSON_PATCH_STYLE: EmitOptions = Object.freeze({
  dialect: 'v2',
  width: 80,
  indentStep: 2,
  indentlessLists: true,
});

export const NULL_NODE: EmitNode = Object.freeze({ kind: 'bare', text: 'null' });

/** A scalar as a node. */
export function scalarNode(value: string | number | bigint | boolean | null): EmitNode {
  if (typeof value === 'string') return { kind: 'string', text: value };
  if (value === null) return NULL_NODE;
  return { kind: 'bare', text: typeof value === 'number' ? formatNumber(value) : String(value) };
}

/** Text of one document, ending with a line break. */
export function emitDocument(root: EmitNode, options: EmitOptions): string {
  const emitter = new Emitter(options);
  emitter.root(root);
  return emitter.text;
}

class Emitter {
  text = '';
  readonly #options: EmitOptions;

  constructor(options: EmitOptions) {
    this.#options = options;
  }

  root(node: EmitNode): void {
    if (isBlock(node)) this.#block(node, 0, 0);
    else this.text += `${this.#inline(node, 0, this.#options.indentStep, 0)}\n`;
  }

  /** A non-empty map or list; the cursor stands where its first line begins, at `column`. */
  #block(node: EmitNode, indent: number, column: number): void {
    if (node.kind === 'map') this.#map(node.entries, indent, column);
    else if (node.kind === 'list') this.#list(node.items, indent, column);
  }

  #map(entries: readonly EmitEntry[], indent: number, column: number): void {
    let at = column;
    for (const entry of entries) {
      if (entry.head !== undefined) {
        this.text += `${comment(entry.head, indent, at)}\n`;
        at = 0;
      }
      this.text += ' '.repeat(indent - at);
      const key = this.#string(entry.key, { column: indent, indent, parentIndent: indent, isKey: true });
      this.text += `${key}:`;
      this.#value(entry, indent, indent + key.length + 1);
      at = 0;
    }
  }

  #value(entry: EmitEntry, indent: number, column: number): void {
    const { value } = entry;
    if (isBlock(value)) {
      const indentless = value.kind === 'list' && this.#options.indentlessLists;
      this.text += '\n';
      this.#block(value, indentless ? indent : this.#nextIndent(indent), 0);
    } else {
      const line = entry.line === undefined ? '' : ` ${comment(entry.line, indent, indent)}`;
      this.text += ` ${this.#inline(value, column + 1, this.#nextIndent(indent), indent)}${line}\n`;
    }
    if (entry.foot !== undefined) this.text += `${comment(entry.foot, indent, 0)}\n\n`;
  }

  #list(items: readonly EmitNode[], indent: number, column: number): void {
    let at = column;
    for (const item of items) {
      this.text += `${' '.repeat(indent - at)}- `;
      if (isBlock(item)) this.#block(item, indent + 2, indent + 2);
      else this.text += `${this.#inline(item, indent + 2, indent + 2, indent)}\n`;
      at = 0;
    }
  }

  /** Everything below a key stands at the next multiple of the step. */
  #nextIndent(indent: number): number {
    const step = this.#options.indentStep;
    return step * Math.floor((indent + step) / step);
  }

  #inline(node: EmitNode, column: number, indent: number, parentIndent: number): string {
    if (node.kind === 'map') return '{}';
    if (node.kind === 'list') return '[]';
    if (node.kind === 'bare') return node.text;
    return this.#string(node.text, { column, indent, parentIndent, isKey: false });
  }

  #string(text: string, place: ScalarPlace): string {
    return writeString(text, place, this.#options);
  }
}

function isBlock(node: EmitNode): boolean {
  return (node.kind === 'map' && node.entries.length > 0) || (node.kind === 'list' && node.items.length > 0);
}

/** Comment lines at an indentation; the first one continues the line at column `at`. */
function comment(text: string, indent: number, at: number): string {
  const pad = ' '.repeat(indent);
  return text
    .split('\n')
    .map((line, i) => `${i === 0 ? ' '.repeat(Math.max(0, indent - at)) : pad}${line === '' ? '#' : `# ${line}`}`)
    .join('\n');
}
