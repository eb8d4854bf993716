import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './run.ts';

/** What `npm run budget` says of a report in which each suite took so many seconds. */
function budgetOf(seconds: Readonly<Record<string, number>>) {
  const testResults = Object.entries(seconds).map(([suite, took]) => ({
    name: join(ROOT, 'test', suite, 'a.test.ts'),
    startTime: 0,
    endTime: took * 1000,
  }));
  const report = join(mkdtempSync(join(tmpdir(), 'talosim-budget-')), 'tests.json');
  writeFileSync(report, JSON.stringify({ testResults }));
  const env = { ...process.env, TALOSIM_TIER: 'commit' };
  const args = [join(ROOT, 'scripts', 'budget.mjs'), '--report', report];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  return { code: child.status, out: child.stdout };
}

describe('the budget of test time', () => {
  it('lets a suite be over by noise, says so, and fails far beyond', () => {
    const over = budgetOf({ raft: 10, tui: 31 });
    expect(over.out).toMatch(/^! tui +31\.0 s of 30 s: over\n✓ raft +10\.0 s of 60 s$/m);
    expect(over.code).toBe(0);
    const far = budgetOf({ tui: 91 });
    expect(far.out).toMatch(/^✕ tui +91\.0 s of 30 s: far over$/m);
    expect(far.code).toBe(1);
  });

  it('fails for a suite that has none', () => {
    expect(budgetOf({ novel: 1 }).code).toBe(1);
  });
});
