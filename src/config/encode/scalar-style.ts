/**
 * Which style a string takes when Go's yaml.v3 writes it: plain where it reads back as the same string, literal when
 * it has line breaks, else quoted (reference/network-config.md E.11).
 */
import { resolvePlain } from '../yaml/resolve.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

const OLD_BOOL = /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Style of a string value; `key` marks a mapping key, which must stay on one line. */
export function stringStyle(text: string, key: boolean): ScalarStyle {
  const facts = analyze(text);
  if (text.includes('\n')) {
    return facts.blockAllowed && !key ? 'literal' : 'double';
  }
  if (resolvePlain(text).tag !== 'str' || OLD_BOOL.test(text) || BASE_60.test(text)) {
    return 'double';
  }
  if (facts.plainAllowed) {
    return 'plain';
  }
  return facts.singleAllowed ? 'single' : 'double';
}

interface Facts {
  readonly plainAllowed: boolean;
  readonly singleAllowed: boolean;
  readonly blockAllowed: boolean;
}

// Characters that the emitter writes as they are; all others, and the tab, force double quotes.
const SPECIAL = /[^\n\u0020-\u007E\u00A0-\uD7FF\uD800-\uDFFF\uE000-\uFEFE\uFF00-\uFFFD\t]|[\u2028\u2029]/;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function analyze(text: string): Facts {
  const special = SPECIAL.test(text) || LONE_SURROGATE.test(text);
  const spaceBreak = / \n/.test(text);
  const breakSpace = /\n /.test(text);
  const edges = /^[ \n]|[ \n]$/.test(text);
  const tab = text.includes('\t');
  return {
    plainAllowed:
      !special && !spaceBreak && !breakSpace && !tab && !edges && !text.includes('\n') && !hasBlockIndicator(text),
    singleAllowed: !special && !spaceBreak && !breakSpace && !tab,
    blockAllowed: !special && !spaceBreak && !text.endsWith(' '),
  };
}

function hasBlockIndicator(text: string): boolean {
  return (
    /^(?:---|\.\.\.)/.test(text) ||
    /^[#,[\]{}&*!|>'"%@`]/.test(text) ||
    /^[?:-](?:\s|$)/.test(text) ||
    /:(?:\s|$)/.test(text.slice(1)) ||
    /\s#/.test(text)
  );
}

const SHORT_ESCAPES: Readonly<Record<number, string>> = Object.freeze({
  0: '0',
  7: 'a',
  8: 'b',
  9: 't',
  10: 'n',
  11: 'v',
  12: 'f',
  13: 'r',
  27: 'e',
  34: '"',
  92: '\\',
  133: 'N',
  8232: 'L',
  8233: 'P',
});

/** Double-quoted form with the emitter's escapes. */
export function doubleQuoted(text: string): string {
  let out = '"';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const short = SHORT_ESCAPES[code];
    if (short !== undefined) {
      out += `\\${short}`;
    } else if (isPrintable(code)) {
      out += character;
    } else {
      out += code <= 0xff ? `\\x${hex(code, 2)}` : code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
    }
  }
  return `${out}"`;
}

function isPrintable(code: number): boolean {
  return (
    (code >= 0x20 && code <= 0x7e) ||
    (code >= 0xa0 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff) ||
    code >= 0x10000
  );
}

function hex(code: number, width: number): string {
  return code.toString(16).toUpperCase().padStart(width, '0');
}

/** Single-quoted form. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
