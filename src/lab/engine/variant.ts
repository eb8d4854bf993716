import type { MistakeSpec, Scenario, Step } from '../scenario/model.ts';
import type { Expectation } from '../scenario/schema.ts';

/** What one run does: the scenario's steps with a mistake worked in. */
export interface RunPlan {
  readonly steps: readonly Step[];
  readonly expect: readonly Expectation[];
  readonly declared: readonly string[];
}

/** The scenario as it stands, or with one of its mistakes. */
export function planOf(scenario: Scenario, mistake: MistakeSpec | undefined): RunPlan {
  if (mistake === undefined) return { steps: scenario.steps, expect: scenario.expect, declared: scenario.violates };
  return {
    steps: withMistake(scenario.steps, mistake),
    expect: mistake.expect ?? scenario.expect,
    declared: [...new Set([...scenario.violates, ...mistake.violates])],
  };
}

function withMistake(steps: readonly Step[], mistake: MistakeSpec): Step[] {
  return steps.flatMap((step): Step[] => {
    const { id } = step;
    // A step that is left out still marks where the mistake happens.
    const inner = id !== undefined && mistake.skips.includes(id) ? [] : [withoutSkipped(step, mistake)];
    if (id !== undefined && id === mistake.before) return [...mistake.steps, ...inner];
    if (id !== undefined && id === mistake.after) return [...inner, ...mistake.steps];
    return inner;
  });
}

/** The step without what the mistake leaves out, inside and among what it does again. */
function withoutSkipped(step: Step, mistake: MistakeSpec): Step {
  if (step.kind === 'parallel') return { ...step, steps: withMistake(step.steps, mistake) };
  if (step.kind !== 'await') return step;
  return { ...step, again: step.again.filter(({ id }) => id === undefined || !mistake.skips.includes(id)) };
}
