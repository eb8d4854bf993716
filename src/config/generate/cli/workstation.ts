/** What the offline commands run with: pure functions from files and flags to files and output. */

import type { CryptoPort } from '../../../platform/crypto.ts';
import { type Contract, parseContract } from '../contract.ts';
import type { ToolRelease } from '../tool-release.ts';

/** Files as a command sees them. */
export interface FilePort {
  /** Directory that relative paths start from; absolute. */
  readonly cwd: string;
  /** Text of a file; undefined when there is none. */
  readText(path: string): string | undefined;
  exists(path: string): boolean;
}

export interface Workstation {
  readonly files: FilePort;
  readonly crypto: CryptoPort;
  /** Seconds since the Unix epoch. */
  readonly nowSec: number;
  readonly tool: ToolRelease;
}

export interface OutputFile {
  readonly path: string;
  readonly content: string;
  /** Permission bits. */
  readonly mode: number;
}

/** What a command leaves behind; the caller writes the files, also when the exit code is not 0. */
export interface CommandOutcome {
  readonly files: readonly OutputFile[];
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Ends a command with a message on standard error and exit code 1. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}

/** Collects output while a command runs. */
export class Output {
  readonly files: OutputFile[] = [];
  stdout = '';
  stderr = '';
}

/** Runs a command body; its `CommandError` becomes the last lines of standard error. */
export function runCommand(body: (output: Output) => void): CommandOutcome {
  const output = new Output();
  let exitCode = 0;
  try {
    body(output);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    output.stderr += `${error.message}\n`;
    exitCode = 1;
  }
  return { files: output.files, stdout: output.stdout, stderr: output.stderr, exitCode };
}

/** The contract to generate for. Throws CommandError when `--talos-version` names none. */
export function contractOf(talosVersion: string | undefined, workstation: Workstation): Contract {
  if ((talosVersion ?? '') === '') return workstation.tool.minor;
  const contract = parseContract(talosVersion!);
  if (typeof contract === 'object') throw new CommandError(`invalid talos-version: ${contract.error}`);
  return contract;
}

/** Reads a file or fails as Go's `os.ReadFile` does. */
export function readFile(files: FilePort, path: string): string {
  const text = files.readText(path);
  if (text === undefined) throw new CommandError(`open ${path}: no such file or directory`);
  return text;
}

/** Several problems as hashicorp/go-multierror prints them. */
export function multiError(problems: readonly string[]): string {
  const title = problems.length === 1 ? '1 error occurred:' : `${problems.length} errors occurred:`;
  return `${title}\n${problems.map((problem) => `\t* ${problem}\n`).join('')}\n`;
}

/** Joins path elements and cleans the result, as Go's `filepath.Join` does. */
export function joinPath(...elements: readonly string[]): string {
  const joined = elements.filter((element) => element !== '').join('/');
  const parts: string[] = [];
  const isAbsolute = joined.startsWith('/');
  for (const part of joined.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !isAbsolute) parts.push(part);
  }
  const path = parts.join('/');
  return isAbsolute ? `/${path}` : path || '.';
}
