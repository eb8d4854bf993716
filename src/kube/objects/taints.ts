import type { KubeObject } from './object.ts';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** True when every taint of the node that keeps pods away is tolerated. */
export function tolerates(node: KubeObject, tolerations: readonly object[], ignoreUnschedulable = false): boolean {
  const spec = (node.spec ?? {}) as { taints?: readonly Taint[]; unschedulable?: boolean };
  if (spec.unschedulable === true && !ignoreUnschedulable) return false;
  const hard = (spec.taints ?? []).filter((taint) => taint.effect !== 'PreferNoSchedule');
  return hard.every((taint) => (tolerations as readonly Toleration[]).some((toleration) => matches(toleration, taint)));
}

function matches(toleration: Toleration, taint: Taint): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== taint.effect) return false;
  if ((toleration.key ?? '') === '') return toleration.operator === 'Exists';
  return (
    toleration.key === taint.key &&
    (toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? ''))
  );
}
