import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { createHostCrypto } from '../../host/crypto/crypto.ts';
import { talosctl } from '../../lab/talosctl/talosctl.ts';
import type { ToolContext } from '../../lab/tools/tool.ts';
import type { Files } from '../../lab/tools/workspace.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { EXIT } from '../exit.ts';

const OFFLINE: Readonly<Record<string, string>> = {
  gen: 'generate machine configs and secrets, as talosctl gen does',
  machineconfig: 'patch and generate machine configs offline, as talosctl machineconfig does',
  validate: 'validate a machine config, as talosctl validate does; problems come with their places',
};

/** talosctl's offline commands on the real file system: same flags, same files, same exit codes. */
export function addOfflineCommands(program: Command): void {
  for (const [name, description] of Object.entries(OFFLINE)) {
    program
      .command(name, { hidden: false })
      .description(description)
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .argument('[args...]')
      .action((_args: string[], _flags: object, command: Command) => {
        process.exitCode = offline([name, ...command.args]);
      });
  }
}

/** Runs one command; a failed validation is exit code 1 as with the real tool, wrong usage 1 too. */
function offline(words: readonly string[]): number {
  return runToEnd(talosctl.run(words, hostContext()));
}

const diskFiles: Files = Object.freeze({
  readText: (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
  readBytes: (path: string) => (existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined),
  exists: (path: string) => existsSync(path),
  write: (path: string, content: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(path) || '.', { recursive: true });
    writeFileSync(path, content, { mode });
  },
  remove: (path: string) => rmSync(path, { force: true }),
});

/** Offline commands ask only for the time and for keys. */
function hostContext(): ToolContext {
  const clock = { nowUs: () => Date.now() * 1000 } as Platform['clock'];
  return {
    platform: { clock, crypto: createHostCrypto() } as Platform,
    files: diskFiles,
    env: new Map(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    cwd: process.cwd(),
    talosVersion: 'v1.11.3',
    build: { sha: 'a0243ef7', built: '', goVersion: 'go1.24.9', osArch: 'linux/amd64' },
    places: true,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  };
}

/** Runs a task that waits for nothing. */
function runToEnd(task: Task<number>): number {
  const step = task.next();
  if (step.done === true) return step.value;
  process.stderr.write('talosim: this command talks to machines; use it in `talosim shell` or in a scenario\n');
  return EXIT.badInput;
}
