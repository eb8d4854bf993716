import { type Milestone, MilestoneRecorder } from '../lab/engine/milestones.ts';
import type { RunResult } from '../lab/engine/result.ts';
import { runScenario } from '../lab/engine/run.ts';
import { drawPlan, type FaultPlan } from '../lab/plan/draw.ts';
import { MINUTE_US } from '../platform/clock.ts';
import { KeyedRandom } from '../sim/random.ts';
import type { TraceEvent } from '../sim/trace.ts';
import { TraceRecorder } from './recorded-trace.ts';
import type { OpenedScenario } from './scenario-file.ts';

/** What every seed of a check does. */
export interface CheckSpec {
  readonly file: string;
  readonly mistake?: string;
  /** Draw random faults for each seed. */
  readonly faults: boolean;
  readonly digest: 'fast' | 'full';
  readonly strictWire: boolean;
  /** Keep the trace in the outcome, to be compared with another run's. */
  readonly record: boolean;
}

/** What one seed gave, small enough to travel between threads. */
export interface SeedOutcome {
  readonly seed: number;
  readonly digest: string;
  readonly outcome: RunResult['outcome'] | 'bug';
  readonly reasons: readonly string[];
  readonly plan: FaultPlan | undefined;
  readonly milestones: Readonly<Partial<Record<Milestone, number>>>;
  /** Control planes in the order in which they became voters. */
  readonly promoted: readonly string[];
  /** Founders of etcd clusters, in order. */
  readonly births: readonly string[];
  /** Per machine: the founder of the etcd cluster it ended in. */
  readonly sides: Readonly<Record<string, string>>;
  readonly simulatedUs: number;
  readonly wallMs: number;
  /** See {@link TraceRecorder}; only where it was asked for. */
  readonly trace?: Uint8Array;
}

const FAULTS_UNTIL_US = 8 * MINUTE_US;
const MAX_FAULTS = 6;

/** The faults of a seed: drawn before the run, from a stream of their own. */
export function planOfSeed(seed: number, machines: readonly string[]): FaultPlan {
  return drawPlan(new KeyedRandom(String(seed), 'plan'), {
    machines,
    fromUs: 0,
    toUs: FAULTS_UNTIL_US,
    maxFaults: MAX_FAULTS,
  });
}

/** Runs one seed. A bug of our own is an outcome here, not an exception: the other seeds go on. */
export function runSeed(opened: OpenedScenario, spec: CheckSpec, seed: number): SeedOutcome {
  const { scenario, deps } = opened;
  const plan = spec.faults
    ? planOfSeed(
        seed,
        scenario.machines.map((machine) => machine.name),
      )
    : undefined;
  const recorder = new MilestoneRecorder(scenario.machines.length);
  const trace = spec.record ? new TraceRecorder() : undefined;
  const onEvent = (event: TraceEvent): void => {
    recorder.take(event);
    trace?.take(event);
  };
  const startedMs = performance.now();
  try {
    const result = runScenario(
      scenario,
      {
        seed,
        ...(spec.mistake !== undefined && { mistake: spec.mistake }),
        ...(plan !== undefined && { faults: plan.faults }),
        digest: spec.digest,
        strictWire: spec.strictWire,
        watch: { onEvent },
      },
      deps,
    );
    return {
      ...outcomeOf(result),
      plan,
      milestones: Object.fromEntries(recorder.atUs),
      promoted: recorder.promoted,
      wallMs: performance.now() - startedMs,
      ...(trace !== undefined && { trace: trace.packed() }),
    };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const nothing = { milestones: {}, promoted: [], births: [], sides: {}, simulatedUs: 0 };
    return {
      seed,
      digest: '',
      outcome: 'bug',
      reasons: [text],
      plan,
      ...nothing,
      wallMs: performance.now() - startedMs,
    };
  }
}

function outcomeOf(result: RunResult) {
  const sides: Record<string, string> = {};
  for (const cluster of result.view.etcd.clusters)
    for (const member of cluster.members) if (member.name !== '') sides[member.name] = cluster.birth.machine;
  return {
    seed: result.seed,
    digest: result.digest,
    outcome: result.outcome,
    reasons: result.reasons,
    births: result.view.etcd.clusters.map((cluster) => cluster.birth.machine),
    sides,
    simulatedUs: result.simulatedUs,
  };
}
