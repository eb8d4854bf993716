/** Published whole configs, each booted in a world made for it: how far it gets is what its own content allows. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { finished } from '../../../src/lab/engine/slices.ts';
import { OPERATOR_TOOLS } from '../../../src/lab/tools/registry.ts';
import type { Stage } from '../../../src/lab/try/progress.ts';
import { triedConfig } from '../../../src/lab/try/tried-config.ts';
import { type TriedMachine, tryConfigs } from '../../../src/lab/try/try.ts';
import { PROGRAMS } from '../../../src/world/program-set.ts';
import { present, read, rows } from './corpus-index.ts';

/** What stops each, in the order of the files; 131 is a template and 157 is of v1.12: neither is a v1.11 config. */
const EXPECTED: Readonly<Record<string, { readonly stage: Stage; readonly because?: RegExp }>> = {
  '012': { stage: 'ready' },
  '016': { stage: 'kubelet', because: /^a worker without a control plane: nobody at https:\/\/10\.0\.103\.10:6443/ },
  '039': { stage: 'maintenance', because: /Kubernetes 1\.27\.2 is too old to be used with Talos 1\.11\.3/ },
  '043': { stage: 'registered', because: /^cluster\.network\.cni\.name is none/ },
  '077': { stage: 'maintenance', because: /Kubernetes 1\.36\.3 is too new to be used with Talos 1\.11\.3/ },
  '080': { stage: 'maintenance', because: /Kubernetes 1\.36\.3 is too new to be used with Talos 1\.11\.3/ },
  '162': { stage: 'ready' },
  '164': { stage: 'accepted', because: /ghcr\.io\/example-owner\/installer:286b95c7e-dirty: not found/ },
  '224': { stage: 'maintenance', because: /Kubernetes 1\.24\.2 is too old to be used with Talos 1\.11\.3/ },
};

function tryFiles(...names: readonly string[]): readonly TriedMachine[] {
  const taken = new Set<string>();
  const configs = names.map((name) => {
    const loaded = loadConfig(read(`${name}.yaml`), { file: name });
    if ('errors' in loaded) throw new Error(loaded.toolError);
    const tried = triedConfig(loaded.config, taken)!;
    taken.add(tried.name);
    return tried;
  });
  return finished(tryConfigs(configs, { seed: 1 }, { programs: PROGRAMS, tools: OPERATOR_TOOLS })).machines;
}

describe.skipIf(!present)('whole configs of the corpus, tried', () => {
  test('every one is in the table', () => {
    const whole = rows().filter(({ kind }) => kind === 'controlplane' || kind === 'worker');
    const names = whole.map(({ file }) => file.replace('.yaml', '')).filter((name) => name !== '131' && name !== '157');
    expect(Object.keys(EXPECTED).toSorted()).toEqual(names.toSorted());
  });

  // The two that make a cluster are tried as one.
  const alone = Object.entries(EXPECTED).filter(([name]) => name !== '012');
  test.each(alone)('%s', (name, { stage, because }) => {
    const [machine] = tryFiles(name);
    expect(machine!.stage).toBe(stage);
    expect(machine!.reasons.join('\n')).toMatch(because ?? /^$/m);
  });

  test('012 and 016 are of one cluster: together both get Ready', () => {
    expect(tryFiles('012', '016')).toMatchObject([
      { stage: 'ready', reasons: [] },
      { stage: 'ready', reasons: [] },
    ]);
  });
});
