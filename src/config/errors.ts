/** Located errors of the config package. */

/** A step into a document: a key or a list index. */
export type PathStep = string | number;
export type Path = readonly PathStep[];

/**
 * One problem with a configuration text. `line` and `column` are 1-based and 0 when no place is known;
 * `path` is the field path (`machine.network.interfaces[0].mtu`), empty for a problem of the whole document.
 */
export interface ConfigError {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  /** What to do about it; empty when the message says it all. */
  readonly hint: string;
}

/** Field path as text: keys joined by dots, indexes and unusual keys in brackets. */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') {
      text += `[${step}]`;
    } else if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(step)) {
      text += text === '' ? step : `.${step}`;
    } else {
      text += `[${JSON.stringify(step)}]`;
    }
  }
  return text;
}

/** `file:line:column: path: message (hint)`, leaving out what is not known. */
export function formatConfigError(error: ConfigError): string {
  const place = error.line > 0 ? `${error.file}:${error.line}:${error.column}` : error.file;
  const where = error.path === '' ? place : `${place}: ${error.path}`;
  const hint = error.hint === '' ? '' : ` (${error.hint})`;
  return `${where}: ${error.message}${hint}`;
}

/** Errors in the order of the text, those without a place first. */
export function sortErrors(errors: readonly ConfigError[]): ConfigError[] {
  return [...errors].sort((a, b) => a.line - b.line || a.column - b.column);
}
