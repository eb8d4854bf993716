import { describe, expect, it } from 'vitest';
import { MAIN, patch, problem, V11, values } from './helpers.ts';

const CONFIG = `
machine:
  network:
    interfaces:
      - {interface: ens3, dhcp: true}
      - {interface: ens4, dhcp: true}
  sysctls: {vm.swappiness: "1", kernel.panic: "5"}
  kubelet: {extraConfig: {evictionHard: {a: 1, b: 2}, list: [{name: x}]}}
---
apiVersion: v1alpha1
kind: WatchdogTimerConfig
device: /dev/watchdog0
---
apiVersion: v1alpha1
kind: ExtensionServiceConfig
name: x
configFiles:
  - {content: a, mountPath: /a}
environment: [A=B]
`;

const legacy = (text: string) => values(text)[0]!.value.machine;

describe('$patch: delete (reference/network-config.md E.10, F.5.6)', () => {
  it('removes a list element, a map key, a document', () => {
    const change = `
machine:
  network:
    interfaces:
      - interface: ens4
        $patch: delete
  sysctls:
    kernel.panic: {$patch: delete}
---
{apiVersion: v1alpha1, kind: WatchdogTimerConfig, $patch: delete}
`;
    const result = patch(CONFIG, change);
    expect(legacy(result)).toMatchObject({
      network: { interfaces: [{ interface: 'ens3' }] },
      sysctls: { 'vm.swappiness': '1' },
    });
    expect(values(result).map(({ kind }) => kind)).toEqual(['v1alpha1', 'ExtensionServiceConfig']);
  });

  it('removes a whole section and a key inside a free-form object', () => {
    const change =
      'machine: {network: {$patch: delete}, kubelet: {extraConfig: {evictionHard: {a: {$patch: delete}}}}}\n';
    expect(legacy(patch(CONFIG, change))).toEqual({
      certSANs: [],
      sysctls: { 'vm.swappiness': '1', 'kernel.panic': '5' },
      kubelet: { extraConfig: { evictionHard: { b: 2 }, list: [{ name: 'x' }] } },
    });
  });

  it('runs before the merge of the same document, for the legacy one before everything (E.10 "Processing")', () => {
    const change = `
{apiVersion: v1alpha1, kind: WatchdogTimerConfig, timeout: 5m}
---
machine:
  network:
    interfaces:
      - {interface: ens3, $patch: delete}
      - {interface: ens3, mtu: 1400}
`;
    expect(legacy(patch(CONFIG, change))).toMatchObject({
      network: {
        interfaces: [
          { interface: 'ens4', dhcp: true },
          { interface: 'ens3', mtu: 1400 },
        ],
      },
    });
  });

  it('removes only the first element that matches', () => {
    const config = 'machine: {disks: [{device: /dev/a}, {device: /dev/b}, {device: /dev/a, partitions: []}]}\n';
    const result = patch(config, 'machine: {disks: [{device: /dev/a, $patch: delete}]}\n');
    expect(legacy(result)).toMatchObject({ disks: [{ device: '/dev/b' }, { device: '/dev/a' }] });
  });

  it('reports an absent place (F.5.6 variations)', () => {
    const inside = (path: string) =>
      `patch delete: path '${path}' in document '/v1alpha1': failed to delete path '${path}': lookup failed`;
    expect(problem(CONFIG, 'machine: {sysctls: {kernel.sysrq: {$patch: delete}}}\n')).toBe(
      inside('machine.sysctls.kernel.sysrq'),
    );
    expect(problem('cluster: {}\n', 'machine: {network: {hostname: {$patch: delete}}}\n')).toBe(
      inside('machine.network.hostname'),
    );
    expect(problem(CONFIG, 'machine: {nothing: {$patch: delete}}\n')).toBe(inside('machine.nothing'));
    const named = '{apiVersion: v1alpha1, kind: ExtensionServiceConfig, name: x, nope: {$patch: delete}}\n';
    expect(problem(CONFIG, named)).toBe(
      "named patch delete: document v1alpha1/ExtensionServiceConfig: failed to delete path 'nope': lookup failed",
    );
    // Elements of free-form lists are no structs (E.10: only lists of structs).
    expect(problem(CONFIG, 'machine: {kubelet: {extraConfig: {list: [{name: x, $patch: delete}]}}}\n')).toContain(
      'lookup failed',
    );
  });

  it('an absent field of a present section is no error: it is set to zero all the same', () => {
    const config = 'machine: {network: {}}\n';
    expect(values(patch(config, 'machine: {network: {hostname: {$patch: delete}}}\n'))).toEqual(values(config));
  });

  it('refuses markers that make no sense (F.5.6 variations)', () => {
    expect(problem(CONFIG, 'machine: {network: {interfaces: [{interface: a, dhcp: {$patch: delete}}]}}\n')).toBe(
      "cannot delete an inner key in 'machine.network.interfaces.[0].dhcp'",
    );
    expect(problem(CONFIG, 'machine: {network: {interfaces: [{$patch: delete}]}}\n')).toBe(
      'no key:val found in sequence node for path machine.network.interfaces.[0]',
    );
    expect(problem(CONFIG, '$patch: delete\nmachine: {}\n')).toBe(
      'missing apiVersion in document for which $patch: delete is used',
    );
    expect(problem(CONFIG, 'kind: X\nbody: {$patch: delete}\n')).toBe(
      'kind and apiVersion must be both set for path body',
    );
    expect(problem(CONFIG, '$patch: delete\n', MAIN)).toBe(
      'error processing patch delete statements at line 1: missing apiVersion in document for which $patch: delete is used',
    );
  });

  it('a missing document: ignored from v1.12 on; up to v1.11 the selector itself lands in the config (11.5)', () => {
    const change = '{apiVersion: v1alpha1, kind: KmsgLogConfig, name: x, $patch: delete}\n';
    expect(values(patch(CONFIG, change, MAIN), MAIN)).toEqual(values(CONFIG, MAIN));
    expect(patch(CONFIG, change, V11)).toMatch(/---\n\{\}\n$/);
  });

  it('a document that had only deletes is merged as a bare header (E.10 quirks)', () => {
    const volume = `
apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning: {diskSelector: {match: disk.rotational}, minSize: 1GiB}
filesystem: {type: ext4}
`;
    const change = '{apiVersion: v1alpha1, kind: UserVolumeConfig, name: data, filesystem: {$patch: delete}}\n';
    expect(values(patch(volume, change))).toEqual([
      {
        kind: 'UserVolumeConfig',
        name: 'data',
        value: { apiVersion: 'v1alpha1', kind: 'UserVolumeConfig', name: 'data' },
      },
    ]);
    const absent = change.replace('name: data', 'name: other');
    expect(values(patch(volume, absent, MAIN), MAIN).map(({ name }) => name)).toEqual(['data', 'other']);
  });

  it('addresses of link documents can be named by their text (F.5.6, E.10 "Stringer used")', () => {
    const link =
      '{apiVersion: v1alpha1, kind: LinkConfig, name: dmz0, addresses: [{address: 10.8.0.2/24}, {address: 10.8.0.3/24}]}\n';
    const change =
      '{apiVersion: v1alpha1, kind: LinkConfig, name: dmz0, addresses: [{address: 10.8.0.3/24, $patch: delete}]}\n';
    expect(patch(link, change, MAIN)).toBe(
      'apiVersion: v1alpha1\nkind: LinkConfig\nname: dmz0\naddresses:\n    - address: 10.8.0.2/24\n',
    );
  });

  it('numbers cannot identify an element: they are compared as the text of their type (E.10)', () => {
    const config = 'machine: {network: {interfaces: [{interface: a, vlans: [{vlanId: 4}]}]}}\n';
    const change = 'machine: {network: {interfaces: [{interface: a, vlans: [{vlanId: 4, $patch: delete}]}]}}\n';
    expect(problem(config, change)).toContain("'machine.network.interfaces.[0].vlans.[0]'");
  });
});
