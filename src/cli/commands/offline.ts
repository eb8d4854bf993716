import type { Command } from 'commander';
import { createHostCrypto } from '../../host/crypto/crypto.ts';
import { parseCommand } from '../../lab/cobra/parse.ts';
import { runTree } from '../../lab/talosctl/run-tree.ts';
import { TOOL_BUILD, TOOL_VERSION, type ToolContext } from '../../lab/tools/tool.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { BadInput } from '../../runner/bad-input.ts';
import { EXIT } from '../exit.ts';
import { diskFiles } from '../offline/files.ts';
import { offlineTree } from '../offline/tree.ts';

const OFFLINE: Readonly<Record<string, { readonly about: string; readonly alias?: string }>> = {
  gen: { about: 'generate machine configs and secrets, as talosctl gen does; also from a talhelper talconfig.yaml' },
  machineconfig: { about: 'patch and generate machine configs offline, as talosctl machineconfig does', alias: 'mc' },
  validate: { about: 'validate a machine config, as talosctl validate does; problems come with their places' },
};

/** talosctl's offline commands on the real file system: same flags, same files, same exit codes. */
export function addOfflineCommands(program: Command): void {
  for (const [name, { about, alias }] of Object.entries(OFFLINE)) {
    const command = program
      .command(name)
      .description(about)
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .argument('[args...]')
      .action((_args: string[], _flags: object, { args }: Command) => {
        process.exitCode = offline([name, ...args]);
      });
    if (alias !== undefined) command.alias(alias);
  }
}

/** Runs one command; a failed validation is exit code 1 as with the real tool, wrong usage 1 too. */
function offline(words: readonly string[]): number {
  const read = parseCommand(offlineTree, words);
  // The real tool prints its help for a word that it does not know, as if all were well.
  if (read.error !== undefined && read.isUnknownCommand) throw new BadInput(`talosim: error: ${read.error.trimEnd()}`);
  return runToEnd(runTree(offlineTree, words, hostContext()));
}

/** Offline commands ask only for the time and for keys. */
function hostContext(): ToolContext {
  const clock = { nowUs: () => Date.now() * 1000 } as Platform['clock'];
  return {
    platform: { clock, crypto: createHostCrypto() } as Platform,
    files: diskFiles,
    env: new Map(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    cwd: process.cwd(),
    talosVersion: TOOL_VERSION,
    build: TOOL_BUILD,
    places: true,
    linger: () => {},
    stdin: '',
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
