import { SECOND_US } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { RunEnd } from '../../sim/simulation.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { adviceOn } from '../advice/advice.ts';
import type { PlannedFault } from '../plan/draw.ts';
import type { MistakeSpec, Scenario } from '../scenario/model.ts';
import type { Expectation } from '../scenario/schema.ts';
import { splitWords } from '../shell/words.ts';
import { lastLines } from '../tools/said.ts';
import type { OperatorShell } from '../tools/shell.ts';
import type { ClusterView } from '../view/types.ts';
import { Engine, type EngineEvents } from './engine.ts';
import { type CheckedExpectation, checkExpectation } from './expect.ts';
import { judge, type RunResult, type StepReport } from './result.ts';
import { Session, type SessionDeps } from './session.ts';
import { finished, runInSlices, type Slices } from './slices.ts';
import { tellStory } from './story.ts';
import { planOf, type RunPlan } from './variant.ts';

export interface RunOptions {
  readonly seed: number;
  readonly mistake?: string;
  /** Stop at this simulated time. */
  readonly untilUs?: number;
  readonly strictWire?: boolean;
  readonly digest?: 'fast' | 'full';
  /** Faults beside those of the scenario. */
  readonly faults?: readonly PlannedFault[];
  /** Bound on events; beyond it the run is inconclusive. */
  readonly maxEvents?: number;
  /** Ends the run as soon as such a guarantee is broken: what comes after is of no interest. */
  readonly stopAtViolation?: (guarantee: string) => boolean;
  /** Told of everything as it happens. */
  readonly watch?: Partial<EngineEvents> & { readonly onEvent?: (event: TraceEvent) => void };
}

/** Longest simulated time of a run that does not say otherwise. */
const DEFAULT_UNTIL_US = 6 * 3_600 * SECOND_US;
const DEFAULT_MAX_EVENTS = 100_000_000;
const POLL_US = SECOND_US;

/** Runs a scenario to its end and judges it. Throws SimulationBug or LivelockError when our own code failed. */
export function runScenario(scenario: Scenario, options: RunOptions, deps: SessionDeps): RunResult {
  return finished(runScenarioInSlices(scenario, options, deps));
}

/** {@link runScenario} for whoever must be interruptible. */
export function* runScenarioInSlices(scenario: Scenario, options: RunOptions, deps: SessionDeps): Slices<RunResult> {
  const run = new ScenarioRun(scenario, options, deps);
  yield* run.go();
  return run.finish();
}

class ScenarioRun {
  readonly #scenario: Scenario;
  readonly #options: RunOptions;
  readonly #mistake: MistakeSpec | undefined;
  readonly #plan: RunPlan;
  readonly #session: Session;
  readonly #maxEvents: number;
  readonly #steps: StepReport[] = [];
  readonly #expectations: CheckedExpectation[] = [];
  readonly #problems: string[] = [];
  /** The command that was begun last, for a run whose steps do not end. */
  #lastCommand = 'no command';
  #done = false;
  #end: RunEnd | undefined;

  constructor(scenario: Scenario, options: RunOptions, deps: SessionDeps) {
    this.#scenario = scenario;
    this.#options = options;
    this.#mistake = scenario.mistakes.find((candidate) => candidate.name === options.mistake);
    this.#plan = planOf(scenario, this.#mistake);
    this.#maxEvents = options.maxEvents ?? DEFAULT_MAX_EVENTS;
    const { seed, digest = 'fast', strictWire = false, watch } = options;
    this.#session = new Session(scenario, { seed, digest, strictWire }, deps);
    if (watch?.onEvent !== undefined) this.#session.onEvent(watch.onEvent);
    this.#session.start((shell, platform) => this.#body(shell, platform));
    const { world } = this.#session;
    for (const { atUs, fault } of options.faults ?? []) world.simulation.schedule(atUs, () => world.apply(fault));
  }

