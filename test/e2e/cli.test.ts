import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../scripts/build.mjs';
import { ROOT } from './run.ts';

beforeAll(() => build(), 60_000);

const folder = mkdtempSync(join(tmpdir(), 'talosim-cli-'));

function talosim(args: readonly string[], input = '') {
  const child = spawnSync(process.execPath, [join(ROOT, 'bin', 'talosim.mjs'), ...args], {
    cwd: folder,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return { code: child.status, out: child.stdout, err: child.stderr };
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const MACHINE =
  'name: x\nnetwork: { lan: { cidr: 10.0.0.0/24, gateway: 10.0.0.1 } }\nmachines:\n  cp-1: { address: 10.0.0.10 }\n';

describe('run', () => {
  it('--json prints one object at the end', () => {
    const { code, out } = talosim(['run', join(ROOT, 'scenarios/bootstrap-too-late.yaml'), '--json']);
    const result = JSON.parse(out.trim().split('\n').at(-1)!);
    expect(code).toBe(0);
    expect(result).toMatchObject({
      seed: 1,
      outcome: 'passed',
      violations: [],
      etcd: { writable: true, quorum: 2 },
      vip: { address: '10.0.0.5', owner: 'cp-1' },
    });
    expect(Object.keys(result)).toEqual([
      'scenario',
      'seed',
      'digest',
      'outcome',
      'simulatedUs',
      'wallMs',
      'events',
      'expectations',
      'violations',
      'etcd',
      'kubernetes',
      'vip',
      'machines',
    ]);
  });

  it('a failed expectation is exit code 1, with what was seen', () => {
    const scenario = file(
      'fails.yaml',
      `${MACHINE}steps: [ { advance: 1s } ]\nexpect: [ { etcd: { clusters: 1 } } ]\n`,
    );
    const { code, out } = talosim(['run', scenario]);
    expect(out).toContain('expected etcd clusters = 1, saw 0');
    expect(code).toBe(1);
  });

  it('--trace writes every event, --until stops early', () => {
    const { code } = talosim([
      'run',
      file('short.yaml', `${MACHINE}steps: [ { advance: 1h } ]\n`),
      '--until',
      '20s',
      '--trace',
      'trace.jsonl',
      '--quiet',
    ]);
    const events = readFileSync(join(folder, 'trace.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(events.length).toBeGreaterThan(10);
    expect(Math.max(...events.map((event) => event.timeUs))).toBeLessThanOrEqual(20_000_000);
  });
});

describe('shell', () => {
  it('takes commands, faults and time from standard input', () => {
    const lines = [
      'power-off worker-2',
      'advance 20s',
      'talosctl gen config demo https://10.0.0.5:6443',
      'talosctl get disks --insecure -n 10.0.0.10',
      'status',
      'partition cp-9 cp-1',
      'quit',
    ];
    const { code, out } = talosim(['shell'], `${lines.join('\n')}\n`);
    expect(out).toContain('Created /root/lab/controlplane.yaml');
    expect(out).toMatch(/NODE +NAMESPACE +TYPE +ID +VERSION +SIZE/);
    expect(out).toMatch(/worker-2 +off/);
    expect(out).toContain('there is no machine "cp-9"');
    expect(code).toBe(1);
  });
});

describe('lab without a terminal', () => {
  it('prints plain text', () => {
    const { code, out } = talosim(['lab', file('lab.yaml', `${MACHINE}steps: [ { advance: 10s } ]\n`)]);
    expect(out).toContain('cp-1 is switched on');
    expect(out).not.toContain('\u001b');
    expect(code).toBe(0);
  });
});

describe('check', () => {
  it('prints the spread of the milestones and different digests', () => {
    const { code, out } = talosim(['check', '--seeds', '2', '--no-faults']);
    expect(out).toMatch(/MILESTONE +RUNS +MIN +MEDIAN +MAX/);
    expect(out).toContain('2 of 2 seeds passed, 2 different digests');
    expect(code).toBe(0);
  });
});

describe('offline commands', () => {
  it('gen config, machineconfig patch and validate work on files', () => {
    expect(
      talosim(['gen', 'config', 'demo', 'https://10.0.0.5:6443', '--install-disk', '/dev/sda', '--output-dir', 'out']),
    ).toMatchObject({ code: 0 });
    expect(talosim(['validate', '--config', 'out/controlplane.yaml', '--mode', 'metal'])).toMatchObject({
      code: 0,
      out: 'out/controlplane.yaml is valid for metal mode\n',
    });
    file('patch.yaml', 'machine:\n  network:\n    hostname: cp-7\n');
    const patched = talosim(['machineconfig', 'patch', 'out/controlplane.yaml', '--patch', '@patch.yaml']);
    expect(patched.out).toContain('hostname: cp-7');
    const bad = talosim(['validate', '--config', file('bad.yaml', 'machine:\n  typ: worker\n'), '--mode', 'metal']);
    expect(bad.code).toBe(1);
    expect(bad.err).toContain('bad.yaml:2:3');
  });

  it('a command that needs machines is refused by name', () => {
    const { code, err } = talosim(['machineconfig', 'patch']);
    expect(code).toBe(1);
    expect(err).toContain('accepts 1 arg(s), received 0');
  });
});
