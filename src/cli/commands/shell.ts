import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { Session } from '../../lab/engine/session.ts';
import { ShellSession } from '../../lab/shell/session.ts';
import { EXIT } from '../exit.ts';
import { integerOption } from '../options.ts';
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
  const lines = createInterface({
    input: process.stdin,
    output: interactive ? process.stdout : undefined,
    prompt: '',
    terminal: interactive,
  });
  shellSession.greet();
  if (flags.run === true) shellSession.runSteps();
  const prompt = (): void => {
    if (!interactive) return;
    lines.setPrompt(shellSession.prompt());
    lines.prompt();
  };
  prompt();
  let code: number = EXIT.passed;
  for await (const line of lines) {
    if (!interactive) process.stdout.write(`${shellSession.prompt()}${line}\n`);
    const outcome = shellSession.enter(line);
    if (outcome === 'quit') break;
    if (outcome === 'failed' && !interactive) code = EXIT.failed;
    prompt();
  }
  lines.close();
  session.close();
  return code;
}
