import { all, timeout } from '../../platform/combinators.ts';
import { TimeoutError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Once } from '../../platform/signal.ts';
import type { Task, TaskHandle } from '../../platform/task.ts';
import { formatDurationUs } from '../../platform/text/duration.ts';
import type { Heal } from '../../world/faults.ts';
import type { World } from '../../world/world.ts';
import type { AwaitStep, CommandStep, FaultStepSpec, Step } from '../scenario/model.ts';
import { lastLines } from '../tools/said.ts';
import type { OperatorShell } from '../tools/shell.ts';
import type { CommandOutput } from '../tools/tool.ts';
import type { StepReport } from './result.ts';

const AWAIT_PAUSE_US = 2_000_000;

/** What watchers of a run are told as it happens. */
export interface EngineEvents {
  readonly onCommand: (line: string) => void;
  readonly onOutput: (text: string, stream: 'stdout' | 'stderr') => void;
  readonly onStep: (report: StepReport) => void;
}

/** Runs the steps of a scenario as the operator does: one after another, in the simulated time of the workstation. */
export class Engine {
  readonly #world: World;
  readonly #shell: OperatorShell;
  readonly #platform: Platform;
  readonly #events: EngineEvents;
  #heals = new Map<string, Heal>();
  #background = new Map<string, TaskHandle<void>>();
  #anonymous: TaskHandle<void>[] = [];
  #lingering: Once<true>[] = [];
  /** When steps with an id began or ended last, or will begin, by the clock of the workstation. */
  #doneAtUs = new Map<string, number>();
  readonly problems: string[] = [];

  constructor(world: World, shell: OperatorShell, platform: Platform, events: EngineEvents) {
    this.#world = world;
    this.#shell = shell;
    this.#platform = platform;
    this.#events = events;
  }

  /** Runs steps in order; after the last one, waits for what still runs in the background. */
  *run(steps: readonly Step[]): Task<void> {
    yield* this.#sequence(steps);
    for (const handle of [...this.#background.values(), ...this.#anonymous]) yield* handle.join();
  }

  /** Runs one command line as typed; its exit code. */
  *typed(words: readonly string[]): Task<number> {
    return (yield* this.#run(words, this.#events.onOutput)).exitCode;
  }

  /** When what it does was cancelled: ends what runs in the background too, and waits for the last words of every command. */
  *interrupted(): Task<void> {
    for (const handle of [...this.#background.values(), ...this.#anonymous]) handle.cancel();
    // Until all have unwound.
    yield* this.#platform.clock.sleep(0);
    for (const over of this.#lingering) yield* over.get();
  }

  #run(words: readonly string[], echo: EngineEvents['onOutput']): Task<CommandOutput> {
    return this.#shell.run(this.#platform, words, echo, (over) => this.#lingering.push(over));
  }

  *#sequence(steps: readonly Step[]): Task<void> {
    for (const step of steps) {
      if (this.problems.length > 0) return;
      if (step.background) this.#startInBackground(step);
      else yield* this.#step(step);
    }
  }

  #startInBackground(step: Step): void {
    const handle = this.#platform.scope.spawn(step.as ?? 'background', () => this.#step(step));
    if (step.as === undefined) this.#anonymous.push(handle);
    else this.#background.set(step.as, handle);
  }

  *#step(step: Step): Task<void> {
    const { simulation } = this.#world;
    const untilUs = Math.max(0, (step.atUs ?? 0) - simulation.nowUs);
    this.#note(step, untilUs);
    if (untilUs > 0) yield* this.#platform.clock.sleep(untilUs);
    const startUs = simulation.nowUs;
    const problem = yield* this.#perform(step);
    this.#note(step);
    this.#events.onStep({
      text: stepText(step),
      startUs,
      endUs: simulation.nowUs,
      ...(problem !== undefined && { problem }),
    });
    if (problem !== undefined) this.problems.push(`line ${step.place.line}: ${stepText(step)}: ${problem}`);
  }

