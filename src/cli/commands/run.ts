import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { reportText } from '../../lab/engine/report.ts';
import { type RunResult, resultJson } from '../../lab/engine/result.ts';
import { type RunOptions, runScenarioInSlices } from '../../lab/engine/run.ts';
import type { Scenario } from '../../lab/scenario/model.ts';
import { didYouMean } from '../../lab/scenario/problem.ts';
import { clockText } from '../../lab/view/clock-text.ts';
import { ChangeNarrator, narrate } from '../../lab/view/narrate.ts';
import { BadInput, fileProblem } from '../../runner/bad-input.ts';
import { breathing } from '../../runner/breathing.ts';
import { openScenario } from '../../runner/scenario-file.ts';
import { EXIT } from '../exit.ts';
import { durationOption, integerOption, positiveOption } from '../options.ts';

interface RunFlags {
  readonly mistake?: string;
  readonly seed: number;
  readonly json?: boolean;
  readonly trace?: string;
  readonly until?: number;
  readonly maxEvents?: number;
  readonly strictWire?: boolean;
  readonly fullDigest?: boolean;
  readonly quiet?: boolean;
}

/** `talosim run FILE`. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('run a scenario and judge it')
    .argument('<file>', 'scenario file')
    .option('--mistake <name>', 'work one of the mistakes of the scenario in')
    .option('--seed <n>', 'seed of the run', integerOption, 1)
    .option('--json', 'print the result as one JSON object at the end')
    .option('--trace <file>', 'write every event as a line of JSON')
    .option('--until <duration>', 'stop at this simulated time', durationOption)
    .option('--max-events <n>', 'give up after so many events: exit code 4', positiveOption)
    .option('--strict-wire', 'encode and decode every message')
    .option('--full-digest', 'fold the fields of every event into the digest')
    .option('--quiet', 'print only the report')
    .action(async (file: string, flags: RunFlags) => {
      process.exitCode = await runCommand(file, flags);
    });
}

async function runCommand(file: string, flags: RunFlags): Promise<number> {
  const { scenario, deps } = openScenario(file);
  checkMistake(scenario, flags.mistake);
  const trace = flags.trace === undefined ? undefined : openTrace(flags.trace, file);
  const quiet = flags.json === true || flags.quiet === true;
  const options: RunOptions = {
    seed: flags.seed,
    ...(flags.mistake !== undefined && { mistake: flags.mistake }),
    ...(flags.until !== undefined && { untilUs: flags.until }),
    ...(flags.maxEvents !== undefined && { maxEvents: flags.maxEvents }),
    strictWire: flags.strictWire ?? false,
    digest: flags.fullDigest === true ? 'full' : 'fast',
    watch: watcher(quiet, trace),
  };
  const startedMs = performance.now();
  let result: RunResult;
  try {
    result = await breathing(runScenarioInSlices(scenario, options, deps));
  } finally {
    if (trace !== undefined) closeSync(trace);
  }
  const wallMs = Math.round(performance.now() - startedMs);
  if (flags.json === true) process.stdout.write(`${JSON.stringify(resultJson(result, wallMs))}\n`);
  else process.stdout.write(reportText(result, wallMs));
  return { passed: EXIT.passed, failed: EXIT.failed, inconclusive: EXIT.inconclusive }[result.outcome];
}

function openTrace(path: string, scenario: string): number {
  if (resolve(path) === resolve(scenario)) throw new BadInput(`--trace ${path}: that is the scenario itself`);
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new BadInput(`--trace ${path}: ${fileProblem(error)}`);
  }
}

export function checkMistake(scenario: Scenario, mistake: string | undefined): void {
  const names = scenario.mistakes.map((candidate) => candidate.name);
  if (mistake === undefined || names.includes(mistake)) return;
  const near = didYouMean(mistake, names);
  const hint =
    near !== undefined ? `did you mean "${near}"?` : names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw new BadInput(`${scenario.file}: no mistake is called "${mistake}"\n  hint: ${hint}`);
}

/** Prints what happens as it happens, unless only the result is wanted. */
function watcher(quiet: boolean, trace: number | undefined): NonNullable<RunOptions['watch']> {
  let nowUs = 0;
  const nodes = new ChangeNarrator();
  const say = (text: string): void => {
    process.stdout.write(`${clockText(nowUs)}  ${text}\n`);
  };
  return {
    onEvent: (event) => {
      nowUs = event.timeUs;
      if (trace !== undefined) writeSync(trace, `${JSON.stringify(event)}\n`);
      const line = quiet ? undefined : (narrate(event) ?? nodes.tell(event));
      if (line !== undefined) say(line);
    },
    ...(!quiet && {
      onCommand: (line) => say(`$ ${line}`),
      onOutput: (text) => {
        for (const line of text.trimEnd().split('\n')) say(`  ${line}`);
      },
    }),
  };
}
