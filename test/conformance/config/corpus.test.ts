/** Published machine configs and patches (../shared/corpus/configs): each loads and validates, or is refused for a reason. */
import { describe, expect, test } from 'vitest';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import { decodeStream } from '../../../src/config/decode/documents.ts';
import { printDocuments } from '../../../src/config/encode/print.ts';
import { formatConfigError } from '../../../src/config/errors.ts';
import { explain } from '../../../src/config/explain/explain.ts';
import { validate } from '../../../src/config/validate/validate.ts';
import { parseVersion } from '../../../src/config/version.ts';
import { readYaml } from '../../../src/config/yaml/read.ts';
import { present, read, rows } from './corpus-index.ts';

function load(file: string, version: string, env?: Record<string, string>): Config | string[] {
  const options = { file, version: parseVersion(version)! };
  const result = loadConfig(read(file), env === undefined ? options : { ...options, env });
  return 'errors' in result ? result.errors.map(formatConfigError) : result.config;
}

/** First release of a file, where that is not v1.11. */
const NEEDS: Readonly<Record<string, string>> = { '157.yaml': 'v1.12.0', '185.yaml': 'v1.13.0', '230.yaml': 'v1.13.0' };

/** A value of the form that a placeholder's name asks for. */
function valueFor(name: string): string {
  if (name.endsWith('VERSION')) {
    return name.startsWith('KUBERNETES') ? 'v1.34.1' : 'v1.11.3';
  }
  return /IP$/.test(name) ? '10.0.0.1' : /URL$/.test(name) ? 'https://a.example' : 'Zm9vYmFy';
}

describe.skipIf(!present)('full configs of the corpus', () => {
  const full = present ? rows().filter(({ kind }) => kind === 'controlplane' || kind === 'worker') : [];

  test.each(full.filter(({ file }) => file !== '131.yaml'))('$file loads and validates', ({ file, kind }) => {
    const config = load(file, NEEDS[file] ?? 'v1.11.3');
    expect(Array.isArray(config) ? config : []).toEqual([]);
    const result = validate(config as Config, { mode: 'metal' });
    expect(result.errors.map((error) => error.message)).toEqual([]);
    const legacy = (config as Config).documents[0]!.value;
    expect(legacy.machine).toMatchObject({ type: kind });
    expect(explain(config as Config).every(({ line, reason }) => line > 0 && reason !== '')).toBe(true);
  });

  test('a template is refused by the names of its placeholders, and loads when they have values', () => {
    const lines = read('131.yaml').split('\n');
    const refused = load('131.yaml', 'v1.11.3') as string[];
    expect(refused).toHaveLength(27);
    for (const error of refused) {
      const [, line, name] = /^131\.yaml:(\d+):\d+: \S+: placeholder \$\{(\w+)\} has no value/.exec(error)!;
      expect(lines[Number(line) - 1]).toContain(`\${${name}}`);
    }
    const names = new Set(refused.map((error) => /\$\{(\w+)\}/.exec(error)![1]!));
    const env = Object.fromEntries([...names].map((name) => [name, valueFor(name)]));
    const filled = load('131.yaml', 'v1.12.0', env);
    expect(Array.isArray(filled) ? filled : []).toEqual([]);
    expect(validate(filled as Config, { mode: 'metal' }).errors.map((error) => error.message)).toEqual([]);
  });

  test('a config of v1.12 is refused by v1.11 with the release of each newer part', () => {
    expect(load('157.yaml', 'v1.11.3')).toEqual([
      '157.yaml:82:9: machine.install.grubUseUKICmdline: unknown key "grubUseUKICmdline" (known from v1.12 on)',
      '157.yaml:407:7: "HostnameConfig" "v1alpha1": not registered (known from v1.12 on; this is checked for v1.11)',
      '157.yaml:415:7: "ResolverConfig" "v1alpha1": not registered (known from v1.12 on; this is checked for v1.11)',
    ]);
  });

  test.each(full)('$file: what is printed is read back the same', ({ file }) => {
    const config = load(file, NEEDS[file] ?? 'v1.11.3', file === '131.yaml' ? {} : undefined);
    if (Array.isArray(config)) {
      return;
    }
    const { minor } = config.version;
    const printed = printDocuments(config.documents, { minor });
    const again = decodeStream(printed, { file, minor });
    expect(again.errors).toEqual([]);
    expect(printDocuments(again.documents, { minor })).toBe(printed);
  });
});

