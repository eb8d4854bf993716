import { expect, it } from 'vitest';
import { generateConfigText } from '../../../src/config/generate/generate.ts';
import { generateSecrets } from '../../../src/config/generate/secrets.ts';
import { applyPatches } from '../../../src/config/patch/apply.ts';
import { loadConfigSet } from '../../../src/config/patch/config-set.ts';
import { parsePatch } from '../../../src/config/patch/load.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';

const MINOR = 11;

function timeMs(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

it('patches 100 machines from one base within a second', () => {
  const secrets = generateSecrets({ crypto: createSimCrypto('speed'), nowSec: 1_750_000_000, contract: MINOR });
  const base = generateConfigText(
    { clusterName: 'c', endpoint: 'https://10.0.0.1:6443', kubernetesVersion: '1.34.1', contract: MINOR, secrets },
    'controlplane',
  );
  const common = parsePatch('machine: {network: {nameservers: [10.0.0.53]}, sysctls: {vm.swappiness: "1"}}\n', {
    minor: MINOR,
  });
  const patchAll = (): void => {
    const set = loadConfigSet(base, { minor: MINOR });
    for (let index = 0; index < 100; index++) {
      const own = parsePatch(
        `machine: {network: {hostname: node-${index}, interfaces: [{interface: ens3, addresses: [10.0.1.${index}/16]}]}}\n`,
        { minor: MINOR },
      );
      const text = applyPatches(set, [common, own], { minor: MINOR });
      expect(text).toContain(`hostname: node-${index}\n`);
    }
  };
  const elapsedMs = timeMs(patchAll);
  if (process.env.TALOSIM_FIGURES !== undefined) console.log(`100 machines patched in ${elapsedMs.toFixed(0)} ms`);
  expect(elapsedMs).toBeLessThan(1000);
});
