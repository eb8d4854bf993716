import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { formatConfigError } from '../../config/errors.ts';
import { locateFinding, validate } from '../../config/validate/validate.ts';
import type { DiskEntry } from '../../lab/scenario/schema.ts';
import { OPERATOR_TOOLS } from '../../lab/tools/registry.ts';
import { namedDisk } from '../../lab/try/disk.ts';
import { tryReport } from '../../lab/try/report.ts';
import { type TriedConfig, triedConfig } from '../../lab/try/tried-config.ts';
import { tryConfigs } from '../../lab/try/try.ts';
import { clockText } from '../../lab/view/clock-text.ts';
import { parseBytes } from '../../platform/text/humanize.ts';
import { BadInput } from '../../runner/bad-input.ts';
import { breathing } from '../../runner/breathing.ts';
import { PROGRAMS } from '../../world/program-set.ts';
import { EXIT } from '../exit.ts';
import { integerOption } from '../options.ts';
import { collect, openConfig } from './config-file.ts';

interface TryFlags {
  readonly seed: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly envFile?: readonly string[];
  readonly disk?: readonly DiskEntry[];
}

/** `talosim try FILE...`. */
export function addTryCommand(program: Command): void {
  program
    .command('try')
    .description('boot whole machine configs in a world made for them; tell how far each gets and why no further')
    .argument('<file...>', 'whole machine configs; several boot together, the first control plane is bootstrapped')
    .option('--seed <n>', 'seed of the run', integerOption, 1)
    .option(
      '--disk <path[:size]>',
      'a disk of every machine, instead of what the config asks for; repeatable',
      diskOption,
    )
    .option('-e, --env-file <file>', 'fill placeholders from NAME=value lines; repeatable', collect)
    .option('--quiet', 'print only the verdict')
    .option('--json', 'print the verdict as one JSON object')
    .action(async (files: string[], flags: TryFlags) => {
      process.exitCode = await tryCommand(files, flags);
    });
}

async function tryCommand(files: readonly string[], flags: TryFlags): Promise<number> {
  const isQuiet = flags.quiet === true || flags.json === true;
  const options = {
    seed: flags.seed,
    ...(flags.disk !== undefined && { disks: flags.disk }),
    ...(!isQuiet && {
      onLine: (timeUs: number, text: string) => process.stdout.write(`${clockText(timeUs)}  ${text}\n`),
    }),
  };
  const deps = { programs: PROGRAMS, tools: OPERATOR_TOOLS };
  const result = await breathing(tryConfigs(openAll(files, flags), options, deps));
  process.stdout.write(flags.json === true ? `${JSON.stringify(result)}\n` : tryReport(result));
  return result.complete ? EXIT.passed : EXIT.failed;
}

/** Loads and validates every file; what is wrong with any of them is bad input. */
function openAll(files: readonly string[], flags: TryFlags): TriedConfig[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const config = openConfig(file, { ...(flags.envFile !== undefined && { envFile: flags.envFile }) });
    const checked = validate(config, { mode: 'metal' });
    if (checked.errors.length > 0) {
      throw new BadInput(checked.errors.map((finding) => formatConfigError(locateFinding(config, finding))).join('\n'));
    }
    const tried = triedConfig(config, taken);
    if (tried === undefined)
      throw new BadInput(`${file}: no v1alpha1 document: a patch cannot be booted, apply it to a config first`);
    taken.add(tried.name);
    return tried;
  });
}

function diskOption(text: string, earlier: readonly DiskEntry[] = []): readonly DiskEntry[] {
  const [name = '', size = '64GiB'] = text.split(':');
  const bytes = parseBytes(size);
  if (!name.startsWith('/dev/') || typeof bytes !== 'bigint')
    throw new InvalidArgumentError('write a disk such as /dev/sda or /dev/nvme0n1:100GB.');
  return [...earlier, namedDisk(name, Number(bytes) / 1_073_741_824)];
}
