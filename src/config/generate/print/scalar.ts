/**
 * How Go's YAML emitters write a scalar: which style they choose, and its text. `v3` is what Talos prints with,
 * `v2` what the JSON patch path goes through (reference/network-config.md E.10 "JSON 6902", E.11).
 */

import { resolvePlain } from '../../yaml/resolve.ts';

export interface ScalarStyle {
  readonly dialect: 'v3' | 'v2';
  /** Column after which a space may become a line break; Infinity for never. */
  readonly width: number;
  /** Steps of indentation, for the hint of block scalars. */
  readonly indentStep: number;
}

export interface ScalarPlace {
  /** Column at which the scalar starts. */
  readonly column: number;
  /** Indentation of continued lines. */
  readonly indent: number;
  /** The column of the line's own content, for the hint of block scalars. */
  readonly parentIndent: number;
  readonly isKey: boolean;
}

/** A string, quoted or laid out as the emitter does. The text may span lines; it has no final line break. */
export function writeString(text: string, place: ScalarPlace, style: ScalarStyle): string {
  const facts = analyze(text, style);
  if (text.includes('\n') && !place.isKey && facts.blockAllowed) return writeLiteral(text, place);
  if (text.includes('\n') || !resolvesToString(text, style)) return writeDoubleQuoted(text, place, style);
  if (facts.plainAllowed && !(place.isKey && text === '')) return fold(text, place, style);
  if (facts.singleAllowed)
    return `'${fold(text.replaceAll("'", "''"), { ...place, column: place.column + 1 }, style)}'`;
  return writeDoubleQuoted(text, place, style);
}

const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const OLD_BOOL = /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/;

/** Whether the bare text would be read back as a string; words that YAML 1.1 took for numbers or booleans do not count. */
function resolvesToString(text: string, style: ScalarStyle): boolean {
  if (style.dialect === 'v2' && /^[-+]?0o[0-7]/.test(text)) return true;
  return resolvePlain(text).tag === 'str' && !SEXAGESIMAL.test(text) && !OLD_BOOL.test(text);
}

interface ScalarFacts {
  readonly plainAllowed: boolean;
  readonly singleAllowed: boolean;
  readonly blockAllowed: boolean;
}

const FIRST_INDICATORS = '#,[]{}&*!|>\'"%@`';

function analyze(text: string, style: ScalarStyle): ScalarFacts {
  if (text === '') return { plainAllowed: true, singleAllowed: true, blockAllowed: false };
  const spaceBeforeBreak = / [\n\r\u0085\u2028\u2029]/.test(text);
  const breakBeforeSpace = /[\n\r\u0085\u2028\u2029] /.test(text);
  const hasTab = text.includes('\t');
  const special = hasSpecial(text) || (hasTab && style.dialect === 'v2');
  const hasBreak = /[\n\r\u0085\u2028\u2029]/.test(text);
  const edge = /^[ \n\r\u0085\u2028\u2029]|[ \n\r\u0085\u2028\u2029]$/.test(text);
  const unquotable = breakBeforeSpace || spaceBeforeBreak || hasTab || special;
  return {
    plainAllowed: !(edge || unquotable || hasBreak || hasIndicator(text)),
    singleAllowed: !unquotable,
    blockAllowed: !(spaceBeforeBreak || special || text.endsWith(' ')),
  };
}

/** Characters that only an escape can write; anything beyond the basic plane is among them for these emitters. */
function hasSpecial(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code !== 9 && !isPrintable(code)) return true;
  }
  return false;
}

function isPrintable(code: number): boolean {
  if (code === 0x0a || (code >= 0x20 && code <= 0x7e)) return true;
  return (code >= 0xa0 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff);
}

/** Whether block context would take a part of the bare text for syntax. */
function hasIndicator(text: string): boolean {
  if (text.startsWith('---') || text.startsWith('...')) return true;
  if (FIRST_INDICATORS.includes(text[0]!)) return true;
  if (/^[-?:](?:[ \t]|$)/.test(text)) return true;
  return /:(?:[ \t]|$)/.test(text) || /[ \t\n\r\u0085\u2028\u2029]#/.test(text);
}

/** Replaces spaces by line breaks beyond the width, as the emitters do. */
function fold(text: string, place: ScalarPlace, style: ScalarStyle): string {
  if (place.isKey || place.column + text.length <= style.width) return text;
  let out = '';
  let column = place.column;
  let afterSpace = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    const mayBreak = character === ' ' && !afterSpace && column > style.width && i > 0 && i < text.length - 1;
    if (mayBreak && text[i + 1] !== ' ') {
      out += `\n${' '.repeat(place.indent)}`;
      column = place.indent;
    } else {
      out += character;
      column++;
    }
    afterSpace = character === ' ';
  }
  return out;
}

const ESCAPES: Readonly<Record<string, string>> = Object.freeze({
  '\0': '\\0',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
});

function writeDoubleQuoted(text: string, place: ScalarPlace, style: ScalarStyle): string {
  let out = '"';
  let column = place.column + 1;
  let afterSpace = false;
  const characters = [...text];
  for (const [i, character] of characters.entries()) {
    const mayBreak = !place.isKey && !afterSpace && column > style.width && i > 0 && i < characters.length - 1;
    let piece = character;
    if (character === ' ' && mayBreak) {
      piece = `\n${' '.repeat(place.indent)}${characters[i + 1] === ' ' ? '\\' : ''}`;
      column = place.indent;
    } else {
      piece = ESCAPES[character] ?? (isPrintable(character.codePointAt(0)!) ? character : escapeCode(character));
      column += piece.length;
    }
    out += piece;
    afterSpace = character === ' ';
  }
  return `${out}"`;
}

function escapeCode(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${hex.padStart(4, '0')}`;
  return `\\U${hex.padStart(8, '0')}`;
}

/**
 * A literal block. Where the text starts with a blank the header needs an indentation hint; the emitters always
 * write their step there, which is wrong inside list items and makes a file that cannot be read back. We write the
 * true one (the real tool trims inline manifests to stay clear of this).
 */
function writeLiteral(text: string, place: ScalarPlace): string {
  const hint = /^[ \n\r\u0085\u2028\u2029]/.test(text) ? String(place.indent - place.parentIndent) : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const lines = text.split('\n');
  if (text.endsWith('\n')) lines.pop();
  const pad = ' '.repeat(place.indent);
  return `|${hint}${chomp}\n${lines.map((line) => (line === '' ? '' : pad + line)).join('\n')}`;
}

/** A number as Go's `strconv.FormatFloat(value, 'g', -1, 64)` writes it, with the YAML words for the special ones. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  if (Number.isInteger(value) && value < 1e21 && value > -1e21) return String(value);
  const text = String(value);
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 21) return text.includes('e') ? expand(mantissa, power) : text;
  const digits = String(Math.abs(power)).padStart(2, '0');
  return `${mantissa}e${power < 0 ? '-' : '+'}${digits}`;
}

/** Plain decimal text of a small number that JavaScript prints with an exponent. */
function expand(mantissa: string, power: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
}
