import { parseDurationUs } from '../../platform/text/duration.ts';
import type { FaultSpec } from '../../world/fault.ts';
import { splitWords } from '../shell/words.ts';
import type { ScenarioVocabulary } from './load.ts';
import type { AwaitStep, CommandStep, Step } from './model.ts';
import type { PlaceFinder } from './positions.ts';
import { didYouMean, type Problem } from './problem.ts';
import type { FaultStep, RawStep } from './schema.ts';

const DEFAULT_AWAIT_US = 600_000_000;
const DEFAULT_EVERY_US = 120_000_000;
const MIN_EVERY_US = 1_000_000;

type Path = readonly PropertyKey[];

/** Turns step entries into steps, collecting problems of command lines with their places. */
export class StepReader {
  #file: string;
  #finder: PlaceFinder;
  #vocabulary: ScenarioVocabulary;
  #problems: Problem[];
  /** Commands read so far that have an id. */
  readonly #named = new Map<string, CommandStep | AwaitStep>();

  constructor(file: string, finder: PlaceFinder, vocabulary: ScenarioVocabulary, problems: Problem[]) {
    this.#file = file;
    this.#finder = finder;
    this.#vocabulary = vocabulary;
    this.#problems = problems;
  }

  steps(raw: readonly RawStep[], path: Path): Step[] {
    return raw.map((entry, index) => this.#step(entry, [...path, index]));
  }

  #step(raw: RawStep, path: Path): Step {
    const step = this.#read(raw, path);
    if (step.id !== undefined && (step.kind === 'run' || step.kind === 'await')) this.#named.set(step.id, step);
    return step;
  }

  #read(raw: RawStep, path: Path): Step {
    const place = this.#finder.find(path);
    if (typeof raw === 'string')
      return { kind: 'run', line: raw, words: this.#words(raw, path), exit: 0, background: false, place };
    const timing = {
      ...(raw.at !== undefined && { atUs: raw.at }),
      background: raw.background ?? false,
      ...(raw.as !== undefined && { as: raw.as }),
      ...(raw.id !== undefined && { id: raw.id }),
      ...(raw.title !== undefined && { title: raw.title }),
      ...(raw.text !== undefined && { text: raw.text }),
      place,
    };
    if ('parallel' in raw)
      return { kind: 'parallel', steps: this.steps(raw.parallel, [...path, 'parallel']), ...timing };
    if ('run' in raw) {
      const words = this.#words(raw.run, [...path, 'run']);
      return {
        kind: 'run',
        line: raw.run,
        words,
        exit: raw.exit ?? 0,
        ...(raw.output !== undefined && { output: raw.output }),
        ...(raw.capture !== undefined && { capture: raw.capture }),
        ...timing,
      };
    }
    if ('await' in raw) {
      const words = this.#words(raw.await, [...path, 'await']);
      if (raw.every !== undefined && raw.again === undefined)
        this.#problem([...path, 'every'], '"every" needs "again"', 'name the steps that are to be done once more');
      if (raw.every !== undefined && raw.every < MIN_EVERY_US)
        this.#problem(
          [...path, 'every'],
          '"every" is shorter than 1s',
          'leave the command time to succeed, such as 2m',
        );
      return {
        kind: 'await',
        line: raw.await,
        words,
        withinUs: raw.within ?? DEFAULT_AWAIT_US,
        ...(raw.output !== undefined && { output: raw.output }),
        again: this.#earlier([raw.again ?? []].flat(), [...path, 'again']),
        everyUs: raw.every ?? DEFAULT_EVERY_US,
        ...timing,
      };
    }
    if ('advance' in raw) return { kind: 'advance', durationUs: raw.advance, ...timing };
    if ('wait' in raw) return { kind: 'wait', name: raw.wait, ...timing };
    if (raw.by !== undefined && amountOf(raw.by) === undefined) {
      const message = `"${raw.by}" is neither a duration nor a number`;
      this.#problem([...path, 'by'], message, 'write -5m, 20ms, or parts per million');
    }
    return { kind: 'fault', fault: faultOf(raw), ...timing };
  }

  #problem(path: Path, message: string, hint?: string): void {
    const place = this.#finder.find(path);
    this.#problems.push({ file: this.#file, ...place, message, ...(hint !== undefined && { hint }) });
  }

  /** The commands that ids name; only what was done before can be done again. */
  #earlier(ids: readonly string[], path: Path): (CommandStep | AwaitStep)[] {
    return ids.flatMap((id) => {
      const step = this.#named.get(id);
      if (step !== undefined) return [step];
      const near = didYouMean(id, [...this.#named.keys()]);
      this.#problem(
        path,
        `no earlier command has the id "${id}"`,
        near === undefined ? 'give that "run" or "await" step an id' : `did you mean "${near}"?`,
      );
      return [];
    });
  }

  #words(line: string, path: Path): readonly string[] {
    const split = splitWords(line);
    if (split.error !== undefined) {
      this.#problem(path, split.error);
      return [];
    }
    const problem =
      split.words.length === 0 ? 'the command line is empty' : this.#vocabulary.commandProblem(split.words);
    if (problem !== undefined) this.#problem(path, problem);
    for (const file of filesOf(split.words))
      if (!this.#vocabulary.fileExists(file))
        this.#problem(path, `file "${file}" does not exist`, 'paths are relative to the scenario file');
    return split.words;
  }
}

/** Files that a command line reads and that no earlier command can have written: `@file` values of patch flags. */
function filesOf(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const value = /^(?:--[a-z-]+=)?@(.+)$/.exec(word)?.[1];
    return value === undefined ? [] : [value];
  });
}

/** The fault that an entry names. */
export function faultOf(raw: FaultStep): FaultSpec {
  const machines = raw.machines ?? (raw.machine === undefined ? [] : [raw.machine]);
  const amount = raw.by === undefined ? undefined : amountOf(raw.by);
  return {
    fault: raw.fault,
    machines,
    ...(raw.from !== undefined && { from: raw.from }),
    ...(raw.to !== undefined && { to: raw.to }),
    ...(raw.oneWay !== undefined && { oneWay: raw.oneWay }),
    ...(raw.for !== undefined && { forUs: raw.for }),
    ...(amount !== undefined && { amount }),
    ...(raw.percent !== undefined && { percent: raw.percent }),
    ...(raw.process !== undefined && { process: raw.process }),
    ...(raw.service !== undefined && { service: raw.service }),
    ...(raw.record !== undefined && { record: raw.record }),
    ...(raw.addresses !== undefined && { addresses: raw.addresses }),
    ...(raw.disk !== undefined && { disk: raw.disk }),
    ...(raw.key !== undefined && { key: raw.key }),
    ...(raw.name !== undefined && { name: raw.name }),
  };
}

/** A duration in microseconds, or a plain number (parts per million) as it stands; undefined when it is neither. */
export function amountOf(text: string): number | undefined {
  return /^-?\d+$/.test(text) ? Number(text) : parseDurationUs(text);
}
