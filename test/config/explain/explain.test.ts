/** What is simulated: every field of every v1.11.3 document has a rule with a reason (issue: "What is simulated"). */
import { describe, expect, test } from 'vitest';
import { documentEffects, legacyEffects } from '../../../src/config/explain/effects.ts';
import { effectOf, explain } from '../../../src/config/explain/explain.ts';
import { documentSpecs } from '../../../src/config/schema/registry.ts';
import type { StructSpec, Type } from '../../../src/config/schema/types.ts';
import { legacyDocument } from '../../../src/config/schema/v1alpha1/root.ts';
import { load, worker } from '../support.ts';

/** Paths of all fields below a struct. */
function paths(spec: StructSpec, prefix: readonly string[] = []): string[][] {
  return spec.fields.flatMap((entry) => {
    const path = [...prefix, entry.name];
    const below = structBelow(entry.type);
    return below === undefined ? [path] : paths(below, path);
  });
}

function structBelow(type: Type): StructSpec | undefined {
  switch (type.kind) {
    case 'struct':
      return type.struct;
    case 'list':
      return structBelow(type.element);
    case 'map':
      return structBelow(type.value);
    default:
      return undefined;
  }
}

describe('coverage', () => {
  const all = paths(legacyDocument.struct);

  test('the tree is the whole one', () => {
    expect(all.length).toBeGreaterThan(200);
  });

  test('every field of the legacy document has a rule', () => {
    const without = all.filter((path) => effectOf(path).prefix === '').map((path) => path.join('.'));
    expect(without).toEqual([]);
  });

  test('every rule covers a field, and has a reason', () => {
    const known = new Set(all.flatMap((path) => path.map((_, index) => path.slice(0, index + 1).join('.'))));
    expect(legacyEffects.filter(({ prefix }) => !known.has(prefix)).map(({ prefix }) => prefix)).toEqual([]);
    expect(legacyEffects.filter(({ reason }) => reason.length < 5)).toEqual([]);
  });

  test('every kind of v1.11.3 has a rule', () => {
    const kinds = documentSpecs.filter(({ since, kind }) => since <= 11 && kind !== 'v1alpha1').map(({ kind }) => kind);
    expect(kinds.filter((kind) => documentEffects[kind] === undefined)).toEqual([]);
  });

  test('every field has a line that says what it is for', () => {
    const silent = (spec: StructSpec): string[] =>
      spec.fields.flatMap((entry) => {
        const below = structBelow(entry.type);
        return [...(entry.doc === '' ? [entry.name] : []), ...(below === undefined ? [] : silent(below))];
      });
    expect(documentSpecs.flatMap(({ struct }) => silent(struct))).toEqual([]);
  });
});

describe('explaining a config', () => {
  test('one entry per field that is set, with its line', () => {
    const text =
      'machine:\n  type: worker\n  sysctls:\n    a: b\n  network:\n    interfaces:\n      - interface: eth0\n        dhcp: true\n';
    expect(explain(load(text)).map(({ path, line, effect }) => [path, line, effect])).toEqual([
      ['machine.type', 2, 'acts'],
      ['machine.network.interfaces[0].interface', 7, 'acts'],
      ['machine.network.interfaces[0].dhcp', 8, 'acts'],
      ['machine.sysctls', 3, effectOf(['machine', 'sysctls']).effect],
    ]);
  });

  test('deprecated fields say what to use instead', () => {
    const text = worker({}, { allowSchedulingOnMasters: true });
    const [found] = explain(load(text)).filter(({ path }) => path === 'cluster.allowSchedulingOnMasters');
    expect(found?.deprecated).toContain('allowSchedulingOnControlPlanes');
  });

  test('side documents are named', () => {
    const text = 'apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: data\nprovisioning:\n  minSize: 1GB\n';
    expect(explain(load(text))).toMatchObject([
      { document: 'UserVolumeConfig/data', path: 'provisioning.minSize', line: 5 },
    ]);
  });

  test('KubeSpan acts, but for what has nothing to act on', () => {
    const kubespan = { enabled: true, mtu: 1300, advertiseKubernetesNetworks: true, filters: { endpoints: ['::/0'] } };
    const endpoints = 'apiVersion: v1alpha1\nkind: KubeSpanEndpointsConfig\nextraAnnouncedEndpoints: ["[fd00::1]:4"]\n';
    const entries = explain(load(`${worker({ network: { kubespan } })}\n---\n${endpoints}`));
    const effects = entries.filter(({ path }) => /kubespan|extraAnnounced/.test(path));
    expect(effects.map(({ path, effect }) => `${path.replace(/.*kubespan./, '')} ${effect}`).sort()).toEqual([
      'advertiseKubernetesNetworks inert',
      'enabled acts',
      'extraAnnouncedEndpoints acts',
      'filters.endpoints acts',
      'mtu inert',
    ]);
  });

  test('a document without fields of its own is told of by itself', () => {
    const text = 'apiVersion: v1alpha1\nkind: ZswapConfig\n';
    expect(explain(load(text))).toMatchObject([{ document: 'ZswapConfig', path: '', line: 2, effect: 'inert' }]);
  });
});
