import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { defaultScenario } from '../../src/cli/places.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['--import', 'tsx', join(ROOT, 'src/cli/main.ts')];

it('the default scenario is the one of the package', () => {
  expect(defaultScenario()).toBe(join(ROOT, 'scenarios/bring-up.yaml'));
  expect(existsSync(defaultScenario())).toBe(true);
});

it('the command line works from the sources: check starts its threads, bad input is exit 2', () => {
  const folder = mkdtempSync(join(tmpdir(), 'talosim-cli-'));
  try {
    const file = join(folder, 'quiet.yaml');
    writeFileSync(
      file,
      'name: quiet\nnetwork: {lan: {cidr: 10.0.0.0/24}}\nmachines: {a: {address: 10.0.0.9, powered: false}}\nsteps: [{advance: 1s}]\n',
    );
    const out = execFileSync(process.execPath, [...SOURCES, 'check', file, '--seeds', '1', '--no-faults'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(out).toContain('1 of 1 seeds passed');
    const refused = spawnSync(process.execPath, [...SOURCES, 'explain', join(folder, 'none.yaml')], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: `${folder}/none.yaml: no such file\n` });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
