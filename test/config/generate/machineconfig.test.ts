import { describe, expect, it } from 'vitest';
import { runMachineConfigGen, runMachineConfigPatch } from '../../../src/config/generate/cli/machineconfig.ts';
import { configText, workstation } from './helpers.ts';

const FILES = {
  'controlplane.yaml': configText(11),
  'patches/cp-2.yaml': 'machine:\n  network:\n    hostname: cp-2\n',
  'broken.yaml': 'machine: {bogus: 1}\n',
};

describe('machineconfig patch (reference/lifecycle-api-cli.md F.4)', () => {
  const run = (file: string, patches: string[], output?: string) =>
    runMachineConfigPatch({ file, patches, ...(output === undefined ? {} : { output }) }, workstation(FILES));

  it('writes to a file without a word', () => {
    const outcome = run('controlplane.yaml', ['@patches/cp-2.yaml'], 'cp-2.yaml');
    expect(outcome).toMatchObject({ exitCode: 0, stdout: '', stderr: '', files: [{ path: 'cp-2.yaml', mode: 0o644 }] });
    expect(outcome.files[0]!.content).toBe(
      FILES['controlplane.yaml'].replace('    network: {}\n', '    network:\n        hostname: cp-2\n'),
    );
  });

  it('prints with one more line break', () => {
    const outcome = run('controlplane.yaml', ['machine: {}']);
    expect(outcome.stdout).toBe(`${FILES['controlplane.yaml']}\n`);
    expect(outcome.files).toEqual([]);
    expect(run('controlplane.yaml', []).stdout).toBe(`${FILES['controlplane.yaml']}\n`);
  });

  it('fails in the words of loader and patcher', () => {
    const problem = (file: string, patches: string[]) => {
      const outcome = run(file, patches);
      expect(outcome).toMatchObject({ exitCode: 1, stdout: '', files: [] });
      return outcome.stderr;
    };
    expect(problem('none.yaml', [])).toBe('open none.yaml: no such file or directory\n');
    expect(problem('controlplane.yaml', ['@none.yaml'])).toBe('open none.yaml: no such file or directory\n');
    expect(problem('broken.yaml', ['machine: {}'])).toContain('unknown keys found during decoding');
    expect(problem('controlplane.yaml', ['[{"op": "remove", "path": "/nope"}]'])).toContain(
      'Unable to remove nonexistent key',
    );
  });
});

it('machineconfig gen is gen config without flags', () => {
  const outcome = runMachineConfigGen('demo', 'https://10.5.0.2:6443', workstation());
  expect(outcome.files.map((file) => file.path)).toEqual([
    '/home/op/controlplane.yaml',
    '/home/op/worker.yaml',
    '/home/op/talosconfig',
  ]);
  expect(runMachineConfigGen('demo', 'cp', workstation())).toMatchObject({ exitCode: 1, files: [] });
  const files = { '/home/op/controlplane.yaml': '' };
  expect(runMachineConfigGen('demo', 'https://cp', workstation(files)).exitCode).toBe(1);
  expect(runMachineConfigGen('demo', 'https://cp', workstation(files), true).exitCode).toBe(0);
});
