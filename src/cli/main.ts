import { Command, CommanderError } from 'commander';
import { BadInput } from '../runner/bad-input.ts';
import { addCheckCommand } from './commands/check.ts';
import { addLabCommand } from './commands/lab.ts';
import { addOfflineCommands } from './commands/offline.ts';
import { addRunCommand } from './commands/run.ts';
import { addShellCommand } from './commands/shell.ts';
import { EXIT } from './exit.ts';

const BUGS: ReadonlySet<string> = new Set(['SimulationBug', 'LivelockError', 'AmbientAccess', 'Bug']);

function program(): Command {
  const root = new Command('talosim')
    .description(
      'A flight simulator for Talos Linux clusters: real machine configs, a real Raft, a real etcd, virtual time.',
    )
    .version('0.1.0')
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(`talosim: ${text}`) })
    .exitOverride();
  addRunCommand(root);
  addCheckCommand(root);
  addShellCommand(root);
  addLabCommand(root);
  addOfflineCommands(root);
  for (const command of root.commands)
    command.exitOverride().configureOutput({ outputError: (text, write) => write(`talosim: ${text}`) });
  return root;
}

/** Turns whatever went wrong into one clear message and an exit code; never a bare stack trace for a person's mistake. */
function failure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.badInput;
  if (error instanceof BadInput) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.badInput;
  }
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === 'EPIPE') return EXIT.passed;
  if (error instanceof Error && code !== undefined && !BUGS.has(error.name)) {
    process.stderr.write(`talosim: ${error.message}\n`);
    return EXIT.badInput;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`talosim: a bug of talosim itself; please report it with this text\n${text}\n`);
  return EXIT.bug;
}

process.on('SIGINT', () => process.exit(EXIT.interrupted));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.passed);
});
try {
  await program().parseAsync(process.argv);
} catch (error) {
  process.exitCode = failure(error);
}
