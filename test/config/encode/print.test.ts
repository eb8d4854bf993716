/** Printing in the layout of yaml.v3 (reference/network-config.md E.11), and that it is read back the same. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { decodeStream } from '../../../src/config/decode/documents.ts';
import { printDocuments } from '../../../src/config/encode/print.ts';
import type { ConfigValue } from '../../../src/config/schema/types.ts';
import { byTier } from '../../support/tier.ts';
import { shaped } from '../fuzz/mutate.ts';
import { load } from '../support.ts';

const print = (text: string, minor = 11): string => printDocuments(load(text).documents, { minor });

describe('layout', () => {
  test('four spaces, fields in the order of the tree, maps by key', () => {
    expect(
      print(
        'cluster: {clusterName: a}\nmachine:\n  sysctls: {b: "2", a10: "1", a9: "1"}\n  type: worker\nversion: v1alpha1\n',
      ),
    ).toBe(
      'version: v1alpha1\nmachine:\n    type: worker\n    token: ""\n    certSANs: []\n    sysctls:\n' +
        '        a9: "1"\n        a10: "1"\n        b: "2"\ncluster:\n    controlPlane: null\n    clusterName: a\n',
    );
  });

  test('text is quoted only where it would be something else', () => {
    const values = [
      'plain',
      '12',
      'true',
      'yes',
      '',
      'a: b',
      '- a',
      '#x',
      "it's",
      'a#b',
      '0x1',
      '1.5',
      '~',
      'null',
      '2024-01-01',
      '@a',
      'a\nb\n',
      ' a',
      '1:30',
      '=',
      '<<',
    ];
    const sysctls = Object.fromEntries(values.map((value, index) => [`k${index}`, value]));
    const printed = print(JSON.stringify({ machine: { sysctls } }));
    const lines = printed
      .split('\n')
      .filter((line) => /^ {8}k/.test(line))
      .map((line) => line.replace(/^\s+k\d+: /, ''));
    expect(lines).toEqual([
      'plain',
      '"12"',
      '"true"',
      '"yes"',
      '""',
      "'a: b'",
      "'- a'",
      "'#x'",
      "it's",
      'a#b',
      '"0x1"',
      '"1.5"',
      '"~"',
      '"null"',
      '"2024-01-01"',
      "'@a'",
      '|',
      "' a'",
      '"1:30"',
      '=',
      '"<<"',
    ]);
  });

  test('permissions are octal', () => {
    const text = print('machine:\n  files:\n    - {content: a, path: /var/a, op: create, permissions: 0o644}\n');
    expect(text).toContain('permissions: 0o644\n');
  });
});

describe('read back', () => {
  test('every config of the right shape', () => {
    const runs = byTier(500, 10_000, 10_000);
    fc.assert(
      fc.property(shaped(), (text) => {
        const loaded = loadConfig(text);
        // A firewall rule without a protocol, which validation refuses, is printed with the first one.
        if ('errors' in loaded || text.includes('NetworkRuleConfig')) {
          return;
        }
        const again = decodeStream(printDocuments(loaded.config.documents, { minor: 11 }), {
          file: 'p.yaml',
          minor: 11,
        });
        expect(again.errors).toEqual([]);
        const held = (documents: readonly { value: ConfigValue }[]): ConfigValue[] =>
          documents.map(({ value }) => withoutEmpty(value) ?? {});
        expect(held(again.documents)).toEqual(held(loaded.config.documents));
      }),
      { numRuns: runs },
    );
  }, 600_000);

  test('any text in any place of a free-form object', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify({ machine: { kubelet: { extraConfig: { value } } } });
        const loaded = loadConfig(text);
        if ('errors' in loaded) {
          return;
        }
        const again = load(printDocuments(loaded.config.documents, { minor: 11 }));
        const of = (config: typeof again): unknown =>
          (config.documents[0]!.value.machine as { kubelet: { extraConfig: { value: unknown } } }).kubelet.extraConfig
            .value;
        expect(of(again)).toEqual(of(loaded.config));
      }),
      { numRuns: 500 },
    );
  });
});

/** Empty lists, maps and structs are printed or not by rules of their own (`omitempty`), so they are left out. */
function withoutEmpty(value: ConfigValue): ConfigValue | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item: ConfigValue) => withoutEmpty(item) ?? null);
    return items.length === 0 ? undefined : items;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [key, withoutEmpty(item)] as const);
    const kept = entries.filter(([, item]) => item !== undefined && item !== '' && item !== 0 && item !== false);
    return kept.length === 0 ? undefined : (Object.fromEntries(kept) as ConfigValue);
  }
  return value;
}

const TALOS = join(import.meta.dirname, '../../../../shared/conformance/talos');

/** Files that the real tool printed. */
function goldens(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    const isGolden = dir.includes('/generate/') ? name.endsWith('.yaml') : name.includes('expected');
    return statSync(path).isDirectory() ? goldens(path) : isGolden && name.endsWith('.yaml') ? [path] : [];
  });
}

describe.skipIf(!existsSync(TALOS))('files that the real tool printed come out byte for byte', () => {
  test.each(existsSync(TALOS) ? goldens(TALOS).map((path) => [path.slice(TALOS.length + 1), path]) : [])(
    '%s',
    (name, path) => {
      const text = readFileSync(path!, 'utf8');
      const minor = name!.startsWith('main/') ? 15 : name!.includes('v1.12') ? 12 : 11;
      const { documents, errors } = decodeStream(text, { file: name!, minor });
      expect(errors).toEqual([]);
      expect(printDocuments(documents, { minor })).toBe(text);
    },
  );
});
