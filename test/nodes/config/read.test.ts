/** What a machine takes from its config, and that `explain` says no more and no less. */
import { describe, expect, it } from 'vitest';
import { effectOf } from '../../../src/config/explain/explain.ts';
import type { ConfigObject, ConfigValue, Type } from '../../../src/config/schema/types.ts';
import { rootConfig } from '../../../src/config/schema/v1alpha1/root.ts';
import { textMapAt } from '../../../src/config/view.ts';
import { readSettings } from '../../../src/nodes/config/read.ts';
import { TALOS_V1_11_3 } from '../../../src/nodes/profile/v1_11_3.ts';

const MINOR = 11;
/** The key of every map. */
const ANY = '*';
const read = (cluster: ConfigObject, machine: ConfigObject = {}) => readSettings({ machine, cluster }, TALOS_V1_11_3);

describe('settings (reference/network-config.md E.2, v1.11.3.md 11)', () => {
  it('workloads on control planes: the new switch decides, also when it says no', () => {
    const both = (now: boolean, once: boolean) =>
      read({ allowSchedulingOnControlPlanes: now, allowSchedulingOnMasters: once }).cluster
        .allowSchedulingOnControlPlanes;
    expect([both(false, true), both(true, false)]).toEqual([false, true]);
    expect(read({ allowSchedulingOnMasters: true }).cluster.allowSchedulingOnControlPlanes).toBe(true);
    expect(read({}).cluster.allowSchedulingOnControlPlanes).toBe(false);
  });

  it('durations with fractions and several units', () => {
    expect(read({}, { time: { bootTimeout: '1h0m1.5s' } }).machine.time.bootTimeoutUs).toBe(3_601_500_000);
    expect(read({ adminKubeconfig: { certLifetime: '1h30m' } }).cluster.adminCertLifetimeUs).toBe(5_400_000_000);
    expect(read({}).cluster.adminCertLifetimeUs).toBe(8_760 * 3_600_000_000);
  });

  it('the algorithm that sorts addresses is read in any case', () => {
    const sorted = (nodeAddressSortAlgorithm: string) =>
      read({}, { features: { nodeAddressSortAlgorithm } }).machine.features.sortAlgorithm;
    expect([sorted('V2'), sorted('v2'), sorted('v3')]).toEqual(['v2', 'v2', 'v1']);
  });

  it('a map of texts takes other scalars in their text form (resources of pods)', () => {
    expect({ ...textMapAt({ cpu: 2, exact: true, none: null }) }).toEqual({ cpu: '2', exact: 'true', none: '' });
  });
});

describe('explain', () => {
  const leaves: string[] = [];
  const seen = new Set<string>();
  readSettings(recorded(sampleOf({ kind: 'struct', struct: rootConfig }, [])) as ConfigObject, TALOS_V1_11_3);

  it('calls nothing acting that no machine reads', () => {
    expect(leaves.length).toBeGreaterThan(150);
    // Read where the links are known; and refused by validation.
    const elsewhere = /^machine\.network\.interfaces\.deviceSelector\.|^persist$/;
    const unread = leaves.filter((path) => !seen.has(path) && !elsewhere.test(path));
    expect(unread.filter((path) => effectOf(path.split('.')).effect === 'acts')).toEqual([]);
  });

  it('calls inert what is read only when it says why', () => {
    const inertButRead = leaves.filter((path) => seen.has(path) && effectOf(path.split('.')).effect === 'inert');
    expect(inertButRead.every((path) => effectOf(path.split('.')).prefix !== '')).toBe(true);
    expect(leaves.filter((path) => seen.has(path)).length).toBeGreaterThan(inertButRead.length * 2);
  });

  /** A value for every field of v1.11. */
  function sampleOf(type: Type, path: readonly string[]): ConfigValue {
    switch (type.kind) {
      case 'struct': {
        const fields = type.struct.fields.filter(({ name, since }) => (since ?? 0) <= MINOR && name !== 'name');
        const named = type.struct.fields.some(({ name }) => name === 'interface');
        const rest = fields.filter(({ name }) => !(named && name === 'interface'));
        return Object.fromEntries(rest.map(({ name, type: below }) => [name, sampleOf(below, [...path, name])]));
      }
      case 'list':
        return [sampleOf(type.element, path)];
      case 'map':
        return { [ANY]: sampleOf(type.value, path) };
      default:
        leaves.push(path.join('.'));
        return path.at(-1) === 'type' && path.includes('diskSelector') ? 'ssd' : path.at(-1) === 'size' ? '10GB' : 'v1';
    }
  }

  /** The same value, telling which paths are looked at. */
  function recorded(value: ConfigValue, path: readonly string[] = []): ConfigValue {
    if (typeof value !== 'object' || value === null) return value;
    return new Proxy(value as object, {
      get(target, key) {
        const held = Reflect.get(target, key) as ConfigValue;
        if (typeof key === 'symbol' || (Array.isArray(target) && !/^\d+$/.test(key))) return held;
        const below = Array.isArray(target) || key === ANY ? path : [...path, key];
        seen.add(below.join('.'));
        return recorded(held, below);
      },
    }) as unknown as ConfigValue;
  }
});
