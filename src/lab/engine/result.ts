import type { ClusterView } from '../view/types.ts';
import type { CheckedExpectation } from './expect.ts';

/** A guarantee that a checker saw broken. */
export interface Violation {
  readonly guarantee: string;
  readonly atUs: number;
  readonly detail: string;
}

/** What became of one step, for the text report. */
export interface StepReport {
  readonly text: string;
  readonly startUs: number;
  readonly endUs: number;
  /** Undefined when it went as it should. */
  readonly problem?: string;
}

export type Outcome = 'passed' | 'failed' | 'inconclusive';

export interface RunResult {
  readonly scenario: string;
  readonly seed: number;
  readonly mistake?: string;
  readonly digest: string;
  readonly outcome: Outcome;
  /** Why it did not pass, in words; empty when it passed. */
  readonly reasons: readonly string[];
  readonly simulatedUs: number;
  readonly events: number;
  readonly expectations: readonly CheckedExpectation[];
  readonly violations: readonly Violation[];
  /** Guarantees that were declared as broken by this scenario or mistake. */
  readonly declared: readonly string[];
  readonly steps: readonly StepReport[];
  readonly view: ClusterView;
  readonly story: readonly string[];
}

/** The object that `talosim run --json` prints last (docs/scenarios.md). `wallMs` is measured by the caller. */
export function resultJson(result: RunResult, wallMs: number): object {
  const { view } = result;
  return {
    scenario: result.scenario,
    seed: result.seed,
    ...(result.mistake !== undefined && { mistake: result.mistake }),
    digest: result.digest,
    outcome: result.outcome === 'passed' ? 'passed' : 'failed',
    ...(result.reasons.length > 0 && { reasons: result.reasons }),
    simulatedUs: result.simulatedUs,
    wallMs,
    events: result.events,
    expectations: result.expectations,
    violations: result.violations,
    etcd: view.etcd,
    kubernetes: view.kubernetes,
    vip:
      view.vip === undefined
        ? { address: '', owner: '' }
        : { address: view.vip.address, owner: view.vip.owners.join(',') },
    machines: view.machines,
  };
}

/** Decides how a run ended: violations must be exactly the declared ones and every expectation must hold. */
export function judge(
  stepProblems: readonly string[],
  expectations: readonly CheckedExpectation[],
  violations: readonly Violation[],
  declared: readonly string[],
): { readonly outcome: Outcome; readonly reasons: readonly string[] } {
  const reasons = [...stepProblems];
  for (const check of expectations) if (!check.held) reasons.push(`expected ${check.text}, saw ${check.saw}`);
  const broken = new Set(violations.map((violation) => violation.guarantee));
  for (const name of broken) if (!declared.includes(name)) reasons.push(`guarantee ${name} was violated`);
  for (const name of declared)
    if (!broken.has(name)) reasons.push(`guarantee ${name} was declared as violated, but it held`);
  return { outcome: reasons.length === 0 ? 'passed' : 'failed', reasons };
}
