import { describe, expect, it } from 'vitest';
import { byTier } from '../support/tier.ts';
import { cutAt } from './fire/every-point.ts';
import { drawFire } from './fire/plan.ts';
import { type FireReport, underFire } from './fire/run.ts';

const SEEDS = byTier(32, 1_000, 10_000);

/** Of a cluster's points a commit has time for every fourth of each member. */
const POINTS_STRIDE = byTier(4, 1, 1);

const told = ({ problems }: Pick<FireReport, 'problems'>): string =>
  problems
    .slice(0, 3)
    .map(({ guarantee, detail }) => `${guarantee}: ${detail}`)
    .join('; ');

describe('etcd under fire', () => {
  it(
    `keeps every guarantee whatever breaks (${SEEDS} seeds)`,
    () => {
      const failures: string[] = [];
      const sum = { answered: 0, watched: 0, searched: 0, strikes: 0 };
      for (let seed = 0; seed < SEEDS; seed++) {
        const report = underFire(drawFire(seed));
        sum.answered += report.answered;
        sum.watched += report.watched;
        sum.searched += report.searched;
        sum.strikes += report.told.length;
        if (report.problems.length > 0) failures.push(`seed ${seed}: ${told(report)}`);
      }
      expect(failures).toEqual([]);
      // A run in which nothing happens proves nothing.
      expect(sum.answered).toBeGreaterThan(SEEDS * 300);
      expect(sum.watched).toBeGreaterThan(SEEDS * 300);
      expect(sum.searched).toBeGreaterThan(SEEDS * 5);
      expect(sum.strikes).toBeGreaterThan(SEEDS * 2);
    },
    SEEDS * 5_000,
  );

  it('happens the same way every time, and on the wire as by reference', () => {
    const first = underFire(drawFire(3));
    expect(underFire(drawFire(3))).toEqual(first);
    const wired = underFire(drawFire(3), { strictWire: true });
    expect(told(wired)).toBe('');
    expect(wired.digest).toBe(first.digest);
  });
});

describe('a member that loses its power at one write or sync', () => {
  it('comes back with all it promised, whichever of them it is', () => {
    const whole = cutAt(undefined);
    expect(told(whole)).toBe('');
    expect(whole.points).toBeGreaterThan(100);
    const failures: string[] = [];
    for (let at = 0; at < whole.points; at++) {
      const before = cutAt({ at, when: 'crash before', mode: 'torn' });
      const after = cutAt({ at, when: 'crash after', mode: 'drop' });
      for (const report of [before, after]) if (report.problems.length > 0) failures.push(`at ${at}: ${told(report)}`);
    }
    expect(failures).toEqual([]);
  });

  it('comes back to the two others, too, whichever member it is', () => {
    const failures: string[] = [];
    for (let member = 0; member < 3; member++) {
      const { points } = cutAt(undefined, 3, member);
      expect(points).toBeGreaterThan(100);
      for (let at = member; at < points; at += POINTS_STRIDE) {
        const how = (at >> 2) % 2 === 0 ? 'crash before' : 'crash after';
        const report = cutAt({ at, when: how, mode: how === 'crash before' ? 'torn' : 'drop' }, 3, member);
        if (report.problems.length > 0) failures.push(`m${member + 1} at ${at}: ${told(report)}`);
      }
    }
    expect(failures).toEqual([]);
  }, 120_000);
});
