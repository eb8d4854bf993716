import { DEFAULT_VERSION } from '../../config/version.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Once } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import type { Files } from './workspace.ts';

/** What a command of the operator's workstation runs with. */
export interface ToolContext {
  readonly platform: Platform;
  readonly files: Files;
  /** Environment of the operator's shell; `export` changes it. */
  readonly env: Map<string, string>;
  /** Absolute working directory; relative paths of {@link files} start there. */
  readonly cwd: string;
  /** Version of the tools on the workstation, `v1.11.3`. */
  readonly talosVersion: string;
  /** How the tools were built, as `version` prints it. */
  readonly build: ToolBuild;
  /** Adds places (`file:line:column`) to what the real tool says of a bad config. */
  readonly places: boolean;
  /** What is typed or piped into the command. */
  readonly stdin: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** What the command still does after it was ended, such as giving a lock back: the prompt comes back when it is set. */
  readonly linger: (over: Once<true>) => void;
}

export interface ToolBuild {
  readonly sha: string;
  readonly built: string;
  readonly goVersion: string;
  readonly osArch: string;
}

/** Release of the tools unless a run simulates another one. */
export const TOOL_VERSION = DEFAULT_VERSION.text;

/** How talosctl v1.11.3 was built (reference/v1.11.3.md 1). */
export const TOOL_BUILD: ToolBuild = Object.freeze({
  sha: 'a0243ef7',
  built: '',
  goVersion: 'go1.24.9',
  osArch: 'linux/amd64',
});

/** A program that the operator can type; the value is its exit code. */
export interface Tool {
  readonly name: string;
  run(words: readonly string[], context: ToolContext): Task<number>;
  /** Why this command line could never run (unknown command or flag); undefined when it could. */
  problem(words: readonly string[]): string | undefined;
}

export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}
