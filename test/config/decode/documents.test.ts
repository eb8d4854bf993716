/** Streams of documents (reference/network-config.md E.1, E.6; v1.11.3.md 11.1, 11.3). */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { documentSpecs, kindSince, newerKinds } from '../../../src/config/schema/registry.ts';
import { parseVersion } from '../../../src/config/version.ts';
import { load, loadErrors, worker } from '../support.ts';

function toolError(text: string, version = 'v1.11.3'): string {
  const result = loadConfig(text, { version: parseVersion(version)! });
  return 'errors' in result ? result.toolError : '';
}

const HEAD = 'apiVersion: v1alpha1\nkind: ';

describe('which document it is (E.1)', () => {
  test.each(['machine: {}', 'cluster: {}', 'debug: true', 'persist: false'])(
    '%s alone makes the legacy document',
    (text) => {
      expect(load(text).documents.map(({ spec }) => spec.kind)).toEqual(['v1alpha1']);
    },
  );

  test('the version alone does not', () => {
    expect(toolError('version: v1alpha1\n')).toBe('missing kind');
  });

  test('other documents need kind and apiVersion', () => {
    expect(toolError('apiVersion: v1alpha1\n')).toBe('unknown keys found during decoding:\napiVersion: v1alpha1\n');
    expect(toolError('name: a\n')).toBe('missing kind');
    expect(toolError('kind: WatchdogTimerConfig\n')).toBe('"WatchdogTimerConfig" "": not registered');
    expect(toolError('kind: WatchdogTimerConfig\n', 'v1.12.0')).toBe('missing apiVersion');
  });

  test('a kind of another version, or none at all, is not registered', () => {
    expect(toolError('apiVersion: v2\nkind: WatchdogTimerConfig\n')).toBe('"WatchdogTimerConfig" "v2": not registered');
    expect(loadErrors(`${HEAD}Foo\n`)).toEqual([
      'config.yaml:2:7: "Foo" "v1alpha1": not registered (no release has this kind)',
    ]);
    expect(loadErrors(`${HEAD}v1alpha1\n`)[0]).toContain('"v1alpha1" "v1alpha1": not registered');
  });

  test('a newer kind is known by name, with its first release', () => {
    expect(loadErrors(`${HEAD}LinkConfig\nname: eth0\n`)).toEqual([
      'config.yaml:2:7: "LinkConfig" "v1alpha1": not registered (known from v1.12 on; this is checked for v1.11)',
    ]);
    expect(loadErrors(`${HEAD}LinkConfig\nname: eth0\n`, 'v1.12.0')).toEqual([]);
  });

  test('v1.11 has 17 kinds beside the legacy one (v1.11.3.md 11.1)', () => {
    const old = documentSpecs.filter(({ since }) => since <= 11).map(({ kind }) => kind);
    expect(old).toHaveLength(18);
    expect(newerKinds.every(({ since }) => since >= 12 && since <= 15)).toBe(true);
    expect([kindSince('RoutingRuleConfig'), kindSince('VolumeConfig'), kindSince('Nothing')]).toEqual([
      13,
      0,
      undefined,
    ]);
  });
});

describe('streams', () => {
  test('empty input', () => {
    for (const text of ['', '# nothing\n']) {
      expect(toolError(text)).toBe('config not found');
    }
  });

  test('an empty document is refused up to v1.11 and skipped later (v1.11.3.md 11.3)', () => {
    const text = `${worker()}\n---\n---\n${HEAD}WatchdogTimerConfig\ndevice: /dev/w\n`;
    expect(toolError(text)).toBe('missing kind');
    expect(load(text, 'v1.12.0').documents).toHaveLength(2);
  });

  test('a document must be a mapping', () => {
    expect(loadErrors('- a\n')).toEqual([expect.stringContaining('a document must be a mapping')]);
    expect(loadErrors('text\n')).toEqual([expect.stringContaining('config.yaml:1:1: a document must be a mapping')]);
  });

  test('the legacy document comes first whatever the order of the file', () => {
    const config = load(`${HEAD}WatchdogTimerConfig\ndevice: /dev/w\n---\n${worker()}\n`);
    expect(config.documents.map(({ spec }) => spec.kind)).toEqual(['v1alpha1', 'WatchdogTimerConfig']);
  });

  test('the same kind and name twice is refused where the second stands (E.6)', () => {
    const volume = (name: string): string => `${HEAD}UserVolumeConfig\nname: ${name}\n`;
    expect(loadErrors(`${volume('a')}---\n${volume('b')}`)).toEqual([]);
    expect(loadErrors(`${volume('a')}---\n${volume('a')}`)).toEqual([
      'config.yaml:5:1: duplicate document v1alpha1/UserVolumeConfig/a is not allowed (the first one is at line 1)',
    ]);
    expect(toolError('machine: {}\n---\nmachine: {}\n')).toBe('duplicate document /v1alpha1/ is not allowed');
  });

  test('a user volume and an existing volume must not share a name (E.4)', () => {
    const text = `${HEAD}UserVolumeConfig\nname: a\n---\n${HEAD}ExistingVolumeConfig\nname: a\n`;
    expect(loadErrors(text)).toEqual([
      expect.stringContaining('conflicting documents: UserVolumeConfig/a and ExistingVolumeConfig/a'),
    ]);
  });

  test('links of different kinds must not share a name (E.6)', () => {
    const text = `${HEAD}LinkConfig\nname: a\n---\n${HEAD}BondConfig\nname: a\n`;
    expect(loadErrors(text, 'v1.12.0')).toEqual([expect.stringContaining('LinkConfig/a')]);
  });

  test('a loaded config gives its own text back (E.1)', () => {
    const text = `# mine\n${worker()}\n`;
    expect(load(text).text).toBe(text);
  });
});