  /** Goes on until the steps are over, or a limit is reached. */
  *go(): Slices<void> {
    this.#end = yield* runInSlices(this.#session.world.simulation, () => this.#done || this.#stopped(), {
      untilUs: this.#options.untilUs ?? DEFAULT_UNTIL_US,
      maxEvents: this.#maxEvents,
    });
  }

  /** Judges the run and ends it. */
  finish(): RunResult {
    const { checkers, observer, world } = this.#session;
    checkers.finish();
    const view = observer.view();
    if (!this.#done) this.#cutShort(view);
    const { violations } = checkers;
    const verdict = judge(this.#problems, this.#expectations, violations, this.#plan.declared);
    const inconclusive = !this.#done && this.#end === 'budget';
    const result: RunResult = {
      scenario: this.#scenario.name,
      seed: this.#options.seed,
      ...(this.#mistake !== undefined && { mistake: this.#mistake.name }),
      digest: world.simulation.digest(),
      outcome: inconclusive ? 'inconclusive' : verdict.outcome,
      reasons: inconclusive ? [`the budget of ${this.#maxEvents} events ran out`, ...verdict.reasons] : verdict.reasons,
      simulatedUs: world.simulation.nowUs,
      events: world.simulation.eventsProcessed,
      expectations: this.#expectations,
      violations,
      declared: this.#plan.declared,
      steps: this.#steps,
      view,
      story: [...tellStory(view, this.#mistake), ...adviceOn(this.#session).map((line) => `Advice: ${line}`)],
    };
    this.#session.close();
    return result;
  }

  /** The steps did not come to their end: what was expected is judged by how it stands now. */
  #cutShort(view: ClusterView): void {
    for (const expectation of this.#plan.expect) this.#expectations.push(...checkExpectation(expectation, view));
    if (this.#end !== 'budget' && this.#options.untilUs === undefined && !this.#stopped())
      this.#problems.push(`the steps did not end; last came: ${this.#lastCommand}`);
  }

  #stopped(): boolean {
    const { stopAtViolation } = this.#options;
    if (stopAtViolation === undefined) return false;
    return this.#session.checkers.violations.some(({ guarantee }) => stopAtViolation(guarantee));
  }

  /** What the operator does: the steps, then a look at what was expected. */
  *#body(shell: OperatorShell, platform: Platform): Task<void> {
    const { watch } = this.#options;
    const engine = new Engine(this.#session.world, shell, platform, {
      onCommand: (line) => {
        this.#lastCommand = line;
        watch?.onCommand?.(line);
      },
      onOutput: watch?.onOutput ?? (() => {}),
      onStep: (report) => {
        this.#steps.push(report);
        watch?.onStep?.(report);
      },
    });
    yield* engine.run(this.#plan.steps);
    this.#problems.push(...engine.problems);
    for (const expectation of this.#plan.expect) {
      if (engine.problems.length === 0)
        this.#expectations.push(...(yield* settle(this.#session, shell, platform, expectation)));
      else this.#expectations.push(...checkExpectation(expectation, this.#session.observer.view()));
    }
    this.#done = true;
  }
}

/** Checks an expectation; with `within` it may take that long to come true. */
function* settle(
  session: Session,
  shell: OperatorShell,
  platform: Platform,
  expectation: Expectation,
): Task<CheckedExpectation[]> {
  const deadlineUs = session.nowUs + (expectation.within ?? 0);
  for (;;) {
    const checks = [
      ...checkExpectation(expectation, session.observer.view()),
      ...(yield* commandCheck(shell, platform, expectation)),
    ];
    if (checks.every((check) => check.held) || session.nowUs >= deadlineUs) return checks;
    yield* platform.clock.sleep(POLL_US);
  }
}

function* commandCheck(shell: OperatorShell, platform: Platform, expectation: Expectation): Task<CheckedExpectation[]> {
  const wanted = expectation.command;
  if (wanted === undefined) return [];
  const output = yield* shell.run(platform, splitWords(wanted.run).words ?? []);
  const exit = wanted.exit ?? 0;
  const checks = [
    {
      text: `"${wanted.run}" exits with ${exit}`,
      held: output.exitCode === exit,
      saw: `${output.exitCode} ${lastLines(output.stderr, 1)}`.trim(),
    },
  ];
  if (wanted.output !== undefined) {
    const text = output.stdout + output.stderr;
    checks.push({
      text: `"${wanted.run}" prints "${wanted.output}"`,
      held: text.includes(wanted.output),
      saw: lastLines(text) || 'nothing',
    });
  }
  return checks;
}
