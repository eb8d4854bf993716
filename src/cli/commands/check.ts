import { type Command, Option } from 'commander';
import { faultText } from '../../lab/plan/draw.ts';
import { runSeeds } from '../../runner/pool.ts';
import { differenceText } from '../../runner/recorded-trace.ts';
import { openScenario } from '../../runner/scenario-file.ts';
import type { CheckSpec, SeedOutcome } from '../../runner/seed-run.ts';
import { countText, spreadText } from '../../runner/spread.ts';
import { EXIT } from '../exit.ts';
import { positiveOption, seedsOption } from '../options.ts';
import { defaultScenario, workerEntry } from '../places.ts';
import { checkMistake } from './run.ts';

interface CheckFlags {
  readonly seeds: { readonly first: number; readonly last: number };
  readonly mistake?: string;
  readonly faults: boolean;
  readonly jobs?: number;
  readonly bail?: boolean;
  readonly twice?: boolean;
  readonly strictWire?: boolean;
  readonly json?: boolean;
}

/** `talosim check [FILE]`. */
export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('run many seeds with random faults; print the failing ones and the spread of the milestones')
    .argument('[file]', 'scenario file (default: the bring-up of five machines)')
    .addOption(
      new Option('--seeds <n|a..b>', 'how many seeds, or which')
        .argParser(seedsOption)
        .default({ first: 1, last: 20 }, '20'),
    )
    .option('--mistake <name>', 'work one of the mistakes of the scenario in')
    .option('--no-faults', 'leave random faults out')
    .option('--jobs <n>', 'threads (default: one per core)', positiveOption)
    .option('--bail', 'stop at the first failing seed')
    .option('--twice', 'run every seed twice and compare the full digests')
    .option('--strict-wire', 'encode and decode every message')
    .option('--json', 'print the outcomes as one JSON object')
    .action(async (file: string | undefined, flags: CheckFlags) => {
      process.exitCode = await check(file ?? defaultScenario(), flags);
    });
}

async function check(file: string, flags: CheckFlags): Promise<number> {
  const { scenario } = openScenario(file);
  checkMistake(scenario, flags.mistake);
  const spec: CheckSpec = {
    file,
    ...(flags.mistake !== undefined && { mistake: flags.mistake }),
    faults: flags.faults,
    digest: flags.twice === true ? 'full' : 'fast',
    strictWire: flags.strictWire ?? false,
    record: flags.twice ?? false,
  };
  const seeds = Array.from(
    { length: flags.seeds.last - flags.seeds.first + 1 },
    (_, index) => flags.seeds.first + index,
  );
  const outcomes: SeedOutcome[] = [];
  const progress = process.stderr.isTTY === true;
  const collect = (outcome: SeedOutcome): boolean => {
    outcomes.push(outcome);
    if (progress) process.stderr.write(`\r${outcomes.length} of ${seeds.length} seeds`);
    return flags.bail !== true || outcome.outcome === 'passed';
  };
  const options = {
    worker: workerEntry(),
    ...(flags.jobs !== undefined && { jobs: flags.jobs }),
  };
  await runSeeds(spec, seeds, { ...options, onOutcome: collect });
  const again: SeedOutcome[] = [];
  // The second time in the opposite order: what one seed did must not matter to another.
  if (flags.twice === true)
    await runSeeds(spec, seeds.toReversed(), { ...options, onOutcome: (outcome) => again.push(outcome) > 0 });
  if (progress) process.stderr.write('\r\u001b[K');
  return conclude(
    file,
    flags,
    outcomes.sort((a, b) => a.seed - b.seed),
    again,
  );
}

function conclude(
  file: string,
  flags: CheckFlags,
  outcomes: readonly SeedOutcome[],
  again: readonly SeedOutcome[],
): number {
  const failed = outcomes.filter((outcome) => outcome.outcome !== 'passed');
  const different = differences(outcomes, again);
  if (flags.json === true)
    process.stdout.write(`${JSON.stringify({ file, outcomes: outcomes.map(withoutTrace), different })}\n`);
  else process.stdout.write(reportOf(file, flags, outcomes, failed, different));
  if (failed.some((outcome) => outcome.outcome === 'bug')) return EXIT.bug;
  if (different.length > 0) return EXIT.notDeterministic;
  if (failed.some((outcome) => outcome.outcome === 'failed')) return EXIT.failed;
  return failed.length > 0 ? EXIT.inconclusive : EXIT.passed;
}

/** A seed whose two runs differ, and the first event that does. */
interface SeedDifference {
  readonly seed: number;
  readonly where: string;
}

function differences(first: readonly SeedOutcome[], second: readonly SeedOutcome[]): SeedDifference[] {
  const bySeed = new Map(second.map((outcome) => [outcome.seed, outcome]));
  return first.flatMap(({ seed, digest, trace }) => {
    const other = bySeed.get(seed);
    if (other === undefined || other.digest === digest) return [];
    const where = trace === undefined || other.trace === undefined ? '' : differenceText(trace, other.trace);
    return [{ seed, where }];
  });
}

function withoutTrace({ trace: _trace, ...outcome }: SeedOutcome): SeedOutcome {
  return outcome;
}

function reportOf(
  file: string,
  flags: CheckFlags,
  outcomes: readonly SeedOutcome[],
  failed: readonly SeedOutcome[],
  different: readonly SeedDifference[],
): string {
  const parts = [
    spreadText(outcomes),
    countText(
      'etcd born on',
      outcomes.map((outcome) => outcome.births.join(' and ')),
    ),
  ];
  parts.push(
    countText(
      'voters in the order',
      outcomes.map((outcome) => outcome.promoted.join(', ')),
    ),
  );
  const wallMs = outcomes.reduce((sum, outcome) => sum + outcome.wallMs, 0);
  for (const outcome of failed.slice(0, 10)) parts.push(failureText(file, flags, outcome));
  if (failed.length > 10)
    parts.push(
      `… and ${failed.length - 10} more failing seeds: ${failed
        .slice(10)
        .map((outcome) => outcome.seed)
        .join(', ')}\n`,
    );
  for (const { seed, where } of different) parts.push(`seed ${seed}: two runs differ\n${where}`);
  const digests = new Set(outcomes.map((outcome) => outcome.digest)).size;
  parts.push(
    `${outcomes.length - failed.length} of ${outcomes.length} seeds passed, ${digests} different digests, ${(wallMs / 1000 / Math.max(1, outcomes.length)).toFixed(2)} s a run\n`,
  );
  return parts.join('');
}

function failureText(file: string, flags: CheckFlags, outcome: SeedOutcome): string {
  const mistake = flags.mistake === undefined ? '' : ` --mistake ${flags.mistake}`;
  const lines = [`seed ${outcome.seed} ${outcome.outcome}: ${outcome.reasons.join('; ')}`];
  for (const fault of outcome.plan?.faults ?? []) lines.push(`    ${faultText(fault)}`);
  lines.push(
    `    again: talosim check ${file}${mistake} --seeds ${outcome.seed}..${outcome.seed}${flags.faults ? '' : ' --no-faults'}`,
  );
  return `${lines.join('\n')}\n`;
}
