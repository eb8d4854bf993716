import { describe, expect, it } from 'vitest';
import { TIER } from '../support/tier.ts';
import { run } from './run.ts';

/** What operators reported, as scenarios: what they say happened, happens. The longer mistakes run at night. */
const SCENARIOS = [
  'corrupt-member',
  'dead-member-replaced',
  'joining-as-a-voter',
  'last-member-cannot-leave',
  'never-started-member',
  'not-kept-yet',
  'outside-services-down',
  'recovery-from-snapshot',
  'space-alarm',
  'wiped-without-leaving',
];
const MISTAKES = [
  ['joining-as-a-voter', 'as-a-voter'],
  ['not-kept-yet', 'told-once'],
];
const AT_NIGHT = [
  ['last-member-cannot-leave', 'forced'],
  ['recovery-from-snapshot', 'unwiped-members-return'],
  ['wiped-without-leaving', 'of-two-members'],
];
const isNight = TIER !== 'commit';

describe('field reports about members, learners, snapshots, alarms and what a machine waits for', () => {
  it.each(SCENARIOS)('%s', (name) => {
    expect(run(`field/${name}`).result.reasons).toEqual([]);
  });

  it.each(isNight ? [...MISTAKES, ...AT_NIGHT] : MISTAKES)('%s, with the mistake %s', (name, mistake) => {
    expect(run(`field/${name!}`, { mistake: mistake! }).result.reasons).toEqual([]);
  });
});
