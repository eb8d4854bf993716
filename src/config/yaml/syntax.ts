import type { YAMLParseError } from 'yaml';

/** A problem found while reading YAML, before any schema is applied. */
export interface SyntaxProblem {
  readonly offset: number;
  /** Without the place; a message with `related` goes on with ` at line N`. */
  readonly message: string;
  readonly hint: string;
  /** Offset of the earlier place that the message refers to. */
  readonly related?: number;
}

/** Wording per parser error code: the message in the real tool's words where it has a matching one, and a hint. */
const WORDING: Readonly<Record<string, readonly [message: string, hint: string]>> = Object.freeze({
  TAB_AS_INDENT: ['found character that cannot start any token', 'indent with spaces, not with tabs'],
  BAD_INDENT: ['did not find expected key', 'keys of one mapping must start in the same column'],
  BLOCK_AS_IMPLICIT_KEY: [
    'mapping values are not allowed in this context',
    'quote a value that contains ": ", or check the indentation',
  ],
  MULTILINE_IMPLICIT_KEY: ["could not find expected ':'", 'a key must stand on one line'],
  BAD_SCALAR_START: ['found character that cannot start any token', 'quote a value that starts with @ or `'],
  BAD_DQ_ESCAPE: ['found unknown escape character', 'use single quotes, or double the backslash'],
  BLOCK_IN_FLOW: ['did not find expected node content', 'block collections cannot stand inside [ ] or { }'],
  DUPLICATE_KEY: ['mapping key is already defined', ''],
});

/** Turns a parser error into our form. */
export function syntaxProblem(error: YAMLParseError): SyntaxProblem {
  const wording = WORDING[error.code];
  const detail = error.message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
  if (wording !== undefined) {
    return { offset: error.pos[0], message: wording[0], hint: wording[1] };
  }
  return { offset: error.pos[0], message: `invalid YAML: ${lowerFirst(detail)}`, hint: '' };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

// The characters libyaml's reader accepts: tab, line breaks, printable ASCII, NEL, and the rest of Unicode without
// surrogates, non-characters and the byte order mark (which may only start the stream).
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFEFF\uFFFE\uFFFF]/;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Finds the first character that no YAML text may contain. */
export function forbiddenCharacter(text: string): SyntaxProblem | undefined {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const rest = start === 0 ? text : text.slice(start);
  for (const pattern of [FORBIDDEN, LONE_SURROGATE]) {
    const at = rest.search(pattern);
    if (at !== -1) {
      const hint = 'the file holds binary or damaged data here';
      return { offset: at + start, message: 'control characters are not allowed', hint };
    }
  }
  return undefined;
}
