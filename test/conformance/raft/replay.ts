import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { confChangeRunner } from './confchange.ts';
import { interactionRunner } from './interaction.ts';
import { runQuorumCase } from './quorum.ts';
import { type Case, parseScript } from './script.ts';

/** How a script fared: what was different in the first case that failed, or `null`. */
export interface Outcome {
  readonly file: string;
  readonly cases: number;
  readonly failure: Failure | null;
}

export interface Failure {
  readonly line: number;
  readonly directive: string;
  readonly expected: string;
  readonly actual: string;
}

export interface ReplayOptions {
  /** Compare the lines nodes log as well, not only what they do. */
  readonly withLogs?: boolean;
  /** Let the executable specification judge every step. */
  readonly watched?: boolean;
}

/** Every script at or below a path, in order of name. */
export function scriptsBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !name.startsWith('.') && !name.endsWith('~') && !name.startsWith('#'))
    .sort()
    .map((name) => join(path, name))
    .flatMap((child) => (statSync(child).isDirectory() ? scriptsBelow(child) : [child]))
    .filter((file) => file.endsWith('.txt'));
}

export function replayFile(file: string, options: ReplayOptions = {}): Outcome {
  return { file, ...replay(readFileSync(file, 'utf8'), options) };
}

/** Runs a script up to the first case that fails. */
export function replay(text: string, options: ReplayOptions = {}): Omit<Outcome, 'file'> {
  let tests: Case[];
  try {
    tests = parseScript(text);
  } catch (error) {
    return { cases: 0, failure: { line: 0, directive: '', expected: '', actual: crashText(error) } };
  }
  const { run, normalise } = interpreterFor(tests, options);
  for (const test of tests) {
    const expected = normalise(test.expected);
    const actual = normalise(runGuarded(run, test));
    if (actual !== expected) {
      const { line, directive } = test;
      return { cases: tests.length, failure: { line, directive, expected, actual } };
    }
  }
  return { cases: tests.length, failure: null };
}

/** The script with what it prints now in place of what it expects. */
export function rewritten(text: string): string {
  const tests = parseScript(text);
  const { run } = interpreterFor(tests, { withLogs: true });
  const lines = text.split('\n');
  const parts: string[] = [];
  let from = 0;
  for (const test of tests) {
    parts.push(...lines.slice(from, test.outputLines[0]), ...runGuarded(run, test).trimEnd().split('\n'));
    from = test.outputLines[1];
  }
  return [...parts, ...lines.slice(from)].join('\n');
}

function runGuarded(run: (test: Case) => string, test: Case): string {
  try {
    const text = run(test);
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  } catch (error) {
    return crashText(error);
  }
}

function crashText(error: unknown): string {
  return `crashed: ${error instanceof Error ? error.stack : error}\n`;
}

interface Interpreter {
  readonly run: (test: Case) => string;
  readonly normalise: (text: string) => string;
}

const CONFCHANGE_COMMANDS = ['simple', 'enter-joint', 'leave-joint'];
const QUORUM_COMMANDS = ['committed', 'vote'];

/** The commands tell what kind of script it is, wherever it lies. */
function interpreterFor(tests: readonly Case[], options: ReplayOptions): Interpreter {
  const only = (commands: readonly string[]): boolean => tests.every(({ command }) => commands.includes(command));
  const exact = (text: string): string => text;
  if (only(CONFCHANGE_COMMANDS)) return { run: confChangeRunner(), normalise: exact };
  if (only(QUORUM_COMMANDS)) return { run: runQuorumCase, normalise: exact };
  return { run: interactionRunner(options.watched ?? false), normalise: options.withLogs ? exact : withoutLogs };
}

const LOG_LINE = /^\s*(DEBUG|INFO|WARN|ERROR|FATAL) /;

/** Drops the lines nodes log; what is left empty is `ok` (reference/raft.md B10). */
export function withoutLogs(text: string): string {
  const lines = text.split('\n').filter((line) => !LOG_LINE.test(line));
  const rest = lines.join('\n');
  return rest.trim() === '' ? 'ok\n' : rest;
}
