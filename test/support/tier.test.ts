import { expect, it } from 'vitest';
import { byTier, TIER, tierNamed } from './tier.ts';

it('a tier is one of three, and a wrong name does not pass for a shallow run', () => {
  expect([undefined, '', 'nightly', 'release'].map(tierNamed)).toEqual(['commit', 'commit', 'nightly', 'release']);
  expect(() => tierNamed('weekly')).toThrow('TALOSIM_TIER=weekly: the tiers are commit, nightly, release');
  expect(byTier('commit', 'nightly', 'release')).toBe(TIER);
});
