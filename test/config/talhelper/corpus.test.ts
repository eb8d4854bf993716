import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfigSet } from '../../../src/config/patch/config-set.ts';
import { generateFromTalconfig } from '../../../src/config/talhelper/generate.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';
import { NOW_SEC, SECRETS } from '../generate/helpers.ts';

const DIR = new URL('../../../../shared/corpus/configs/', import.meta.url);
const INDEX = new URL('INDEX.tsv', DIR);
const present = existsSync(INDEX);

/** Names of the talconfigs of the corpus. */
function talconfigs(): string[] {
  if (!present) return [];
  const rows = readFileSync(INDEX, 'utf8')
    .split('\n')
    .map((row) => row.split('\t'));
  return rows.filter(([, kind]) => kind === 'talconfig').map(([file]) => file!);
}

/** Names of all placeholders of a text. */
function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1]!))];
}

/** A value that suits a placeholder of this name. */
function filling(name: string): string {
  if (/talosVersion/i.test(name)) return 'v1.11.3';
  if (/kubernetesVersion/i.test(name)) return 'v1.34.1';
  return /ip/i.test(name) ? '10.0.0.7' : name.toLowerCase().replace(/_/g, '-');
}

describe.skipIf(!present)('published talconfigs', () => {
  it.each(talconfigs())('%s generates a config for every node', (file) => {
    const text = readFileSync(new URL(file, DIR), 'utf8');
    const names = placeholders(text);
    const request = {
      text,
      file,
      readText: () => undefined,
      missingFiles: 'skip' as const,
      crypto: createSimCrypto('corpus'),
      nowSec: NOW_SEC,
      secrets: SECRETS,
    };
    const env = Object.fromEntries(names.map((name) => [name, filling(name)]));
    const result = generateFromTalconfig({ ...request, env });
    expect(result.errors).toEqual([]);
    expect(result.nodes.length).toBeGreaterThan(0);
    for (const node of result.nodes) {
      const [legacy] = loadConfigSet(node.text, { minor: 15 }).documents;
      expect(legacy!.value.machine).toMatchObject({ type: node.role });
      expect(node.text).not.toContain('${');
    }
    expect(new Set(result.nodes.map((node) => node.fileName)).size).toBe(result.nodes.length);
  });

  it.each(talconfigs())('%s is refused when its placeholders have no values', (file) => {
    const text = readFileSync(new URL(file, DIR), 'utf8');
    // Those of comments and of literal file contents belong to others.
    const names = placeholders(text.replace(/^\s*(#|- content:).*$/gm, ''));
    const { errors } = generateFromTalconfig({
      text,
      file,
      readText: () => undefined,
      missingFiles: 'skip',
      crypto: createSimCrypto('corpus'),
      nowSec: NOW_SEC,
    });
    for (const name of names) expect(errors.some((error) => error.message.includes(name))).toBe(true);
    if (names.length === 0) expect(errors).toEqual([]);
  });
});
