import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScenario } from '../../src/lab/engine/run.ts';
import { readerIn, scenarioFromText } from '../../src/runner/scenario-file.ts';
import { ROOT } from './run.ts';

const GOLDEN = join(ROOT, '..', 'shared', 'conformance', 'talos', 'generate');
const SCENARIOS = join(ROOT, 'scenarios');
const GEN_CONFIG =
  /^( *- )(?:>-\s+)?talosctl gen config (\S+) (\S+) --install-disk (\S+)(?:\s+--install-image\s+(\S+))?(?: --output-dir (\S+))?(?: --kubernetes-version (\S+))?$/m;

/** The scenario with machine configs that the real tool printed in place of generated ones: only disk, image and endpoint are set. */
function withGoldenConfigs(text: string): string {
  const [, indent, name, endpoint, disk, image, folder = '.'] = GEN_CONFIG.exec(text)!;
  const patch = JSON.stringify({
    machine: { install: { disk, image } },
    cluster: { controlPlane: { endpoint } },
  });
  const commands = [
    'talosctl gen secrets --from-controlplane-config golden-controlplane.yaml',
    `talosctl gen config ${name} ${endpoint} --with-secrets secrets.yaml --output-types talosconfig --output ${folder}/talosconfig`,
    ...['controlplane', 'worker'].map(
      (type) => `talosctl machineconfig patch golden-${type}.yaml --patch '${patch}' --output ${folder}/${type}.yaml`,
    ),
  ];
  return text.replace(GEN_CONFIG, commands.map((command) => `${indent}"${command.replaceAll('"', '\\"')}"`).join('\n'));
}

/** Files beside the scenarios, and the golden ones. Their Kubernetes 1.28 is too old for Talos 1.11, which refuses it. */
function readerWith(release: string, text: string): (path: string) => string | undefined {
  const beside = readerIn(SCENARIOS);
  const kubernetes = GEN_CONFIG.exec(text)?.[7] ?? '1.34.1';
  return (path) => {
    const type = /^golden-(\w+)\.yaml$/.exec(path)?.[1];
    if (type === undefined) return beside(path);
    return readFileSync(join(GOLDEN, release, `base-${type}.yaml`), 'utf8').replaceAll(':v1.28.0', `:v${kubernetes}`);
  };
}

const files = readdirSync(SCENARIOS).filter((name) => name.endsWith('.yaml'));
const cases = files.map((file, index) => [file, ['v1.11', 'v1.9'][index % 2]!] as const);

describe.skipIf(!existsSync(GOLDEN))('scenarios pass with machine configs that the real tool generated', () => {
  it.each(cases)('%s with those of %s', (file, release) => {
    const text = readFileSync(join(SCENARIOS, file), 'utf8');
    const { scenario, deps } = scenarioFromText(withGoldenConfigs(text), file, readerWith(release, text));
    expect(runScenario(scenario, { seed: 1 }, deps).reasons).toEqual([]);
  });
});
