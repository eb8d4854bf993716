import type { KubeObject } from './object.ts';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastHeartbeatTime?: string;
}

/** Conditions in the status of an object. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  return ((object.status as { conditions?: readonly Condition[] } | undefined)?.conditions ??
    []) as readonly Condition[];
}

export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

export function isReady(object: KubeObject): boolean {
  return conditionOf(object, 'Ready')?.status === 'True';
}

/** The conditions with one replaced or added. */
export function withCondition(conditions: readonly Condition[], condition: Condition): Condition[] {
  const at = conditions.findIndex((other) => other.type === condition.type);
  if (at < 0) return [...conditions, condition];
  const same = conditions[at]!.status === condition.status;
  const next =
    same && conditions[at]!.lastTransitionTime !== undefined
      ? { ...condition, lastTransitionTime: conditions[at]!.lastTransitionTime }
      : condition;
  return conditions.map((other, index) => (index === at ? next : other));
}
