/**
 * The file format of data-driven tests (reference/raft.md B1): a list of cases, each a directive, optional input,
 * and the output it is expected to print.
 */

export interface Argument {
  readonly key: string;
  /** Empty for a bare word; one value for `k=v`; any number for `k=(v1,v2)`. */
  readonly values: readonly string[];
}

export interface Case {
  /** Line of the directive, counted from 1. */
  readonly line: number;
  readonly directive: string;
  readonly command: string;
  readonly args: readonly Argument[];
  readonly input: string;
  /** Every line ends in a newline. */
  readonly expected: string;
  /** Lines of the expected output, counted from 0: [from, to). */
  readonly outputLines: readonly [number, number];
}

export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

const SEPARATOR = '----';

export function parseScript(text: string): Case[] {
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  const cases: Case[] = [];
  let at = 0;
  while (at < lines.length) {
    const first = lines[at]!.trim();
    at++;
    if (first === '' || first.startsWith('#')) continue;
    const line = at;
    let directive = first;
    while (directive.endsWith('\\') && at < lines.length) {
      directive = `${directive.slice(0, -1).trim()} ${lines[at++]!.trim()}`;
    }
    const { command, args } = parseDirective(directive);
    // Marks of a subtest structure the file, they expect nothing.
    if (command === 'subtest') continue;
    const input: string[] = [];
    while (at < lines.length && lines[at] !== SEPARATOR) input.push(lines[at++]!);
    if (at >= lines.length) throw new ScriptError(`line ${line}: ${command} has no ${SEPARATOR}`);
    const output = readExpected(lines, at + 1);
    const outputLines = [at + 1, output.end] as const;
    at = output.end + 1;
    const expected = output.text;
    cases.push({ line, directive, command, args, input: input.join('\n').trim(), expected, outputLines });
  }
  return cases;
}

function readExpected(lines: readonly string[], start: number): { text: string; end: number } {
  const collected: string[] = [];
  let at = start;
  if (lines[at] !== SEPARATOR) {
    while (at < lines.length && lines[at]!.trim() !== '') collected.push(`${lines[at++]}\n`);
    return { text: collected.join(''), end: at };
  }
  // Twice the separator: the output may hold blank lines, and ends where the separator comes twice again.
  for (at++; !(lines[at] === SEPARATOR && lines[at + 1] === SEPARATOR); at++) {
    if (at >= lines.length) throw new ScriptError(`line ${start}: output has no closing ${SEPARATOR}`);
    collected.push(`${lines[at]}\n`);
  }
  const after = lines[at + 2];
  if (after !== undefined && after.trim() !== '') {
    throw new ScriptError(`line ${at + 3}: a blank line must follow the closing ${SEPARATOR}`);
  }
  return { text: collected.join(''), end: at + 2 };
}

export function parseDirective(directive: string): { command: string; args: Argument[] } {
  const space = directive.indexOf(' ');
  const command = space < 0 ? directive : directive.slice(0, space);
  const args: Argument[] = [];
  let rest = space < 0 ? '' : directive.slice(space).trim();
  while (rest !== '') {
    const end = rest.search(/[ =]/);
    const key = end < 0 ? rest : rest.slice(0, end);
    if (key === '') throw new ScriptError(`empty key in: ${directive}`);
    rest = end < 0 ? '' : rest.slice(end);
    if (!rest.startsWith('=')) {
      args.push({ key, values: [] });
      rest = rest.trim();
      continue;
    }
    const value = takeValue(rest.slice(1), directive);
    args.push({ key, values: value.values });
    rest = value.rest.trim();
  }
  return { command, args };
}

function takeValue(text: string, directive: string): { values: string[]; rest: string } {
  if (!text.startsWith('(')) {
    const end = text.indexOf(' ');
    return end < 0 ? { values: [text], rest: '' } : { values: [text.slice(0, end)], rest: text.slice(end) };
  }
  const values: string[] = [];
  let depth = 1;
  let value = '';
  for (let at = 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (depth === 0) return { values: [...values, value], rest: text.slice(at + 1) };
    if (char === ',' && depth === 1) {
      values.push(value);
      value = '';
      while (text[at + 1] === ' ') at++;
    } else {
      value += char;
    }
  }
  throw new ScriptError(`unbalanced parentheses in: ${directive}`);
}

export function numberOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new ScriptError(`not a number: ${text}`);
  return Number(text);
}

export function booleanOf(text: string): boolean {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false;
  throw new ScriptError(`not a boolean: ${text}`);
}

/** Bare words, read as numbers, in their order. */
export function idsOf(args: readonly Argument[]): number[] {
  return args.filter(({ values }) => values.length === 0).map(({ key }) => numberOf(key));
}
