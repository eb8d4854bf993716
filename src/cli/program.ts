import { Command, CommanderError } from 'commander';
import { BadInput, fileProblem } from '../runner/bad-input.ts';
import { EXIT } from './exit.ts';

/** Commands by the module that brings them. Only the module of the named command is loaded: `validate` must start at once. */
const MODULES: readonly {
  readonly names: readonly string[];
  readonly add: (program: Command) => Promise<void>;
}[] = [
  { names: ['run'], add: async (program) => (await import('./commands/run.ts')).addRunCommand(program) },
  { names: ['check'], add: async (program) => (await import('./commands/check.ts')).addCheckCommand(program) },
  { names: ['shell'], add: async (program) => (await import('./commands/shell.ts')).addShellCommand(program) },
  { names: ['lab'], add: async (program) => (await import('./commands/lab.ts')).addLabCommand(program) },
  { names: ['lesson'], add: async (program) => (await import('./commands/lesson.ts')).addLessonCommand(program) },
  { names: ['try'], add: async (program) => (await import('./commands/try.ts')).addTryCommand(program) },
  { names: ['explain'], add: async (program) => (await import('./commands/explain.ts')).addExplainCommand(program) },
  {
    names: ['gen', 'machineconfig', 'mc', 'validate'],
    add: async (program) => (await import('./commands/offline.ts')).addOfflineCommands(program),
  },
];

const BUGS: ReadonlySet<string> = new Set(['SimulationBug', 'LivelockError', 'AmbientAccess', 'Bug']);

async function programFor(name: string | undefined): Promise<Command> {
  const root = new Command('talosim')
    .description(
      'A flight simulator for Talos Linux clusters: real machine configs, a real Raft, a real etcd, virtual time.',
    )
    .version('0.1.0')
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(`talosim: ${text}`) })
    .exitOverride();
  const named = MODULES.filter(({ names }) => name !== undefined && names.includes(name));
  for (const { add } of named.length > 0 ? named : MODULES) await add(root);
  for (const command of root.commands)
    command.exitOverride().configureOutput({ outputError: (text, write) => write(`talosim: ${text}`) });
  return root;
}

/** Runs a whole command line (`process.argv`) and returns its exit code. */
export async function runCli(argv: readonly string[]): Promise<number> {
  process.on('SIGINT', () => process.exit(EXIT.interrupted));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.passed);
  });
  try {
    const program = await programFor(argv[2]);
    await program.parseAsync(argv);
    return Number(process.exitCode ?? EXIT.passed);
  } catch (error) {
    return failure(error);
  }
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
    const { path } = error as NodeJS.ErrnoException;
    process.stderr.write(`talosim: ${path === undefined ? '' : `${path}: `}${fileProblem(error)}\n`);
    return EXIT.badInput;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`talosim: a bug of talosim itself; please report it with this text\n${text}\n`);
  return EXIT.bug;
}
