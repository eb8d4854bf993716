import { deepEqual } from '../../cosi/index.ts';
import type { KubeObject } from '../../kube/objects/object.ts';

export interface NodeTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** What a Node is to carry. */
export interface NodeWishes {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly cordoned: boolean;
}

const OWNED_LABELS = 'talos.dev/owned-labels';
const OWNED_ANNOTATIONS = 'talos.dev/owned-annotations';
const OWNED_TAINTS = 'talos.dev/owned-taints';
const CORDONED = 'talos.dev/cordoned';

type Pairs = Readonly<Record<string, string>>;

/**
 * The Node with the wishes applied; the same object when nothing changes. What Talos put there it may change and take
 * away, what others put there stays (reference/controllers.md B.6).
 */
export function applyToNode(node: KubeObject, wanted: NodeWishes): KubeObject {
  const oldAnnotations = node.metadata.annotations ?? {};
  const labels = own(node.metadata.labels ?? {}, wanted.labels, ownedOf(oldAnnotations, OWNED_LABELS));
  const annotations = own(oldAnnotations, wanted.annotations, ownedOf(oldAnnotations, OWNED_ANNOTATIONS));
  const spec = (node.spec ?? {}) as { readonly taints?: readonly NodeTaint[]; readonly unschedulable?: boolean };
  const taints = ownTaints(spec.taints ?? [], wanted.taints, ownedOf(oldAnnotations, OWNED_TAINTS));
  const recorded: Record<string, string> = { ...annotations.result };
  record(recorded, OWNED_LABELS, labels.owned);
  record(recorded, OWNED_ANNOTATIONS, annotations.owned);
  record(recorded, OWNED_TAINTS, taints.owned);
  const { unschedulable: before = false, taints: _taints, ...otherSpec } = spec;
  const unschedulable = cordon(recorded, wanted.cordoned, before);
  const updated: KubeObject = {
    ...node,
    metadata: { ...node.metadata, labels: labels.result, annotations: recorded },
    spec: {
      ...otherSpec,
      ...(taints.result.length === 0 ? {} : { taints: taints.result }),
      ...(unschedulable ? { unschedulable } : {}),
    },
  };
  return deepEqual(updated, node) ? node : updated;
}

function ownedOf(annotations: Pairs, name: string): readonly string[] {
  const text = annotations[name];
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

function own(current: Pairs, wanted: Pairs, owned: readonly string[]): { result: Pairs; owned: readonly string[] } {
  const result: Record<string, string> = { ...current };
  const mine = new Set(owned);
  for (const key of Object.keys(wanted)) {
    const present = Object.hasOwn(result, key);
    if (present && result[key] !== wanted[key] && !mine.has(key)) continue;
    result[key] = wanted[key]!;
    mine.add(key);
  }
  for (const key of owned) {
    if (Object.hasOwn(wanted, key)) continue;
    delete result[key];
    mine.delete(key);
  }
  return { result, owned: [...mine] };
}

function ownTaints(
  current: readonly NodeTaint[],
  wanted: readonly NodeTaint[],
  owned: readonly string[],
): { result: readonly NodeTaint[]; owned: readonly string[] } {
  let result = [...current];
  const mine = new Set(owned);
  for (const taint of wanted) {
    const shown = { key: taint.key, effect: taint.effect, ...(taint.value === '' ? {} : { value: taint.value }) };
    const index = result.findIndex((other) => other.key === taint.key);
    const same = index >= 0 && (result[index]!.value ?? '') === taint.value && result[index]!.effect === taint.effect;
    if (index < 0) result.push(shown as NodeTaint);
    else if (mine.has(taint.key)) {
      const { value: _old, ...rest } = result[index]!;
      result[index] = { ...rest, ...shown } as NodeTaint;
    } else if (!same) continue;
    mine.add(taint.key);
  }
  for (const key of owned) {
    if (wanted.some((taint) => taint.key === key)) continue;
    result = result.filter((taint) => taint.key !== key);
    mine.delete(key);
  }
  return { result, owned: [...mine] };
}

function record(annotations: Record<string, string>, name: string, owned: readonly string[]): void {
  if (owned.length === 0) delete annotations[name];
  else annotations[name] = JSON.stringify([...owned].sort());
}

/** Only a cordon of Talos's own is ever taken away. */
function cordon(annotations: Record<string, string>, wanted: boolean, before: boolean): boolean {
  if (wanted && !before) {
    annotations[CORDONED] = 'true';
    return true;
  }
  if (!wanted && before && Object.hasOwn(annotations, CORDONED)) {
    delete annotations[CORDONED];
    return false;
  }
  return before;
}
