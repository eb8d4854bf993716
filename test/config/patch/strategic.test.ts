import { describe, expect, it } from 'vitest';
import { MAIN, patch, problem, V11, values } from './helpers.ts';

describe('strategic merge (reference/network-config.md E.10, F.5)', () => {
  it('appends lists without de-duplication, replaces subnets, ignores empty strings, overrides flags (F.5.1)', () => {
    const config = `
machine:
  type: worker
  certSANs: [node-a.lab]
  network: {hostname: ant, nameservers: [10.9.0.1]}
  install: {wipe: true}
cluster:
  network: {dnsDomain: lab.local, podSubnets: [10.61.0.0/16], serviceSubnets: [10.62.0.0/16]}
`;
    const change = `
machine:
  certSANs: [node-a.lab, 10.9.0.7]
  network: {hostname: "", nameservers: [10.9.0.2]}
  install: {wipe: false}
cluster:
  network: {podSubnets: [10.71.0.0/16]}
`;
    const expected = `
machine:
  type: worker
  certSANs: [node-a.lab, node-a.lab, 10.9.0.7]
  network: {hostname: ant, nameservers: [10.9.0.1, 10.9.0.2]}
  install: {wipe: false}
cluster:
  network: {dnsDomain: lab.local, podSubnets: [10.71.0.0/16], serviceSubnets: [10.62.0.0/16]}
`;
    expect(values(patch(config, change))).toEqual(values(expected));
  });

  it('an explicit empty list empties a replaced one and is no change to an appended one (E.10 slice rules)', () => {
    const config = 'machine: {certSANs: [a]}\ncluster: {network: {podSubnets: [10.0.0.0/16]}}\n';
    const change = 'machine: {certSANs: []}\ncluster: {network: {podSubnets: []}}\n';
    const result = patch(config, change);
    expect(values(result)).toEqual(values('machine: {certSANs: [a]}\ncluster: {network: {podSubnets: []}}\n'));
  });

  it('meets interfaces by name or selector and VLANs by id; others are appended at the end (F.5.2)', () => {
    const config = `
machine:
  network:
    interfaces:
      - interface: ens3
        addresses: [10.9.1.5/24]
        vlans:
          - {vlanId: 40, addresses: [10.40.0.5/24]}
      - {deviceSelector: {driver: e1000}, dhcp: true}
`;
    const change = `
machine:
  network:
    interfaces:
      - {interface: ens4, dhcp: true}
      - interface: ens3
        mtu: 9000
        addresses: [10.9.1.6/24]
        vlans:
          - {vlanId: 40, dhcp: false}
          - {vlanId: 41, dhcp: true}
      - {deviceSelector: {driver: e1000}, dhcp: false}
`;
    const expected = `
machine:
  network:
    interfaces:
      - interface: ens3
        addresses: [10.9.1.5/24, 10.9.1.6/24]
        mtu: 9000
        vlans:
          - {vlanId: 40, addresses: [10.40.0.5/24], dhcp: false}
          - {vlanId: 41, dhcp: true}
      - {deviceSelector: {driver: e1000}, dhcp: false}
      - {interface: ens4, dhcp: true}
`;
    expect(values(patch(config, change))).toEqual(values(expected));
  });

  it('never matches a selector that sets physical: two pointers are compared (E.10 quirk)', () => {
    const one = 'machine: {network: {interfaces: [{deviceSelector: {physical: true}, dhcp: true}]}}\n';
    const interfaces = values(patch(one, one))[0]!.value.machine;
    expect(interfaces).toMatchObject({ network: { interfaces: [{ dhcp: true }, { dhcp: true }] } });
  });

  it('an element that the patch itself added is met by its next elements (E.10 custom mergers)', () => {
    const change = `machine: {network: {interfaces: [{interface: a, mtu: 1400}, {interface: a, dhcp: true}]}}\n`;
    const expected = `machine: {network: {interfaces: [{interface: a, mtu: 1400, dhcp: true}]}}\n`;
    expect(values(patch('machine: {network: {}}\n', change))).toEqual(values(expected));
  });

  it('merges maps and free-form objects key by key (F.5.3)', () => {
    const config = `
machine:
  kubelet:
    extraConfig:
      maxPods: 80
      evictionHard: {memory.available: 200Mi}
      allowedUnsafeSysctls: [net.core.somaxconn]
  sysctls: {vm.swappiness: "1"}
  nodeLabels: {zone: east}
`;
    const change = `
machine:
  kubelet:
    extraConfig:
      maxPods: 120
      evictionHard: {nodefs.available: 5%}
      allowedUnsafeSysctls: [net.ipv4.ip_forward]
  sysctls: {vm.swappiness: "5", vm.max_map_count: "262144"}
  nodeLabels: {zone: ""}
`;
    const expected = `
machine:
  kubelet:
    extraConfig:
      maxPods: 120
      evictionHard: {memory.available: 200Mi, nodefs.available: 5%}
      allowedUnsafeSysctls: [net.core.somaxconn, net.ipv4.ip_forward]
  sysctls: {vm.swappiness: "5", vm.max_map_count: "262144"}
  nodeLabels: {zone: east}
`;
    expect(values(patch(config, change))).toEqual(values(expected));
  });

  it('refuses another type in a free-form object and names the way there (F.5.3; E.10 row map)', () => {
    const config = 'machine: {kubelet: {extraConfig: {maxPods: 80, nested: {a: [1]}}}}\n';
    expect(problem(config, 'machine: {kubelet: {extraConfig: {maxPods: "120"}}}\n')).toBe(
      'merge field v1alpha1.Config.MachineConfig: merge field v1alpha1.MachineConfig.MachineKubelet: ' +
        'merge field v1alpha1.KubeletConfig.KubeletExtraConfig: merge map key meta.Unstructured[maxPods]: ' +
        'merge type mismatch left int right string',
    );
    expect(problem(config, 'machine: {kubelet: {extraConfig: {nested: {a: {b: 1}}}}}\n')).toContain(
      'merge map key map[string]interface {}[a]: merge type mismatch left []interface {} right map[string]interface {}',
    );
  });

  it('zero numbers have no effect in free-form objects, false has (v1.11.3.md 11.5; E.10 rows string and bool)', () => {
    const config = 'machine: {kubelet: {extraConfig: {maxPods: 80, serializeImagePulls: true}}}\n';
    const change = 'machine: {kubelet: {extraConfig: {maxPods: 0, serializeImagePulls: false}}}\n';
    for (const minor of [V11, MAIN]) {
      expect(values(patch(config, change, minor), minor)[0]!.value.machine).toMatchObject({
        kubelet: { extraConfig: { maxPods: 80, serializeImagePulls: false } },
      });
    }
  });

  it('meets admission plugins by name and replaces the audit policy as a whole (F.5.4)', () => {
    const config = `
cluster:
  apiServer:
    admissionControl:
      - name: PodSecurity
        configuration:
          defaults: {enforce: baseline, warn: restricted}
          exemptions: {namespaces: [kube-system]}
    auditPolicy: {kind: Policy, rules: [{level: Metadata}]}
`;
    const change = `
cluster:
  apiServer:
    admissionControl:
      - name: PodSecurity
        configuration:
          defaults: {enforce: privileged}
          exemptions: {namespaces: [storage]}
    auditPolicy: {kind: Policy, rules: [{level: None}]}
`;
    const expected = `
cluster:
  apiServer:
    admissionControl:
      - name: PodSecurity
        configuration:
          defaults: {enforce: privileged, warn: restricted}
          exemptions: {namespaces: [kube-system, storage]}
    auditPolicy: {kind: Policy, rules: [{level: None}]}
`;
    expect(values(patch(config, change))).toEqual(values(expected));
  });

  it('legacy authorizers have no rule of their own and are appended (E.10 custom mergers)', () => {
    const config = 'cluster: {apiServer: {authorizationConfig: [{type: Node, name: a}]}}\n';
    const merged = values(patch(config, config))[0]!.value.cluster;
    expect(merged).toMatchObject({ apiServer: { authorizationConfig: [{ name: 'a' }, { name: 'a' }] } });
  });

  it('program arguments: an empty value has no effect up to v1.11 and replaces from v1.12 on (11.5; E.10 extraArgs)', () => {
    const config = 'machine: {kubelet: {extraArgs: {v: "2", feature-gates: A=true}}}\n';
    const change = 'machine: {kubelet: {extraArgs: {v: "", feature-gates: B=true}}}\n';
    const args = (minor: number) => values(patch(config, change, minor), minor)[0]!.value.machine;
    expect(args(V11)).toMatchObject({ kubelet: { extraArgs: { v: '2', 'feature-gates': 'B=true' } } });
    expect(args(MAIN)).toMatchObject({ kubelet: { extraArgs: { v: '', 'feature-gates': 'B=true' } } });
  });

  it('a list as argument value is replaced, not appended (F.5.3)', () => {
    const config = 'machine: {kubelet: {extraArgs: {feature-gates: [A=true]}}}\n';
    const change = 'machine: {kubelet: {extraArgs: {feature-gates: [B=true]}}}\n';
    expect(values(patch(config, change, MAIN), MAIN)[0]!.value.machine).toMatchObject({
      kubelet: { extraArgs: { 'feature-gates': ['B=true'] } },
    });
  });

  it('keeps the port and path of a URL that the patch does not mention (E.10 row struct: URLs are structs)', () => {
    const config = 'cluster: {controlPlane: {endpoint: "https://a:6443/x"}}\n';
    const merged = values(patch(config, 'cluster: {controlPlane: {endpoint: "https://b"}}\n'))[0]!.value.cluster;
    expect(merged).toEqual({ controlPlane: { endpoint: 'https://b/x' } });
  });

  it('a null in a patch is absent: nothing changes (E.10 row pointer)', () => {
    const config = 'machine: {type: worker, network: {hostname: a}}\n';
    const change = 'machine: {type: null, network: null}\ncluster: null\n';
    expect(values(patch(config, change))).toEqual(values(config));
  });
});
