/** talosim's offline commands: what it adds to talosctl's, on files in memory. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are what this is about
import { describe, expect, it } from 'vitest';
import { offlineTree } from '../../src/cli/offline/tree.ts';
import { runTree } from '../../src/lab/talosctl/run-tree.ts';
import { TOOL_BUILD, TOOL_VERSION } from '../../src/lab/tools/tool.ts';
import { Workspace } from '../../src/lab/tools/workspace.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { BadInput } from '../../src/runner/bad-input.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';

const WORKER = [
  'machine: {type: worker, token: "${TOKEN}", ca: {crt: "Y2VydA==", key: ""}, install: {disk: /dev/sda}}',
  'cluster: {controlPlane: {endpoint: "https://a.lan:6443"}}',
  '',
].join('\n');

const TALCONFIG = [
  'clusterName: home',
  'endpoint: https://10.0.0.5:6443',
  'nodes:',
  '  - {hostname: cp, ipAddress: 10.0.0.10, controlPlane: true, installDisk: /dev/sda}',
  '  - {hostname: w, ipAddress: "${W}", controlPlane: false, installDisk: /dev/sda, patches: ["@patches/w.yaml"]}',
  '',
].join('\n');

function run(line: string, files: Record<string, string>) {
  const workspace = new Workspace((path) => files[path]);
  let stdout = '';
  let stderr = '';
  const task = runTree(offlineTree, line.split(' '), {
    platform: { clock: { nowUs: () => 1_760_000_000_000_000 }, crypto: createSimCrypto('offline') } as Platform,
    files: {
      readText: (path) => workspace.readText(path),
      readBytes: () => undefined,
      exists: (path) => workspace.exists(path),
      write: (path, content) => workspace.write(path, content),
      remove: () => {},
    },
    env: new Map(),
    cwd: '/w',
    talosVersion: TOOL_VERSION,
    build: TOOL_BUILD,
    places: true,
    linger: () => {},
    stdin: '',
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
  });
  const step = task.next();
  return { code: step.done === true ? step.value : undefined, stdout, stderr, workspace };
}

describe('--env-file', () => {
  it('fills placeholders before a config is read; without it each is refused by name', () => {
    const files = { 'w.yaml': WORKER, 'a.env': 'TOKEN=old\n', 'b.env': 'TOKEN=abcdef.0123456789abcdef\n' };
    const refused = run('validate -c w.yaml -m metal', files);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('w.yaml:1:33: machine.token: placeholder ${TOKEN} has no value');
    const filled = run('validate -c w.yaml -m metal --env-file a.env,b.env', files);
    expect(filled).toMatchObject({ code: 0, stdout: 'w.yaml is valid for metal mode\n' });
  });

  it('also for patches', () => {
    const files = { 'c.yaml': 'machine: {}\n', 'p.yaml': 'machine: {token: "${TOKEN}"}\n', e: 'TOKEN=t\n' };
    const patched = run('machineconfig patch c.yaml -p @p.yaml --env-file e', files);
    expect(patched.stdout).toContain('token: t\n');
    expect(run('machineconfig patch c.yaml -p @p.yaml', files).stdout).toContain('token: ${TOKEN}\n');
  });

  it('names what it cannot do', () => {
    expect(() => run('validate -c w.yaml -m metal --env-file none', { 'w.yaml': WORKER })).toThrow(
      new BadInput('talosim: --env-file none: no such file'),
    );
    expect(() => run('validate -c w.yaml -m metal --env-file e', { 'w.yaml': WORKER, e: 'A=b\n' })).toThrow(
      /^w\.yaml:1:33: machine\.token: placeholder \$\{TOKEN\} has no value \(add it to the environment file\)$/,
    );
  });
});

describe('validate --talos-version', () => {
  const files = { 'h.yaml': 'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n' };

  it('knows the kinds of the release', () => {
    expect(run('validate -c h.yaml -m metal', files).stderr).toContain('known from v1.12 on');
    expect(run('validate -c h.yaml -m metal --talos-version v1.12.0', files).code).toBe(0);
  });

  it('refuses what is no release', () => {
    expect(() => run('validate -c h.yaml -m metal --talos-version two', files)).toThrow(/write a release such as/);
    expect(() => run('validate -c h.yaml -m metal --talos-version v1.16', files)).toThrow(/v1\.0 to v1\.15 are known/);
  });
});

describe('gen talconfig', () => {
  const files = {
    'home/talconfig.yaml': TALCONFIG,
    'home/patches/w.yaml': 'machine: {sysctls: {a: b}}\n',
    e: 'W=10.0.0.21\n',
  };

  it('writes a config for each node and a talosconfig', () => {
    const { code, stdout, workspace } = run('gen talconfig home/talconfig.yaml -o out -e e', files);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual([
      'generated home-cp.yaml in out',
      'generated home-w.yaml in out',
      'generated talosconfig in out',
    ]);
    expect(workspace.readText('out/home-cp.yaml')).toContain('type: controlplane');
    expect(workspace.readText('out/home-w.yaml')).toMatch(/sysctls:\n {8}a: b/);
    expect(workspace.readText('out/talosconfig')).toContain('- 10.0.0.10');
  });

  it('takes the secrets of `gen secrets`', () => {
    const secrets = run('gen secrets', {}).workspace.readText('secrets.yaml')!;
    const token = /token: (\S+)/.exec(secrets.slice(secrets.indexOf('trustdinfo')))![1]!;
    const made = run('gen talhelper home/talconfig.yaml -e e -s s.yaml', { ...files, 's.yaml': secrets });
    expect(made.workspace.readText('clusterconfig/home-w.yaml')).toContain(`token: ${token}`);
  });

  it('tells every problem and writes nothing', () => {
    const { code, stderr, workspace } = run('gen talconfig home/talconfig.yaml', files);
    expect(code).toBe(2);
    expect(stderr).toContain('home/talconfig.yaml:5:31: nodes[1].ipAddress: placeholder ${W} has no value');
    expect(workspace.written()).toEqual([]);
    const missing = { ...files, 'home/patches/w.yaml': undefined as unknown as string };
    expect(run('gen talconfig home/talconfig.yaml -e e', missing)).toMatchObject({
      code: 2,
      stderr: 'home/talconfig.yaml: node w: open patches/w.yaml: no such file or directory\n',
    });
    const skipped = run('gen talconfig home/talconfig.yaml -e e --skip-missing', missing);
    expect(skipped.code).toBe(0);
    expect(skipped.stderr).toBe('WARNING: home/talconfig.yaml: patches/w.yaml does not exist and is left out\n');
    expect(() => run('gen talconfig', {})).toThrow('talosim: talconfig.yaml: no such file');
  });
});
