import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { Workspace } from './workspace.ts';

/** What a command of the operator's workstation runs with. */
export interface ToolContext {
  readonly platform: Platform;
  readonly files: Workspace;
  /** Environment of the operator's shell; `export` changes it. */
  readonly env: Map<string, string>;
  /** Version of the tools on the workstation, `v1.11.3`. */
  readonly talosVersion: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

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
