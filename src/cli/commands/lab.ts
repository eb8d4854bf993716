import type { Command } from 'commander';
import { Session } from '../../lab/engine/session.ts';
import { integerOption } from '../options.ts';
import { type SizeFlags, whichCluster, withSizeOptions } from '../which-cluster.ts';

interface LabFlags extends SizeFlags {
  readonly seed: number;
  readonly plain?: boolean;
}

/** `talosim lab [FILE]`: the screen; without a terminal, plain text. */
export function addLabCommand(program: Command): void {
  withSizeOptions(program.command('lab'))
    .description('watch and break a cluster in an interactive screen; plain text without a terminal')
    .argument('[file]', 'scenario file (default: the bring-up of five machines)')
    .option('--seed <n>', 'seed of the run', integerOption, 1)
    .option('--plain', 'print events as lines instead of drawing a screen')
    .action(async (file: string | undefined, flags: LabFlags) => {
      process.exitCode = await lab(file, flags);
    });
}

async function lab(file: string | undefined, flags: LabFlags): Promise<number> {
  const { scenario, deps } = whichCluster(file, flags);
  const session = new Session(scenario, { seed: flags.seed, digest: 'fast', strictWire: false }, deps);
  const terminal = process.stdout.isTTY === true && process.stdin.isTTY === true && process.env.TERM !== 'dumb';
  if (!terminal || flags.plain === true) {
    const { runPlain } = await import('../../tui/plain.ts');
    return await runPlain(session);
  }
  const { runScreen } = await import('../../tui/app.tsx');
  const { stdin, stdout } = process;
  return await runScreen(session, flags.seed, { stdin, stdout, colour: !process.env.NO_COLOR });
}
