/** How deep a run of the tests goes: before each commit, at night, before a release. */
export type Tier = 'commit' | 'nightly' | 'release';

const TIERS: readonly Tier[] = ['commit', 'nightly', 'release'];

/** The tier that the variable TALOSIM_TIER names; `commit` without it. Throws for a name that is none. */
export const TIER: Tier = tierNamed(process.env.TALOSIM_TIER);

export function tierNamed(name: string | undefined): Tier {
  if (name === undefined || name === '') return 'commit';
  const tier = TIERS.find((known) => known === name);
  if (tier === undefined) throw new Error(`TALOSIM_TIER=${name}: the tiers are ${TIERS.join(', ')}`);
  return tier;
}

/** One of three: how many seeds, runs or steps the tier of this run takes. */
export function byTier<T>(commit: T, nightly: T, release: T): T {
  return { commit, nightly, release }[TIER];
}
