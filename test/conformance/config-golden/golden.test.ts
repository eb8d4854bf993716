import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runConfigConformance } from '../config-run.ts';

const DIR = fileURLToPath(new URL('../../../../shared/conformance/talos', import.meta.url));

describe.skipIf(!existsSync(DIR))('recorded output of the real tool', () => {
  it('is what generation and patching give, to the last byte', () => {
    const report = runConfigConformance(DIR);
    expect(report.cases.filter((one) => one.failure !== '')).toEqual([]);
    expect(report.passed).toBeGreaterThanOrEqual(32);
    expect(report.text).toMatch(/\n\d{2,} passed, 0 failed\n$/);
  });
});

it('the runner counts what does not match', () => {
  const folder = mkdtempSync(join(tmpdir(), 'talosim-golden-'));
  try {
    const patch = join(folder, 'v1.11.3/patch/a');
    mkdirSync(patch, { recursive: true });
    writeFileSync(join(patch, 'config.yaml'), 'machine: {type: worker}\n');
    writeFileSync(join(patch, 'p.yaml'), 'machine: {bogus: 1}\n');
    writeFileSync(join(patch, 'expected.yaml'), 'machine: {}\n');
    const rows = [
      'tree\tconfig\tpatches\toutcome',
      'v1.11.3\ta/config.yaml\tp\terror: unknown keys',
      'v1.11.3\ta/config.yaml\tp\terror: something else',
      'v1.11.3\ta/config.yaml\tp\tequals a/expected.yaml (whole text)',
      'v1.11.3\ta/config.yaml\tgood.json\tequals a/want.yaml',
      'v1.11.3\ta/config.yaml\tgood\tequals a/want.yaml (whole text)',
      'v1.11.3\ta/config.yaml\tabsent\tequals a/want.yaml',
    ];
    writeFileSync(join(patch, 'good.json'), '[{"op": "add", "path": "/machine/certSANs", "value": ["a"]}]');
    writeFileSync(join(patch, 'want.yaml'), 'machine: {type: worker, certSANs: [a]}\n');
    writeFileSync(join(folder, 'patch-cases.tsv'), `${rows.join('\n')}\n`);
    const report = runConfigConformance(folder);
    expect(report.text).toContain('-machine: {type: worker, certSANs: [a]}\n+machine:\n+  certSANs:\n+  - a\n');
    expect(report).toMatchObject({ passed: 2, failed: 4 });
    expect(report.text).toMatch(/\n2 passed, 4 failed\n$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the runner sees a manifest that differs, and says what it leaves out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'talosim-templates-'));
  try {
    for (const tree of ['v1.11.3', 'main']) {
      mkdirSync(join(folder, tree, 'templates'), { recursive: true });
      const binding =
        'kind: ClusterRoleBinding\napiVersion: rbac.authorization.k8s.io/v1\nmetadata: {name: kube-proxy}\n';
      writeFileSync(join(folder, tree, 'templates/a.yaml'), binding);
    }
    const report = runConfigConformance(folder);
    expect(report).toMatchObject({ passed: 0, failed: 1 });
    expect(report.text).toContain('skip template main a.yaml: the manifests of v1.11.3 are simulated\n');
    expect(report.text).toContain('FAIL template v1.11.3 a.yaml\n  .subjects\n  expected undefined\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
