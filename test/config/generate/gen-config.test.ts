import { describe, expect, it } from 'vitest';
import { type GenConfigOptions, runGenConfig } from '../../../src/config/generate/cli/gen-config.ts';
import { secretsToYaml } from '../../../src/config/generate/secrets-yaml.ts';
import { loadConfigSet } from '../../../src/config/patch/config-set.ts';
import { fileOf, SECRETS, toolOf, workstation } from './helpers.ts';

const ARGS: GenConfigOptions = {
  clusterName: 'demo',
  endpoint: 'https://10.5.0.2:6443',
  withDocs: false,
  withExamples: false,
};

function run(options: Partial<GenConfigOptions> = {}, files: Record<string, string> = {}, minor = 11) {
  return runGenConfig({ ...ARGS, ...options }, workstation(files, toolOf(minor)));
}

function legacyOf(options: Partial<GenConfigOptions>, name = 'controlplane', files: Record<string, string> = {}) {
  const text = fileOf(run(options, files), `/home/op/${name}.yaml`);
  return loadConfigSet(text, { minor: 11 }).documents[0]!.value;
}

function problem(options: Partial<GenConfigOptions>, files: Record<string, string> = {}): string {
  const outcome = run(options, files);
  expect(outcome).toMatchObject({ exitCode: 1, files: [], stdout: '' });
  return outcome.stderr;
}

describe('gen config: files (reference/lifecycle-api-cli.md F.4)', () => {
  it('writes three files into the directory and says so', () => {
    const outcome = run();
    const names = ['controlplane.yaml', 'worker.yaml', 'talosconfig'].map((name) => `/home/op/${name}`);
    expect(outcome.files.map((file) => [file.path, file.mode])).toEqual(names.map((name) => [name, 0o644]));
    expect(outcome).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: names.map((name) => `Created ${name}\n`).join(''),
    });
  });

  it('writes to a directory, to one file or to standard output', () => {
    expect(run({ output: 'out' }).files.map((file) => file.path)).toEqual([
      'out/controlplane.yaml',
      'out/worker.yaml',
      'out/talosconfig',
    ]);
    expect(run({ outputDir: './out' }).files[2]!.path).toBe('out/talosconfig');
    expect(run({ output: 'w.yaml', outputTypes: ['worker'] }).files.map((file) => file.path)).toEqual(['w.yaml']);
    const printed = run({ output: '-', outputTypes: ['worker'] });
    expect(printed).toMatchObject({ files: [], stderr: '' });
    expect(printed.stdout).toContain('type: worker\n');
  });

  it('refuses to overwrite unless forced', () => {
    const files = { '/home/op/worker.yaml': 'mine' };
    const outcome = run({}, files);
    // What was written before the file in the way stays.
    expect(outcome.files.map((file) => file.path)).toEqual(['/home/op/controlplane.yaml']);
    expect(outcome.stderr).toBe(
      'Created /home/op/controlplane.yaml\nfile "/home/op/worker.yaml" already exists, use --force to overwrite\n',
    );
    expect(outcome.exitCode).toBe(1);
    expect(run({ force: true }, files).files).toHaveLength(3);
  });

  it('refuses output types and combinations that make no sense', () => {
    expect(problem({ outputTypes: ['worker', 'x', 'init'] })).toBe(
      '2 errors occurred:\n\t* invalid output type: "x"\n\t* invalid output type: "init"\n\n\n',
    );
    expect(problem({ outputTypes: [] })).toBe('at least one output type must be specified\n');
    expect(problem({ output: '-', outputTypes: ['worker', 'talosconfig'] })).toBe(
      "can't use multiple output types with stdout\n",
    );
    expect(problem({ output: 'a', outputDir: 'b' })).toBe("can't use both output-dir and output\n");
    expect(problem({ configVersion: 'v2' })).toBe('unknown config version: "v2"\n');
  });
});

