import type { CommandOutcome, Workstation } from '../../../src/config/generate/cli/workstation.ts';
import { generateConfigText } from '../../../src/config/generate/generate.ts';
import type { GenerateInput, GenerateOptions, MachineRole } from '../../../src/config/generate/input.ts';
import { generateSecrets } from '../../../src/config/generate/secrets.ts';
import { TOOL_V1_11_3, type ToolRelease } from '../../../src/config/generate/tool-release.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';

export const NOW_SEC = 1_760_000_000;

/** One bundle for all contracts, as when a cluster is upgraded. */
export const SECRETS = generateSecrets({ crypto: createSimCrypto('bundle'), nowSec: NOW_SEC, contract: 11 });

export function inputFor(contract: number, options: GenerateOptions = {}): GenerateInput {
  return {
    clusterName: 'lab',
    endpoint: 'https://cp.lab:6443',
    kubernetesVersion: '1.34.1',
    contract,
    secrets: SECRETS,
    options,
  };
}

export function configText(
  contract: number,
  role: MachineRole = 'controlplane',
  options: GenerateOptions = {},
): string {
  return generateConfigText(inputFor(contract, options), role);
}

/** A workstation with these files and the directory `/home/op`. */
export function workstation(files: Record<string, string> = {}, tool: ToolRelease = TOOL_V1_11_3): Workstation {
  return {
    files: { cwd: '/home/op', readText: (path) => files[path], exists: (path) => files[path] !== undefined },
    crypto: createSimCrypto('workstation'),
    nowSec: NOW_SEC,
    tool,
  };
}

/** The same tool with the rules of another release. */
export function toolOf(minor: number): ToolRelease {
  return { ...TOOL_V1_11_3, minor };
}

/** Content of a written file; fails the test when it was not written. */
export function fileOf(outcome: CommandOutcome, path: string): string {
  const file = outcome.files.find((one) => one.path === path);
  if (file === undefined) throw new Error(`${path} was not written: ${outcome.stderr}`);
  return file.content;
}
