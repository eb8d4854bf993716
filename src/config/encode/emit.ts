/** Writes a tree as block-style YAML with the layout of Go's yaml.v3: indent 4, lists indented below their key. */
import { formatNumber } from './number.ts';
import { doubleQuoted, singleQuoted, stringStyle } from './scalar-style.ts';

/** What is to be written. */
export type Out =
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, value: Out])[] }
  | { readonly kind: 'list'; readonly items: readonly Out[] }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number | bigint }
  | { readonly kind: 'octal'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' };

const STEP = 4;

/** One document, with a final line break. */
export function emitDocument(root: Out): string {
  const lines: string[] = [];
  if (root.kind === 'map' && root.entries.length > 0) {
    emitMap(lines, root.entries, 0, '');
  } else if (root.kind === 'list' && root.items.length > 0) {
    emitList(lines, root.items, 0, '');
  } else {
    emitInline(lines, root, '', 0);
  }
  return `${lines.join('\n')}\n`;
}

/** `first` stands before the first entry instead of the indentation (after a list dash). */
function emitMap(
  lines: string[],
  entries: readonly (readonly [key: string, value: Out])[],
  indent: number,
  first: string,
): void {
  let prefix = first === '' ? ' '.repeat(indent) : first;
  for (const [key, value] of entries) {
    const keyText = scalarKey(key);
    if (key.length > 128) {
      lines.push(`${prefix}? ${keyText}`);
      emitValue(lines, value, `${' '.repeat(indent)}:`, indent);
    } else {
      emitValue(lines, value, `${prefix}${keyText}:`, indent);
    }
    prefix = ' '.repeat(indent);
  }
}

/** A value after `key:`; collections go on below, deeper by the next multiple of the step. */
function emitValue(lines: string[], value: Out, head: string, indent: number): void {
  const deeper = indent + STEP - (indent % STEP);
  if (value.kind === 'map' && value.entries.length > 0) {
    lines.push(head);
    emitMap(lines, value.entries, deeper, '');
  } else if (value.kind === 'list' && value.items.length > 0) {
    lines.push(head);
    emitList(lines, value.items, deeper, '');
  } else {
    emitInline(lines, value, `${head} `, deeper, indent);
  }
}

function emitList(lines: string[], items: readonly Out[], indent: number, first: string): void {
  let prefix = first === '' ? ' '.repeat(indent) : first;
  for (const item of items) {
    const head = `${prefix}- `;
    if (item.kind === 'map' && item.entries.length > 0) {
      emitMap(lines, item.entries, indent + 2, head);
    } else if (item.kind === 'list' && item.items.length > 0) {
      emitList(lines, item.items, indent + 2, head);
    } else {
      emitInline(lines, item, head, indent + 2, indent);
    }
    prefix = ' '.repeat(indent);
  }
}

/** Scalars and empty collections; a literal block continues at `deeper`. */
function emitInline(lines: string[], value: Out, head: string, deeper: number, parent = 0): void {
  if (value.kind === 'string' && stringStyle(value.text, false) === 'literal') {
    emitLiteral(lines, value.text, head, deeper, parent);
  } else {
    lines.push(`${head}${inlineText(value)}`);
  }
}

function inlineText(value: Out): string {
  switch (value.kind) {
    case 'map':
      return '{}';
    case 'list':
      return '[]';
    case 'string':
      return quoted(value.text, false);
    case 'number':
      return formatNumber(value.value);
    case 'octal':
      return `0o${value.value.toString(8)}`;
    case 'bool':
      return String(value.value);
    case 'null':
      return 'null';
  }
}

function scalarKey(key: string): string {
  return quoted(key, true);
}

function quoted(text: string, key: boolean): string {
  switch (stringStyle(text, key)) {
    case 'plain':
      return text;
    case 'single':
      return singleQuoted(text);
    default:
      return doubleQuoted(text);
  }
}

function emitLiteral(lines: string[], text: string, head: string, indent: number, parent: number): void {
  // The indentation must be said when the first line starts with a blank; yaml.v3 always says 4 here, which is
  // wrong inside lists, so the true number is written.
  const hint = /^[ \n]/.test(text) ? String(indent - parent) : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  lines.push(`${head}|${hint}${chomp}`);
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const margin = ' '.repeat(indent);
  for (const line of body.split('\n')) {
    lines.push(line === '' ? '' : margin + line);
  }
}
