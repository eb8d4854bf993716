import { ControllerError } from '../../cosi/index.ts';

/** How an extra argument meets one that is there already; unlisted ones replace it (reference/controllers.md B.0.2). */
export type MergePolicy = 'additive' | 'denied';

export type Arguments = Readonly<Record<string, string>>;

/** Merges the user's arguments into Talos's. ControllerError for one that must not be given. */
export function mergeArguments(
  base: Arguments,
  extra: Arguments,
  policies: Readonly<Record<string, MergePolicy>>,
): Arguments {
  const merged: Record<string, string> = { ...base };
  for (const key of Object.keys(extra)) {
    const policy = Object.hasOwn(policies, key) ? policies[key] : undefined;
    if (policy === 'denied') throw new ControllerError(`extra arg "${key}" is not allowed`);
    merged[key] = policy === 'additive' ? joined(merged[key], extra[key]!) : extra[key]!;
  }
  return merged;
}

/** Comma lists as one, duplicates dropped, those of `base` first. */
function joined(base: string | undefined, extra: string): string {
  const items = `${base ?? ''},${extra}`
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return [...new Set(items)].join(',');
}

/** `--key=value`, sorted by key. */
export function renderArguments(args: Arguments): readonly string[] {
  return Object.keys(args)
    .sort()
    .map((key) => `--${key}=${args[key]}`);
}

/** Policies for a list of keys. */
export function denied(...keys: readonly string[]): Readonly<Record<string, MergePolicy>> {
  return Object.fromEntries(keys.map((key) => [key, 'denied' as const]));
}

export function additive(...keys: readonly string[]): Readonly<Record<string, MergePolicy>> {
  return Object.fromEntries(keys.map((key) => [key, 'additive' as const]));
}
