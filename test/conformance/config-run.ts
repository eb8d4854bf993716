import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gatesOf, parseContract } from '../../src/config/generate/contract.ts';
import { generateDocuments } from '../../src/config/generate/generate.ts';
import type { GenerateInput, GenerateOptions, MachineRole } from '../../src/config/generate/input.ts';
import { secretsOfConfig } from '../../src/config/generate/secrets-import.ts';
import { applyPatches } from '../../src/config/patch/apply.ts';
import { loadConfigSet } from '../../src/config/patch/config-set.ts';
import { PatchError } from '../../src/config/patch/error.ts';
import { parsePatch } from '../../src/config/patch/load.ts';
import { templateCases } from './template-run.ts';

export interface ConformanceCase {
  readonly name: string;
  /** Empty when it passed. */
  readonly failure: string;
  /** Why it was not tried. */
  readonly skipped?: string;
}

export interface ConformanceReport {
  readonly cases: readonly ConformanceCase[];
  readonly passed: number;
  readonly failed: number;
  /** One line a case, and `N passed, N failed` at the end. */
  readonly text: string;
}

/**
 * Runs the config cases below a folder: `patch-cases.tsv` files, `templates` of a release, and `generate/vX` folders with
 * `{base,overrides}-{controlplane,worker}.yaml`. A folder of one release (`vX`) may be given as well.
 */
export function runConfigConformance(dir: string): ConformanceReport {
  const cases = collect(dir);
  const failed = cases.filter((one) => one.failure !== '').length;
  const passed = cases.filter((one) => one.failure === '' && one.skipped === undefined).length;
  return { cases, passed, failed, text: `${cases.map(caseLine).join('\n')}\n${passed} passed, ${failed} failed\n` };
}

function caseLine({ name, failure, skipped }: ConformanceCase): string {
  if (skipped !== undefined) return `skip ${name}: ${skipped}`;
  return failure === '' ? `ok   ${name}` : `FAIL ${name}\n${failure}`;
}

function collect(dir: string): ConformanceCase[] {
  const cases: ConformanceCase[] = [];
  if (existsSync(join(dir, 'patch-cases.tsv'))) cases.push(...patchCases(dir));
  if (isGenerateFolder(dir)) cases.push(...generateCases(dir));
  cases.push(...templateCases(dir));
  for (const name of readdirSync(dir).sort()) {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) cases.push(...collect(path));
  }
  return cases;
}

/** Columns: tree, config, patches in order, outcome (`equals FILE (whole text)` or `error: TEXT`). */
function patchCases(dir: string): ConformanceCase[] {
  const [, ...rows] = readFileSync(join(dir, 'patch-cases.tsv'), 'utf8').trimEnd().split('\n');
  return rows.map((row) => {
    const [tree, config, patches, outcome] = row.split('\t') as [string, string, string, string];
    const name = `patch ${tree} ${config} ${patches}`;
    return { name, failure: patchFailure(join(dir, tree, 'patch'), tree, config, patches.split(' '), outcome) };
  });
}

function patchFailure(root: string, tree: string, config: string, patches: readonly string[], outcome: string): string {
  const minor = minorOfTree(tree);
  const folder = join(root, dirname(config));
  const actual = textOrError(() => {
    const loaded = patches.map((patch) => parsePatch(readFileSync(patchPath(folder, patch), 'utf8'), { minor }));
    return applyPatches(readFileSync(join(root, config), 'utf8'), loaded, { minor });
  });
  const file = /^equals (\S+)/.exec(outcome);
  if (file !== null) return difference(actual, readFileSync(join(root, file[1]!), 'utf8'));
  const wanted = outcome.replace(/^error: /, '');
  return actual.startsWith('error: ') && actual.includes(wanted) ? '' : `  expected ${outcome}\n  got      ${actual}`;
}

function patchPath(folder: string, patch: string): string {
  const path = join(folder, patch);
  return existsSync(path) ? path : `${path}.yaml`;
}

/** `v1.11.3`, or `main` for the newest rules. */
function minorOfTree(tree: string): number {
  const match = /^v1\.(\d+)/.exec(tree);
  return match === null ? 15 : Number(match[1]);
}

function textOrError(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatchError) return `error: ${error.message}`;
    throw error;
  }
}

function isGenerateFolder(dir: string): boolean {
  return /^v1\.\d+$/.test(basename(dir)) && existsSync(join(dir, 'base-controlplane.yaml'));
}

/** Both variants and roles of one contract. Keys are taken from the files themselves, so the texts must be equal. */
function generateCases(dir: string): ConformanceCase[] {
  const contract = parseContract(basename(dir)) as number;
  const cases: ConformanceCase[] = [];
  for (const variant of ['base', 'overrides'] as const) {
    for (const role of ['controlplane', 'worker'] as const) {
      const path = join(dir, `${variant}-${role}.yaml`);
      if (!existsSync(path)) continue;
      const name = `generate ${basename(dir)} ${variant} ${role}`;
      const actual = textOrError(() => generateVariant(dir, contract, variant, role));
      cases.push({ name, failure: difference(actual, readFileSync(path, 'utf8')) });
    }
  }
  return cases;
}

function generateVariant(dir: string, contract: number, variant: 'base' | 'overrides', role: MachineRole): string {
  const golden = loadConfigSet(readFileSync(join(dir, `${variant}-controlplane.yaml`), 'utf8'), {
    minor: Math.max(contract, 11),
  });
  const input: GenerateInput = {
    clusterName: 'base',
    endpoint: 'https://base:6443',
    kubernetesVersion: '1.28.0',
    contract,
    secrets: secretsOfConfig(golden),
    options: variant === 'base' ? {} : OVERRIDES,
  };
  const minor = Math.max(contract, 11);
  const patches = variant === 'base' ? [] : [parsePatch(overridePatch(contract), { minor })];
  return applyPatches(generateDocuments(input, role), patches, { minor });
}

/** What the recorded `overrides` files were generated with. */
const OVERRIDES: GenerateOptions = {
  installDisk: '/dev/vda',
  installExtraKernelArgs: ['foo=bar', 'bar=baz'],
  additionalSans: ['foo', 'bar'],
  dnsDomain: 'example.com',
  sysctls: { foo: 'bar' },
  registryMirrors: { 'ghcr.io': ['https://ghcr.io.my-mirror.com'] },
  localApiServerPort: 5443,
  cni: { name: 'custom', urls: ['https://example.com/cni.yaml'] },
  allowSchedulingOnControlPlanes: true,
};

function overridePatch(contract: number): string {
  if (gatesOf(contract).kubernetesDocuments) {
    return 'apiVersion: v1alpha1\nkind: KubeletConfig\nclusterDNS:\n  - 3.3.3.3\n';
  }
  const mount = '{destination: /var/opt, type: bind, source: /var/opt, options: [rshared]}';
  return `machine:\n  kubelet:\n    extraMounts:\n      - ${mount}\n`;
}

/** The first line that differs, or nothing. */
function difference(actual: string, expected: string): string {
  if (actual === expected) return '';
  const left = actual.split('\n');
  const right = expected.split('\n');
  const at = right.findIndex((line, i) => line !== left[i]);
  const line = at < 0 ? right.length : at;
  return `  line ${line + 1}\n  expected ${right[line] ?? '(end)'}\n  got      ${left[line] ?? '(end)'}`;
}