describe.skipIf(!present)('patches of the corpus', () => {
  const patches = present
    ? rows().filter(({ kind, notes }) => kind === 'patch' && !/RFC6902|NOT VALID|\$patch/.test(notes))
    : [];

  test.each(patches)('$file decodes', ({ file, notes }) => {
    const version = NEEDS[file] ?? (/doc:(Bond|Hostname|RegistryMirror|LinkAlias)/.test(notes) ? 'v1.12.0' : 'v1.11.3');
    const text = read(file).replace(/\$\{[A-Z_]+\}/g, '10');
    const { errors } = decodeStream(text, { file, minor: parseVersion(version)!.minor, allowDuplicates: true });
    expect(errors.map(formatConfigError)).toEqual([]);
  });

  test('the broken file is refused where it breaks', () => {
    const [first] = load('046.yaml', 'v1.11.3') as string[];
    expect(first).toMatch(/^046\.yaml:5:1: /);
  });

  test('every other file is YAML', () => {
    for (const { file } of rows().filter(({ file: name }) => name !== '046.yaml')) {
      expect(readYaml(read(file)).problems).toEqual([]);
    }
  });
});

/** Words of the notes column, and what proves that the feature was met. */
const FEATURES: Readonly<Record<string, RegExp>> = {
  admissionControl: /^cluster\.apiServer\.admissionControl/,
  auditPolicy: /^cluster\.apiServer\.auditPolicy/,
  certSANs: /^(machine\.certSANs|cluster\.apiServer\.certSANs)/,
  'cni:none': /^cluster\.network\.cni\.name/,
  disablePSP: /^cluster\.apiServer\.disablePodSecurityPolicy/,
  discovery: /^cluster\.discovery/,
  extraManifests: /^cluster\.extraManifests/,
  hostDNS: /^machine\.features\.hostDNS/,
  hostname: /^machine\.network\.hostname/,
  inlineManifests: /^cluster\.inlineManifests/,
  install: /^machine\.install/,
  kubePrism: /^machine\.features\.kubePrism/,
  logging: /^machine\.logging/,
  nameservers: /^(machine\.network\.)?nameservers/,
  nodeLabels: /^machine\.nodeLabels/,
  'proxy.disabled': /^cluster\.proxy\.disabled/,
  routes: /^machine\.network\.interfaces\[\d+\]\.routes/,
  sysctls: /^machine\.sysctls/,
  'time.servers': /^machine\.time\.servers/,
  vip: /^machine\.network\.interfaces\[\d+\](\.vlans\[\d+\])?\.vip/,
};

describe.skipIf(!present)('features of the corpus', () => {
  const full = present ? rows().filter(({ kind }) => kind === 'controlplane' || kind === 'worker') : [];

  test.each(full.filter(({ file }) => !['131.yaml'].includes(file)))(
    '$file: noted features are explained',
    ({ file, notes }) => {
      const config = load(file, NEEDS[file] ?? 'v1.11.3') as Config;
      const paths = explain(config).map(({ path }) => path);
      const noted = notes.split(/[;|]/).map((word) => word.trim());
      const missing = noted.filter((word) => {
        const proof = Object.hasOwn(FEATURES, word) ? FEATURES[word] : undefined;
        return proof !== undefined && !paths.some((path) => proof.test(path));
      });
      expect(missing).toEqual([]);
    },
  );
});