describe('gen config: the endpoint (reference/lifecycle-api-cli.md F.4)', () => {
  it.each([
    ['10.0.0.1', 'no scheme and port specified for the cluster endpoint URL\ntry: "https://10.0.0.1:6443"\n'],
    ['cp.lab', 'no scheme and port specified for the cluster endpoint URL\ntry: "https://cp.lab:6443"\n'],
    ['http://cp.lab:6443', 'the control plane endpoint URL should have scheme https://\ntry: "https://cp.lab:6443"\n'],
    ['http://cp.lab', 'the control plane endpoint URL should have scheme https://\ntry: "https://cp.lab:6443"\n'],
    ['//cp.lab:7443', 'no scheme specified for the cluster endpoint URL\ntry: "https://cp.lab:7443"\n'],
  ])('%s', (endpoint, message) => {
    expect(problem({ endpoint })).toBe(message);
  });

  it('https without a port is fine', () => {
    expect(legacyOf({ endpoint: 'https://cp.lab' }).cluster).toMatchObject({
      controlPlane: { endpoint: 'https://cp.lab' },
    });
  });
});

describe('gen config: flags (reference/network-config.md E.8 "CLI flags and flow"; v1.11.3.md 1)', () => {
  it('has the defaults of the tool', () => {
    const { machine, cluster } = legacyOf({}) as never as { machine: object; cluster: object };
    expect(machine).toMatchObject({
      install: { disk: '/dev/sda', image: 'ghcr.io/siderolabs/installer:v1.11.3', wipe: false },
      kubelet: { image: 'ghcr.io/siderolabs/kubelet:v1.34.1' },
    });
    expect(cluster).toMatchObject({ network: { dnsDomain: 'cluster.local' }, discovery: { enabled: true } });
  });

  it('takes disk, image, names, domain, Kubernetes version, mirrors, discovery, KubeSpan, persist', () => {
    const value = legacyOf({
      installDisk: '/dev/vda',
      installImage: 'img:1',
      additionalSans: ['a.lab', '10.0.0.9'],
      dnsDomain: 'k.lab',
      kubernetesVersion: 'v1.33.0',
      registryMirrors: ['docker.io=http://10.5.0.1:5000'],
      withClusterDiscovery: false,
      withKubeSpan: true,
      persist: false,
    });
    expect(value).toMatchObject({
      machine: {
        install: { disk: '/dev/vda', image: 'img:1' },
        certSANs: ['a.lab', '10.0.0.9'],
        kubelet: { image: 'ghcr.io/siderolabs/kubelet:v1.33.0' },
        registries: { mirrors: { 'docker.io': { endpoints: ['http://10.5.0.1:5000'] } } },
        network: { kubespan: { enabled: true } },
      },
      cluster: { network: { dnsDomain: 'k.lab' }, apiServer: { certSANs: ['10.5.0.2', 'a.lab', '10.0.0.9'] } },
    });
    expect(value.persist ?? false).toBe(false);
    expect(value.cluster).not.toHaveProperty('discovery.enabled', true);
    expect(problem({ registryMirrors: ['docker.io'] })).toBe('invalid registry mirror spec: "docker.io"\n');
  });

  it('generates for the release of --talos-version, by default for its own', () => {
    const kinds = (options: Partial<GenConfigOptions>, minor: number) => {
      const text = fileOf(run(options, {}, minor), '/home/op/worker.yaml');
      return loadConfigSet(text, { minor: 15 }).documents.map((document) => document.kind);
    };
    expect(kinds({}, 11)).toEqual(['v1alpha1']);
    expect(kinds({}, 12)).toEqual(['v1alpha1', 'HostnameConfig']);
    expect(kinds({ talosVersion: 'v1.12.4' }, 11)).toEqual(['v1alpha1', 'HostnameConfig']);
    expect(kinds({ talosVersion: 'v1.8' }, 15)).toEqual(['v1alpha1']);
    expect(problem({ talosVersion: '1.12' })).toBe('invalid talos-version: error parsing version "1.12"\n');
    for (const talosVersion of ['v9.9', 'v1.16'])
      expect(problem({ talosVersion })).toMatch(`Talos ${talosVersion} is not supported: only v1.0 to v1.15 are known`);
  });

  it('patches all machines first, then each role', () => {
    const configPatch = ['machine: {sysctls: {a: all, b: all}}', '@all.yaml'];
    const options = {
      configPatch,
      configPatchControlPlane: ['machine: {sysctls: {b: cp}}'],
      configPatchWorker: ['[{"op": "replace", "path": "/machine/sysctls/b", "value": "w"}]'],
    };
    const files = { 'all.yaml': 'machine: {sysctls: {a: file}}\n' };
    expect(legacyOf(options, 'controlplane', files).machine).toMatchObject({ sysctls: { a: 'file', b: 'cp' } });
    expect(legacyOf(options, 'worker', files).machine).toMatchObject({ sysctls: { a: 'file', b: 'w' } });
  });

  it('says which patch is bad', () => {
    expect(problem({ configPatch: ['@none.yaml'] })).toBe(
      'error parsing config JSON patch: open none.yaml: no such file or directory\n',
    );
    expect(problem({ configPatch: ['machine: {bogus: 1}'] })).toMatch(
      /^error parsing config JSON patch: .*unknown keys/s,
    );
    expect(problem({ configPatch: ['[{"op": "remove", "path": "/machine/nope"}]'] })).toMatch(
      /^failed to generate config bundle: .*nonexistent key: nope/s,
    );
  });

  it('keeps the secrets of --with-secrets and checks them', () => {
    const files = { 'secrets.yaml': secretsToYaml(SECRETS), 'empty.yaml': '{}\n', 'bad.yaml': 'a: [' };
    const value = legacyOf({ withSecrets: 'secrets.yaml' }, 'controlplane', files);
    expect(value).toMatchObject({ machine: { token: SECRETS.trustdToken }, cluster: { id: SECRETS.cluster.id } });
    expect(problem({ withSecrets: 'none.yaml' })).toBe(
      'failed to load secrets bundle: open none.yaml: no such file or directory\n',
    );
    expect(problem({ withSecrets: 'bad.yaml' }, files)).toMatch(/^failed to load secrets bundle: yaml: line /);
    expect(problem({ withSecrets: 'empty.yaml' }, files)).toMatch(
      /^failed to validate secrets bundle: 10 errors occurred:\n\t\* cluster\.id is required\n/,
    );
  });

  it('is the same twice for the same seed', () => {
    expect(run()).toEqual(run());
  });
});

