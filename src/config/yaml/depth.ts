/**
 * Bounds nesting before parsing, since the parser recurses: how deep it gets would else depend on the stack that the
 * caller has left. Both counts ignore quotes and literal text, so the limit is far above any config.
 */
import type { SyntaxProblem } from './syntax.ts';

const LIMIT = 400;

/** The place where nesting goes beyond the limit. */
export function tooDeep(text: string): SyntaxProblem | undefined {
  const at = deepFlow(text) ?? deepBlock(text);
  const hint = 'the document is nested too deeply';
  return at === undefined ? undefined : { offset: at, message: 'exceeded max depth', hint };
}

/** Open brackets. A key at the start of a line closes what text left open. */
function deepFlow(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 91 || code === 123) {
      depth += 1;
      if (depth > LIMIT) {
        return at;
      }
    } else if ((code === 93 || code === 125) && depth > 0) {
      depth -= 1;
    } else if (code === 10 && isLetter(text.charCodeAt(at + 1))) {
      depth = 0;
    }
  }
  return undefined;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** Columns at which something starts that is still open. */
function deepBlock(text: string): number | undefined {
  const open: number[] = [];
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    let at = start;
    while (at < end) {
      while (text.charCodeAt(at) === 32) {
        at += 1;
      }
      while (open.length > 0 && open[open.length - 1]! >= at - start) {
        open.pop();
      }
      open.push(at - start);
      if (open.length > LIMIT) {
        return at;
      }
      const code = text.charCodeAt(at);
      const isIndicator = (code === 45 || code === 63 || code === 58) && text.charCodeAt(at + 1) === 32;
      if (!isIndicator) {
        break;
      }
      at += 1;
    }
    start = end + 1;
  }
  return undefined;
}
