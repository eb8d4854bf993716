import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gatesOf, parseContract } from '../../src/config/generate/contract.ts';
import { generateDocuments } from '../../src/config/generate/generate.ts';
import type { GenerateInput, GenerateOptions, MachineRole } from '../../src/config/generate/input.ts';
import { secretsOfConfig } from '../../src/config/generate/secrets-import.ts';
import { applyPatches } from '../../src/config/patch/apply.ts';
import { loadConfigSet } from '../../src/config/patch/config-set.ts';
import { parsePatch } from '../../src/config/patch/load.ts';
import type { ConformanceCase } from './config-run.ts';
import { textDiff, textOrError } from './patch-run.ts';

type Variant = 'base' | 'overrides';

/** Both variants and roles of one contract. Keys are taken from the files themselves, so the texts must be equal. */
export function generateCases(dir: string): ConformanceCase[] {
  const folder = basename(resolve(dir));
  const contract = /^v1\.\d+$/.test(folder) ? (parseContract(folder) as number) : null;
  if (contract === null) return [];
  const cases: ConformanceCase[] = [];
  for (const variant of ['base', 'overrides'] as const) {
    for (const role of ['controlplane', 'worker'] as const) {
      const path = join(dir, `${variant}-${role}.yaml`);
      if (!existsSync(path)) continue;
      const name = `generate ${folder} ${variant} ${role}`;
      const actual = textOrError(() => generateVariant(dir, contract, variant, role));
      cases.push({ name, failure: textDiff(actual, readFileSync(path, 'utf8')) });
    }
  }
  return cases;
}

function generateVariant(dir: string, contract: number, variant: Variant, role: MachineRole): string {
  // Only control planes have all the keys.
  const controlPlane = join(dir, `${variant}-controlplane.yaml`);
  const recorded = existsSync(controlPlane) ? controlPlane : join(dir, `${variant}-${role}.yaml`);
  const text = readFileSync(recorded, 'utf8');
  const minor = Math.max(contract, 11);
  const input: GenerateInput = {
    clusterName: 'base',
    endpoint: 'https://base:6443',
    kubernetesVersion: /siderolabs\/kubelet:v(\S+)/.exec(text)?.[1] ?? '1.28.0',
    contract,
    secrets: secretsOfConfig(loadConfigSet(text, { minor })),
    options: variant === 'base' ? {} : OVERRIDES,
  };
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
