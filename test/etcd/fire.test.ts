import { describe, expect, it } from 'vitest';
import { underFire } from './fire.ts';

const SEEDS = { commit: 8, nightly: 300, release: 2000 }[process.env.TALOSIM_TIER ?? 'commit'] ?? 8;

describe('traffic while members lose power, are killed, stopped, frozen and cut off', () => {
  it(`loses nothing that was acknowledged, and members agree (${SEEDS} seeds)`, () => {
    const failures: string[] = [];
    let acknowledged = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const report = underFire({ seed, rounds: 6 });
      acknowledged += report.acknowledged;
      if (report.problems.length > 0) failures.push(`seed ${seed}: ${report.problems.slice(0, 3).join('; ')}`);
    }
    expect(failures).toEqual([]);
    expect(acknowledged).toBeGreaterThan(SEEDS * 50);
  });

  it('happens the same way every time, and on the wire as by reference', () => {
    const first = underFire({ seed: 5, rounds: 4 });
    expect(underFire({ seed: 5, rounds: 4 })).toEqual(first);
    expect(underFire({ seed: 5, rounds: 4, strictWire: true }).digest).toBe(first.digest);
  });
});
