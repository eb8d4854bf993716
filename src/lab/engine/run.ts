import { SECOND_US } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { adviceOn } from '../advice/advice.ts';
import type { PlannedFault } from '../plan/draw.ts';
import type { Scenario } from '../scenario/model.ts';
import type { Expectation } from '../scenario/schema.ts';
import { splitWords } from '../shell/words.ts';
import type { OperatorShell } from '../tools/shell.ts';
import { Engine, type EngineEvents } from './engine.ts';
import { type CheckedExpectation, checkExpectation } from './expect.ts';
import { judge, type RunResult, type StepReport } from './result.ts';
import { Session, type SessionDeps } from './session.ts';
import { tellStory } from './story.ts';
import { planOf } from './variant.ts';

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
  const mistake =
    options.mistake === undefined
      ? undefined
      : scenario.mistakes.find((candidate) => candidate.name === options.mistake);
  const plan = planOf(scenario, mistake);
  const session = new Session(
    scenario,
    { seed: options.seed, digest: options.digest ?? 'fast', strictWire: options.strictWire ?? false },
    deps,
  );
  const { simulation } = session.world;
  const steps: StepReport[] = [];
  const expectations: CheckedExpectation[] = [];
  const problems: string[] = [];
  let done = false;
  const stopListening = options.watch?.onEvent === undefined ? undefined : session.onEvent(options.watch.onEvent);
  session.start(function* (shell, platform): Task<void> {
    const engine = new Engine(session.world, shell, platform, {
      onCommand: options.watch?.onCommand ?? (() => {}),
      onOutput: options.watch?.onOutput ?? (() => {}),
      onStep: (report) => {
        steps.push(report);
        options.watch?.onStep?.(report);
      },
    });
    yield* engine.run(plan.steps);
    problems.push(...engine.problems);
    if (engine.problems.length === 0)
      for (const expectation of plan.expect)
        expectations.push(...(yield* settle(session, shell, platform, expectation)));
    else
      for (const expectation of plan.expect)
        expectations.push(...checkExpectation(expectation, session.observer.view()));
    done = true;
  });
  for (const { atUs, fault } of options.faults ?? []) simulation.schedule(atUs, () => session.world.apply(fault));
  const stopped = (): boolean =>
    options.stopAtViolation !== undefined &&
    session.checkers.violations.some(({ guarantee }) => options.stopAtViolation!(guarantee));
  const end = simulation.runUntil(() => done || stopped(), {
    untilUs: options.untilUs ?? DEFAULT_UNTIL_US,
    maxEvents: options.maxEvents ?? DEFAULT_MAX_EVENTS,
  });
  stopListening?.();
  session.checkers.finish();
  if (!done) {
    for (const expectation of plan.expect) expectations.push(...checkExpectation(expectation, session.observer.view()));
    if (end !== 'budget' && options.untilUs === undefined && !stopped()) problems.push('the steps did not end');
  }
  const { violations } = session.checkers;
  const verdict = judge(problems, expectations, violations, plan.declared);
  const view = session.observer.view();
  const inconclusive = !done && end === 'budget';
  const result: RunResult = {
    scenario: scenario.name,
    seed: options.seed,
    ...(mistake !== undefined && { mistake: mistake.name }),
    digest: simulation.digest(),
    outcome: inconclusive ? 'inconclusive' : verdict.outcome,
    reasons: inconclusive
      ? [`the budget of ${options.maxEvents ?? DEFAULT_MAX_EVENTS} events ran out`, ...verdict.reasons]
      : verdict.reasons,
    simulatedUs: simulation.nowUs,
    events: simulation.eventsProcessed,
    expectations,
    violations,
    declared: plan.declared,
    steps,
    view,
    story: [...tellStory(view, violations, mistake), ...adviceOn(session).map((line) => `Advice: ${line}`)],
  };
  session.close();
  return result;
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
      saw: `${output.exitCode} ${output.stderr.trim().split('\n').at(-1) ?? ''}`.trim(),
    },
  ];
  if (wanted.output !== undefined) {
    const text = output.stdout + output.stderr;
    checks.push({
      text: `"${wanted.run}" prints "${wanted.output}"`,
      held: text.includes(wanted.output),
      saw: text.trim().split('\n').slice(-3).join(' / '),
    });
  }
  return checks;
}