  #note({ id }: Step, afterUs = 0): void {
    if (id !== undefined) this.#doneAtUs.set(id, this.#platform.clock.monotonicUs() + afterUs);
  }

  /** Undefined when the step went as it should. */
  *#perform(step: Step): Task<string | undefined> {
    switch (step.kind) {
      case 'run':
        return yield* this.#command(step);
      case 'await':
        return yield* this.#await(step);
      case 'advance':
        yield* this.#platform.clock.sleep(step.durationUs);
        return undefined;
      case 'wait':
        yield* this.#background.get(step.name)!.join();
        return undefined;
      case 'fault':
        return this.#fault(step);
      case 'parallel':
        yield* all(step.steps.map((inner) => this.#step(inner)));
        return undefined;
      default:
        return step satisfies never;
    }
  }

  *#command(step: CommandStep): Task<string | undefined> {
    this.#events.onCommand(step.line);
    const output = yield* this.#run(step.words, this.#events.onOutput);
    return complaint(output, step.exit, step.output) ?? this.#capture(step, output);
  }

  /** Sets the variables of a step from what was printed. */
  #capture({ capture = {} }: CommandStep, { stdout }: CommandOutput): string | undefined {
    for (const [name, pattern] of Object.entries(capture)) {
      const found = new RegExp(pattern, 'm').exec(stdout)?.[1];
      if (found === undefined) return `nothing that it printed is like "${pattern}", so \${${name}} is not known`;
      this.#shell.env.set(name, found);
    }
    return undefined;
  }

  /**
   * Repeats the command until it succeeds; one attempt may last as long as the whole step, or until it is time to do
   * again what it waits for.
   */
  *#await(step: AwaitStep): Task<string | undefined> {
    const { clock } = this.#platform;
    const deadlineUs = clock.monotonicUs() + step.withinUs;
    let sinceUs = clock.monotonicUs();
    this.#events.onCommand(step.line);
    let last = 'it was never tried';
    for (;;) {
      const nowUs = clock.monotonicUs();
      const againAtUs = step.again.length === 0 ? deadlineUs : this.#lastDoneUs(step.again, sinceUs) + step.everyUs;
      if (nowUs >= deadlineUs) return `not within ${formatDurationUs(step.withinUs)}: ${last}`;
      if (nowUs >= againAtUs) {
        yield* this.#again(step);
        sinceUs = clock.monotonicUs();
        continue;
      }
      const output = yield* this.#attempt(step, Math.min(deadlineUs, againAtUs) - nowUs);
      if (typeof output === 'string') {
        const said = lastLines(output);
        last = `the command did not end${said === '' ? '' : `; it printed: ${said}`}`;
        continue;
      }
      const problem = complaint(output, 0, step.output);
      if (problem === undefined) {
        this.#show(output);
        return undefined;
      }
      last = problem;
      yield* clock.sleep(AWAIT_PAUSE_US);
    }
  }

  /** When the latest of these was done, also side by side with the step that waits; not before `sinceUs`. */
  #lastDoneUs(steps: readonly Step[], sinceUs: number): number {
    return steps.reduce((lastUs, { id = '' }) => Math.max(lastUs, this.#doneAtUs.get(id) ?? 0), sinceUs);
  }

  /** Gives earlier commands once more, each for as long as there is patience, whatever becomes of it: the wait will tell. */
  *#again(step: AwaitStep): Task<void> {
    for (const earlier of step.again) {
      this.#events.onCommand(earlier.line);
      const output = yield* this.#attempt(earlier, step.everyUs);
      if (typeof output !== 'string') this.#show(output);
    }
  }

  #show({ stdout, stderr }: CommandOutput): void {
    if (stdout !== '') this.#events.onOutput(stdout, 'stdout');
    if (stderr !== '') this.#events.onOutput(stderr, 'stderr');
  }

  /** The outcome of one try; what was printed so far when it did not end in time. */
  *#attempt(step: CommandStep | AwaitStep, limitUs: number): Task<CommandOutput | string> {
    let printed = '';
    const command = this.#run(step.words, (text) => {
      printed += text;
    });
    try {
      return yield* timeout(this.#platform.clock, limitUs, command, step.line);
    } catch (error) {
      if (error instanceof TimeoutError) return printed;
      throw error;
    }
  }

  /** Starts a fault; what is wrong when there is nothing that it would hit. */
  #fault(step: FaultStepSpec): string | undefined {
    const { fault } = step;
    if (fault.fault === 'heal' && fault.name !== undefined) {
      this.#heals.get(fault.name)?.();
      return undefined;
    }
    const absent = this.#world.faults.absent(fault);
    if (absent !== undefined) return absent;
    const heal = this.#world.apply(fault);
    if (step.as !== undefined) this.#heals.set(step.as, heal);
    return undefined;
  }
}

function complaint(output: CommandOutput, exit: number, text: string | undefined): string | undefined {
  if (output.exitCode !== exit) {
    const said = lastLines(`${output.stdout}\n${output.stderr}`, 1);
    return `exit code ${output.exitCode} instead of ${exit}${said === '' ? '' : `: ${said}`}`;
  }
  if (text !== undefined && !output.stdout.includes(text) && !output.stderr.includes(text)) {
    const said = lastLines(`${output.stdout}\n${output.stderr}`);
    return `neither output contains "${text}"; it printed${said === '' ? ' nothing' : `: ${said}`}`;
  }
  return undefined;
}

/** A step as one line of a report. */
export function stepText(step: Step): string {
  switch (step.kind) {
    case 'run':
      return step.line;
    case 'await':
      return `await ${step.line}`;
    case 'advance':
      return `advance ${formatDurationUs(step.durationUs)}`;
    case 'wait':
      return `wait ${step.name}`;
    case 'fault':
      return `fault ${step.fault.fault} ${step.fault.machines.join(' ')}`.trim();
    case 'parallel':
      return `parallel of ${step.steps.length}`;
    default:
      return step satisfies never;
  }
}
