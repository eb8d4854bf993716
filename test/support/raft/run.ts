import { Cluster } from './cluster.ts';
import { heal } from './heal.ts';
import type { Plan } from './plan.ts';
import { Refusal } from './spec/facts.ts';

/** What a run ended with: the rule that was broken, and where. */
export interface Broken {
  readonly rule: string;
  readonly detail: string;
  /** Position of the step; the number of steps if it was after all of them. */
  readonly step: number;
}

/** Plays a plan under the eyes of the specification, then heals the cluster; undefined if all rules held. */
export function runPlan(plan: Plan): Broken | undefined {
  let step = 0;
  try {
    const cluster = new Cluster(plan);
    for (; step < plan.steps.length; step++) cluster.step(plan.steps[step]!);
    heal(cluster);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return { rule: error.rule, detail: error.message, step };
    if (!(error instanceof Error)) throw error;
    return { rule: 'no node throws', detail: error.stack ?? error.message, step };
  }
}
