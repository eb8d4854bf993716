import { timeout } from '../../platform/combinators.ts';
import { TimeoutError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Once } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { parseDurationUs } from '../../platform/text/duration.ts';
import { didYouMean } from '../scenario/problem.ts';
import { expand, splitInput } from '../shell/words.ts';
import { type CommandOutput, TOOL_BUILD, type Tool, type ToolContext } from './tool.ts';
import type { Workspace } from './workspace.ts';

const TIMEOUT_EXPIRED = 124;
const TIMEOUT_MISUSED = 125;

/** Where the operator's shell stands. */
export const OPERATOR_DIRECTORY = '/root/lab';

/** What the operator's shell does itself, as it is typed. */
export const SHELL_BUILTINS = Object.freeze({ export: 'export NAME=VALUE', timeout: 'timeout 30s …' });

/** What one command line is given beside its words. */
type Invocation = Pick<ToolContext, 'platform' | 'stdin' | 'out' | 'err' | 'linger'>;

/** The operator's shell: finds the program, collects what it prints. */
export class OperatorShell {
  #tools: readonly Tool[];
  readonly files: Workspace;
  readonly env = new Map<string, string>([['HOME', '/root']]);
  #talosVersion: string;

  constructor(tools: readonly Tool[], files: Workspace, talosVersion: string) {
    this.#tools = tools;
    this.files = files;
    this.#talosVersion = talosVersion;
  }

  /**
   * Runs one command line with the ports of the calling process. `echo` sees what is printed as it is printed; `onLinger`
   * is told what the command still does when it has ended, or was ended, for whoever ends it and must let it.
   */
  *run(
    platform: Platform,
    words: readonly string[],
    echo: (text: string, stream: 'stdout' | 'stderr') => void = () => {},
    onLinger: (over: Once<true>) => void = () => {},
  ): Task<CommandOutput> {
    let stdout = '';
    let stderr = '';
    const out = (text: string): void => {
      stdout += text;
      echo(text, 'stdout');
    };
    const err = (text: string): void => {
      stderr += text;
      echo(text, 'stderr');
    };
    const input = splitInput(expand(words, this.env));
    if (typeof input === 'string') return { exitCode: 2, stdout, stderr: `${input}\n` };
    const lingering: Once<true>[] = [];
    const linger = (over: Once<true>): void => {
      lingering.push(over);
      onLinger(over);
    };
    const exitCode = yield* this.#dispatch(input.words, { platform, stdin: input.stdin, out, err, linger });
    for (const over of lingering) yield* over.get();
    return { exitCode, stdout, stderr };
  }

  *#dispatch(words: readonly string[], invocation: Invocation): Task<number> {
    const { err } = invocation;
    const program = words[0] ?? '';
    if (program === 'export') return this.#export(words.slice(1), err);
    if (program === 'timeout') return yield* this.#limited(words.slice(1), invocation);
    const tool = this.#tools.find((candidate) => candidate.name === program);
    if (tool === undefined) {
      err(`${program}: command not found\n`);
      return 127;
    }
    const context: ToolContext = {
      ...invocation,
      files: this.files,
      env: this.env,
      cwd: OPERATOR_DIRECTORY,
      talosVersion: this.#talosVersion,
      build: TOOL_BUILD,
      places: false,
    };
    return yield* tool.run(words.slice(1), context);
  }

  /** coreutils' timeout: how a command that would run for ever is ended, such as one that follows a log. Zero is no limit. */
  *#limited(words: readonly string[], invocation: Invocation): Task<number> {
    const { platform, err } = invocation;
    const [limit, ...command] = words;
    const limitUs = timeoutUs(limit ?? '');
    if (limitUs === undefined || command.length === 0) {
      err(`timeout: ${timeoutProblem(words)!}\n`);
      return TIMEOUT_MISUSED;
    }
    if (limitUs === 0) return yield* this.#dispatch(command, invocation);
    try {
      return yield* timeout(platform.clock, limitUs, this.#dispatch(command, invocation));
    } catch (error) {
      if (error instanceof TimeoutError) return TIMEOUT_EXPIRED;
      throw error;
    }
  }

  #export(assignments: readonly string[], err: (text: string) => void): number {
    for (const assignment of assignments) {
      const equals = assignment.indexOf('=');
      if (equals <= 0) {
        err(`export: ${assignment}: not an assignment\n`);
        return 1;
      }
      this.env.set(assignment.slice(0, equals), assignment.slice(equals + 1));
    }
    return 0;
  }
}

/** `30s`, `5m`, or a number of seconds. */
function timeoutUs(text: string): number | undefined {
  return parseDurationUs(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text);
}

function timeoutProblem([limit, ...command]: readonly string[]): string | undefined {
  if (limit === undefined || command.length === 0) return 'missing operand';
  return timeoutUs(limit) === undefined ? `invalid time interval '${limit}'` : undefined;
}

/** Why a command line could never run, for checking scenarios before they start. */
export function commandProblem(tools: readonly Tool[], typed: readonly string[]): string | undefined {
  const input = splitInput(typed);
  if (typeof input === 'string') return input;
  const { words } = input;
  const program = words[0] ?? '';
  if (program === 'export') return undefined;
  if (program === 'timeout') return timeoutProblem(words.slice(1)) ?? commandProblem(tools, words.slice(2));
  const tool = tools.find((candidate) => candidate.name === program);
  if (tool !== undefined) return tool.problem(words.slice(1));
  const names = tools.map((candidate) => candidate.name);
  const near = didYouMean(program, names);
  return `unknown program "${program}"${near === undefined ? `; there are ${names.join(', ')}` : `; did you mean "${near}"?`}`;
}
