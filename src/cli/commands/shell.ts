import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { Session } from '../../lab/engine/session.ts';
import { ShellSession } from '../../lab/shell/session.ts';
import { breathing } from '../../runner/breathing.ts';
import { EXIT } from '../exit.ts';
import { integerOption } from '../options.ts';
import { piped } from '../piped.ts';
import { type SizeFlags, whichCluster, withSizeOptions } from '../which-cluster.ts';

interface ShellFlags extends SizeFlags {
  readonly seed: number;
  readonly run?: boolean;
}

/** `talosim shell FILE`: commands, faults and time, typed into a live cluster. */
export function addShellCommand(program: Command): void {
  withSizeOptions(program.command('shell'))
    .description(
      'type talosctl, etcdctl and kubectl commands, faults and `advance 30s` into a live cluster; also from standard input',
    )
    .argument('[file]', 'scenario file: its machines and networks (default: the bring-up of five machines)')
    .option('--seed <n>', 'seed of the run', integerOption, 1)
    .option('--run', 'run the steps of the scenario first')
    .action(async (file: string | undefined, flags: ShellFlags) => {
      process.exitCode = await shell(file, flags);
    });
}

async function shell(file: string | undefined, flags: ShellFlags): Promise<number> {
  const { scenario, deps } = whichCluster(file, flags);
  const session = new Session(scenario, { seed: flags.seed, digest: 'fast', strictWire: false }, deps);
  const shellSession = new ShellSession(session, (text) => process.stdout.write(text));
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  shellSession.greet();
  // Before the terminal is read key by key: until then Ctrl-C is a signal that ends the process.
  if (flags.run === true) await breathing(shellSession.runSteps());
  const code = interactive ? await typed(shellSession) : await piped(shellSession);
  session.close();
  return code;
}

/** Lines as a person types them. Ctrl-C ends the command that runs, as in a real shell; at the prompt it ends the session. */
async function typed(session: ShellSession): Promise<number> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: true });
  let isRunning = false;
  let isInterrupted = false;
  lines.on('SIGINT', () => {
    if (!isRunning) process.exit(EXIT.interrupted);
    isInterrupted = true;
  });
  const prompt = (): void => {
    lines.setPrompt(session.prompt());
    lines.prompt();
  };
  prompt();
  for await (const line of lines) {
    isRunning = true;
    isInterrupted = false;
    const outcome = await breathing(session.entered(line), () => isInterrupted);
    isRunning = false;
    if (outcome === 'quit') break;
    if (outcome === undefined) process.stdout.write('^C\n');
    prompt();
  }
  lines.close();
  return EXIT.passed;
}
