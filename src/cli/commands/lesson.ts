import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { Session } from '../../lab/engine/session.ts';
import { planOf } from '../../lab/engine/variant.ts';
import { Lesson, type LessonPage } from '../../lab/lesson/lesson.ts';
import { BadInput } from '../../runner/bad-input.ts';
import { breathing } from '../../runner/breathing.ts';
import { openScenario } from '../../runner/scenario-file.ts';
import { EXIT } from '../exit.ts';
import { integerOption } from '../options.ts';
import { defaultScenario } from '../places.ts';
import { checkMistake } from './run.ts';

interface LessonFlags {
  readonly seed: number;
  readonly mistake?: string;
}

/** `talosim lesson [FILE]`: a scenario page by page, forward and back. */
export function addLessonCommand(program: Command): void {
  program
    .command('lesson')
    .description('turn the pages of a scenario: Enter goes on, b goes back, q quits; also from standard input')
    .argument('[file]', 'scenario file whose steps have titles (default: the bring-up of five machines)')
    .option('--mistake <name>', 'work one of the mistakes of the scenario in')
    .option('--seed <n>', 'seed of the run', integerOption, 1)
    .action(async (file: string | undefined, flags: LessonFlags) => {
      process.exitCode = await lesson(file ?? defaultScenario(), flags);
    });
}

async function lesson(file: string, flags: LessonFlags): Promise<number> {
  const { scenario, deps } = openScenario(file);
  checkMistake(scenario, flags.mistake);
  const mistake = scenario.mistakes.find(({ name }) => name === flags.mistake);
  const { steps } = planOf(scenario, mistake);
  const pages = new Lesson(
    steps,
    () => new Session(scenario, { seed: flags.seed, digest: 'fast', strictWire: false }, deps),
  );
  if (pages.pages === 0)
    throw new BadInput(`${file}: no step has a title, so there are no pages; see docs/scenarios.md`);
  process.stdout.write(`${scenario.name}\n`);
  let failed = show(await breathing(pages.forward()));
  for await (const line of createInterface({ input: process.stdin })) {
    const key = line.trim();
    if (key === 'q') break;
    if (key !== '' && key !== 'n' && key !== 'b') {
      process.stdout.write('Enter or n: next page, b: back, q: quit\n');
      continue;
    }
    failed = show(await breathing(key === 'b' ? pages.back() : pages.forward())) || failed;
  }
  pages.close();
  return failed ? EXIT.failed : EXIT.passed;
}

/** Prints a page; true when its steps did not go as they should. */
function show(page: LessonPage | undefined): boolean {
  if (page === undefined) {
    process.stdout.write('there is no page in that direction\n');
    return false;
  }
  const { number, title, text, transcript, machines, problems } = page;
  process.stdout.write(`\n${number}  ${title}\n${text}\n\n${transcript}\n${machines}`);
  for (const problem of problems) process.stdout.write(`✕ ${problem}\n`);
  return problems.length > 0;
}
