import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/config/config.ts';
import { printCommented } from '../src/config/generate/commented.ts';
import { generateDocuments } from '../src/config/generate/generate.ts';
import { generateSecrets } from '../src/config/generate/secrets.ts';
import { TOOL_V1_11_3 } from '../src/config/generate/tool-release.ts';
import { applyPatches } from '../src/config/patch/apply.ts';
import { loadConfigSet } from '../src/config/patch/config-set.ts';
import { parsePatch } from '../src/config/patch/load.ts';
import { validate } from '../src/config/validate/validate.ts';
import { createSimCrypto } from '../src/sim/crypto/crypto.ts';
import type { Figure } from './figure.ts';

const CLI = fileURLToPath(new URL('../bin/talosim.mjs', import.meta.url));
const { minor } = TOOL_V1_11_3;

/** Machine configs: reading one, patching a hundred, and the whole of `talosim validate`. */
export function benchConfig(): Figure[] {
  const crypto = createSimCrypto('bench');
  const base = generateDocuments(
    {
      clusterName: 'bench',
      endpoint: 'https://10.0.0.5:6443',
      kubernetesVersion: TOOL_V1_11_3.kubernetesVersion,
      contract: minor,
      secrets: generateSecrets({ crypto, nowSec: 1_760_000_000, contract: minor }),
      options: { installDisk: '/dev/sda', installImage: TOOL_V1_11_3.installImage },
    },
    'controlplane',
  );
  const text = printCommented(base, { minor, docs: true, examples: true });
  const plain = applyPatches(base, [], { minor });
  return [
    { name: 'size of the commented config', value: Math.round(text.length / 1024), unit: 'KiB' },
    { name: 'load and validate it, warm', value: bestMs(30, () => readAndValidate(text)), unit: 'ms' },
    { name: 'patch 100 machines from one base', value: bestMs(3, () => patchMany(plain)), unit: 'ms' },
    { name: 'talosim validate, start to end', value: commandMs(text), unit: 'ms' },
  ];
}

function readAndValidate(text: string): void {
  const loaded = loadConfig(text);
  if ('errors' in loaded) throw new Error(loaded.toolError);
  validate(loaded.config, { mode: 'metal' });
}

function patchMany(base: string): void {
  const set = loadConfigSet(base, { minor });
  for (let index = 0; index < 100; index++) {
    const own = `machine: {network: {hostname: node-${index}, interfaces: [{interface: ens3, addresses: [10.0.1.${index}/16]}]}}`;
    applyPatches(set, [parsePatch(own, { minor })], { minor });
  }
}

/** The bundle must be there: the first of several runs builds it if need be. */
function commandMs(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'talosim-bench-'));
  try {
    const file = join(folder, 'config.yaml');
    writeFileSync(file, text);
    return bestMs(5, () => {
      const { status, stderr } = spawnSync(process.execPath, [CLI, 'validate', '-c', file, '-m', 'metal'], {
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The best of several runs, since noise only ever adds. */
function bestMs(runs: number, work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const startedMs = performance.now();
    work();
    best = Math.min(best, performance.now() - startedMs);
  }
  return Math.round(best * 10) / 10;
}
