import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Mutant } from '../mutants/mutant.ts';
import { PlantedBundles } from '../mutants/planted.ts';

const bundles = new PlantedBundles();
const SITE = {
  source: 'own',
  file: 'src/nodes/controllers/time/sync.ts',
  find: 'if (before !== synced) machine.platform.log.event(timeSynced, { synced });',
};
const THROWING: Mutant = {
  name: 'node-throws',
  about: 'node code throws what nothing handles',
  ...SITE,
  replace: "throw new TypeError('planted');",
};
const LEAKING: Mutant = {
  name: 'node-counts-runs',
  about: 'node code keeps a count from one run to the next',
  ...SITE,
  replace:
    'globalThis.planted = (globalThis.planted ?? 0) + 1; machine.platform.log.event(timeSynced, { synced, run: globalThis.planted });',
};
const SCENARIO = `name: One machine
network: { lan: { cidr: 10.0.0.0/24, gateway: 10.0.0.1 } }
machines:
  cp-1: { address: 10.0.0.10, disks: [{ name: /dev/sda, sizeGiB: 50 }] }
steps: [ { advance: 40s } ]
`;

/** The command line with a bug planted; its threads have it too. */
async function planted(
  mutant: Mutant | undefined,
): Promise<(...args: string[]) => { code: number; out: string; err: string }> {
  const main = await bundles.file('src/cli/main.ts', mutant);
  await bundles.file('src/runner/worker.ts', mutant);
  const scenario = join(dirname(main), 'one.yaml');
  writeFileSync(scenario, SCENARIO);
  return (command, ...args) => {
    const child = spawnSync(process.execPath, [main, command!, scenario, ...args], { encoding: 'utf8' });
    return { code: child.status!, out: child.stdout, err: child.stderr };
  };
}

describe('a bug of our own', () => {
  it('ends a run with exit code 70, seed and stack; a check names the seeds', async () => {
    const talosim = await planted(THROWING);
    const run = talosim('run', '--seed', '7', '--quiet');
    expect(run.err).toMatch(/a bug of talosim itself[\s\S]*cp-1\/\S+ at \d+ us with seed 7: TypeError: planted\n/);
    expect(run.err).toMatch(/^TypeError: planted\n +at .*node-throws/m);
    expect(run.err.match(/^ +at /gm)!.length).toBeGreaterThan(3);
    expect(run.code).toBe(70);
    const check = talosim('check', '--seeds', '4..5', '--no-faults');
    expect(check.out).toContain('seed 4 bug: SimulationBug: our own bug in');
    expect(check.out).toContain('with seed 5: TypeError: planted');
    expect(check.code).toBe(70);
  });
});

describe('a leak from one run into the next', () => {
  it('ends a check with exit code 3 and the first event that differs', async () => {
    const talosim = await planted(LEAKING);
    const { code, out } = talosim('check', '--seeds', '2', '--no-faults', '--twice', '--jobs', '1');
    expect(out).toMatch(
      /seed 1: two runs differ\n +\d+ events agree, the last is +\d+ us #\d+ .*\n +the first that differs: one run +\d+ us #\d+ \S+ node\.time\.synced synced=\w+ run=1\n +the other +\d+ us #\d+ \S+ node\.time\.synced synced=\w+ run=\d\n/,
    );
    expect(out).toContain('seed 2: two runs differ');
    expect(code).toBe(3);
  });

  it('code without one gives the same run twice', async () => {
    const { code, out } = (await planted(undefined))('check', '--seeds', '2', '--no-faults', '--twice', '--jobs', '1');
    expect(out).not.toContain('differ\n');
    expect(code).toBe(0);
  });
});
