/**
 * The YAML that a JSON patch leaves behind. The real tool goes through JSON and another YAML library there: keys sorted, two
 * columns a level, lists in the column of their key, lines folded after column 80 (reference/network-config.md E.10 "JSON 6902").
 */

import { compareKeys } from '../encode/key-order.ts';
import { formatNumber } from '../encode/number.ts';
import { doubleQuoted, stringStyle } from '../encode/scalar-style.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';

const STEP = 2;
const WIDTH = 80;

/** One document, ending with a line break. */
export function printJsonAsYaml(root: ConfigValue): string {
  const lines: string[] = [];
  if (isMap(root)) writeMap(lines, root, 0, '');
  else if (isList(root)) writeList(lines, root, 0, '');
  else lines.push(inline(root, 0, STEP));
  return `${lines.join('\n')}\n`;
}

function isMap(value: ConfigValue): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

function isList(value: ConfigValue): value is readonly ConfigValue[] {
  return Array.isArray(value) && value.length > 0;
}

/** `first` stands before the first entry instead of the indentation. */
function writeMap(lines: string[], map: ConfigObject, indent: number, first: string): void {
  const pad = ' '.repeat(indent);
  let prefix = first === '' ? pad : first;
  for (const key of Object.keys(map).sort(compareKeys)) {
    const value = map[key]!;
    const head = `${prefix}${keyText(key)}:`;
    if (isMap(value)) {
      lines.push(head);
      writeMap(lines, value, indent + STEP, '');
    } else if (isList(value)) {
      lines.push(head);
      writeList(lines, value, indent, '');
    } else {
      lines.push(`${head} ${inline(value, head.length + 1, indent + STEP)}`);
    }
    prefix = pad;
  }
}

function writeList(lines: string[], items: readonly ConfigValue[], indent: number, first: string): void {
  const pad = ' '.repeat(indent);
  let prefix = first === '' ? pad : first;
  for (const item of items) {
    const head = `${prefix}- `;
    if (isMap(item)) writeMap(lines, item, indent + STEP, head);
    else if (isList(item)) writeList(lines, item, indent + STEP, head);
    else lines.push(head + inline(item, head.length, indent + STEP));
    prefix = pad;
  }
}

function keyText(key: string): string {
  const style = stringStyle(key, true);
  if (style === 'plain') return key;
  return style === 'single' ? `'${key.replaceAll("'", "''")}'` : doubleQuoted(key);
}

/** A scalar or an empty collection that starts at `column`; lines that go on are indented by `indent`. */
function inline(value: ConfigValue, column: number, indent: number): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return stringText(value, column, indent);
  if (typeof value === 'number' || typeof value === 'bigint') return formatNumber(value);
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? '[]' : '{}';
}

/** Octal numbers in the newer notation are plain strings to this library. */
const NEW_OCTAL = /^[-+]?0o[0-7]+$/;

function stringText(text: string, column: number, indent: number): string {
  if (NEW_OCTAL.test(text)) return text;
  const style = text.includes('\t') ? 'double' : stringStyle(text, false);
  if (style === 'literal') return literal(text, indent);
  if (style === 'plain') return fold(text, column, indent);
  if (style === 'single') return `'${fold(text.replaceAll("'", "''"), column + 1, indent)}'`;
  return fold(doubleQuoted(text), column, indent);
}

function literal(text: string, indent: number): string {
  const hint = /^[ \n]/.test(text) ? String(STEP) : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const pad = ' '.repeat(indent);
  return `|${hint}${chomp}\n${body
    .split('\n')
    .map((line) => (line === '' ? '' : pad + line))
    .join('\n')}`;
}

/** Single spaces beyond the width become line breaks. */
function fold(text: string, start: number, indent: number): string {
  if (start + text.length <= WIDTH) return text;
  let out = '';
  let column = start;
  for (let i = 0; i < text.length; i++) {
    const isSingleSpace = text[i] === ' ' && text[i - 1] !== ' ' && text[i + 1] !== ' ';
    if (isSingleSpace && column > WIDTH && i > 0 && i < text.length - 1) {
      out += `\n${' '.repeat(indent)}`;
      column = indent;
    } else {
      out += text[i]!;
      column++;
    }
  }
  return out;
}