describe('gen config: comments (reference/network-config.md E.11 "Comments on")', () => {
  const commented = (options: Partial<GenConfigOptions>, name: string, minor = 11) =>
    fileOf(run({ withDocs: true, withExamples: true, ...options }, {}, minor), `/home/op/${name}.yaml`);

  it('reads as the same config with and without comments', () => {
    for (const minor of [11, 12, 15]) {
      for (const name of ['controlplane', 'worker']) {
        const plain = fileOf(run({}, {}, minor), `/home/op/${name}.yaml`);
        const values = (text: string) =>
          loadConfigSet(text, { minor }).documents.map(({ kind, value }) => [kind, withoutEmpty(value)]);
        expect(values(commented({}, name, minor))).toEqual(values(plain));
      }
    }
  });

  it('explains fields and shows examples, each by its own flag', () => {
    const both = commented({}, 'worker');
    expect(both).toMatch(/^version: v1alpha1 # /);
    const count = (text: string) => text.split('\n').filter((line) => line.includes('#')).length;
    const docs = commented({ withExamples: false }, 'worker');
    const examples = commented({ withDocs: false }, 'worker');
    expect(count(both)).toBeGreaterThan(count(docs));
    expect(count(docs)).toBeGreaterThan(10);
    expect(count(examples)).toBeGreaterThan(10);
    expect(count(both)).toBe(count(docs) + count(examples));
    expect(count(fileOf(run(), '/home/op/worker.yaml'))).toBe(0);
  });

  it('every line of an example is valid when the comment mark is taken away', () => {
    const lines = commented({ withDocs: false }, 'controlplane').split('\n');
    const opened = lines.map((line) => line.replace(/^(\s*)# /, '$1'));
    expect(() => loadConfigSet(opened.join('\n'), { minor: 11 })).not.toThrow();
  });
});

/** Without empty lists and maps, which only the commenting printer keeps. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  return Object.fromEntries(
    entries.filter(([, inner]) => JSON.stringify(inner) !== '[]' && JSON.stringify(inner) !== '{}'),
  );
}
