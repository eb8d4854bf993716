import { describe, expect, it } from 'vitest';
import { loadConfigSet } from '../../../src/config/patch/config-set.ts';
import { generateFromTalconfig, type TalhelperRequest } from '../../../src/config/talhelper/generate.ts';
import { schematicId } from '../../../src/config/talhelper/schematic.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';
import { NOW_SEC, SECRETS } from '../generate/helpers.ts';

const HEAD = `
clusterName: home
talosVersion: v1.11.3
kubernetesVersion: v1.33.4
endpoint: https://10.0.0.5:6443
`;

function generate(text: string, options: Partial<TalhelperRequest> = {}, files: Record<string, string> = {}) {
  return generateFromTalconfig({
    text,
    file: 'talconfig.yaml',
    readText: (path) => files[path],
    crypto: createSimCrypto('talhelper'),
    nowSec: NOW_SEC,
    secrets: SECRETS,
    ...options,
  });
}

/** Documents of the first node. */
function first(text: string, options: Partial<TalhelperRequest> = {}, files: Record<string, string> = {}) {
  const result = generate(text, options, files);
  expect(result.errors).toEqual([]);
  return loadConfigSet(result.nodes[0]!.text, { minor: 15 }).documents;
}

describe('talconfig.yaml', () => {
  it('names one config per node, and control planes as endpoints', () => {
    const result = generate(`${HEAD}
nodes:
  - {hostname: a, ipAddress: "10.0.0.1, fd00::1", controlPlane: true, installDisk: /dev/sda}
  - {hostname: b, ipAddress: 10.0.0.2, installDisk: /dev/sdb}
`);
    expect(result.nodes.map(({ fileName, role, addresses }) => [fileName, role, addresses])).toEqual([
      ['home-a.yaml', 'controlplane', ['10.0.0.1', 'fd00::1']],
      ['home-b.yaml', 'worker', ['10.0.0.2']],
    ]);
    expect(result.talosconfig).toContain('endpoints:\n            - 10.0.0.1\n            - fd00::1\n');
    expect(result.nodes[1]!.text).not.toContain('PRIVATE');
  });

  it('puts cluster settings into the generated config', () => {
    const [legacy] = first(`${HEAD}
domain: k.home
additionalApiServerCertSans: [api.home]
additionalMachineCertSans: [m.home]
clusterPodNets: [10.69.0.0/16]
clusterSvcNets: [10.96.0.0/16]
cniConfig: {name: none}
allowSchedulingOnControlPlanes: true
nodes: [{hostname: a, ipAddress: 10.0.0.1, controlPlane: true, certSANs: [own.home]}]
`);
    expect(legacy!.value).toMatchObject({
      machine: {
        type: 'controlplane',
        certSANs: ['m.home', 'own.home'],
        network: { hostname: 'a' },
        kubelet: { image: 'ghcr.io/siderolabs/kubelet:v1.33.4' },
        install: { image: 'ghcr.io/siderolabs/installer:v1.11.3' },
      },
      cluster: {
        clusterName: 'home',
        network: {
          dnsDomain: 'k.home',
          podSubnets: ['10.69.0.0/16'],
          serviceSubnets: ['10.96.0.0/16'],
          cni: { name: 'none' },
        },
        apiServer: { certSANs: ['10.0.0.5', 'api.home'] },
        allowSchedulingOnControlPlanes: true,
      },
    });
  });

  it('a node has the settings of its group; its own win, lists of patches join', () => {
    const text = `${HEAD}
patches: ["machine: {sysctls: {a: all, b: all, c: all}}"]
worker:
  schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/gvisor]}}}
  nodeLabels: {zone: group}
  patches: ["machine: {sysctls: {b: group, c: group}}"]
nodes:
  - hostname: a
    ipAddress: 10.0.0.1
    installDisk: /dev/vda
    patches: ["machine: {sysctls: {c: node}}"]
    networkInterfaces: [{interface: ens3, dhcp: true}]
    nameservers: [10.0.0.53]
  - hostname: b
    ipAddress: 10.0.0.2
    overridePatches: true
    nodeLabels: {zone: own}
    patches: ["machine: {sysctls: {c: node}}"]
`;
    const { nodes } = generate(text);
    const machines = nodes.map((node) => loadConfigSet(node.text, { minor: 11 }).documents[0]!.value.machine);
    expect(machines[0]).toMatchObject({
      nodeLabels: { zone: 'group' },
      sysctls: { a: 'all', b: 'group', c: 'node' },
      install: {
        disk: '/dev/vda',
        image: expect.stringMatching(/^factory\.talos\.dev\/installer\/[0-9a-f]{64}:v1\.11\.3$/),
      },
      network: { hostname: 'a', interfaces: [{ interface: 'ens3', dhcp: true }], nameservers: ['10.0.0.53'] },
    });
    expect(machines[1]).toMatchObject({ nodeLabels: { zone: 'own' }, sysctls: { a: 'all', b: 'all', c: 'node' } });
  });

  it('the host name is a document from v1.12 on', () => {
    const text = (version: string, more = '') =>
      `${HEAD.replace('v1.11.3', version)}nodes: [{hostname: a, ipAddress: 10.0.0.1${more}}]\n`;
    const host = (documents: ReturnType<typeof first>) => documents.find((one) => one.kind === 'HostnameConfig')?.value;
    expect(host(first(text('v1.11.3')))).toBeUndefined();
    expect(host(first(text('1.12.0')))).toMatchObject({ auto: 'off', hostname: 'a' });
    expect(first(text('1.12.0'))[0]!.value.machine).not.toHaveProperty('network.hostname');
    expect(host(first(text('v1.12.0', ', ignoreHostname: true')))).toMatchObject({ auto: 'stable' });
    expect(first(text('v1.11.3', ', ignoreHostname: true'))[0]!.value.machine).not.toHaveProperty('network.hostname');
  });

  it('firewall, volumes and extension services become documents', () => {
    const documents = first(`${HEAD}
nodes:
  - hostname: a
    ipAddress: 10.0.0.1
    ingressFirewall:
      defaultAction: block
      rules: [{name: api, portSelector: {ports: [50000], protocol: tcp}, ingress: [{subnet: 10.0.0.0/8}]}]
    userVolumes: [{name: data, provisioning: {diskSelector: {match: "true"}, minSize: 1GiB}}]
    extensionServices: [{name: nut, environment: [A=B]}]
`);
    expect(documents.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
      'v1alpha1/',
      'NetworkDefaultActionConfig/',
      'NetworkRuleConfig/api',
      'ExtensionServiceConfig/nut',
      'UserVolumeConfig/data',
    ]);
  });

  it('reads patches and manifests from files', () => {
    const text = `${HEAD}
patches: ["@p.yaml", "@ops.yaml"]
nodes: [{hostname: a, ipAddress: 10.0.0.1, extraManifests: [m.yaml]}]
`;
    const files = {
      'p.yaml': `machine: {sysctls: {a: "\${A}"}}\n`,
      'ops.yaml': '- {op: add, path: /machine/sysctls/b, value: "2"}\n',
      'm.yaml': 'apiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\n',
    };
    const documents = first(text, { env: { A: 'filled' } }, files);
    expect(documents[0]!.value.machine).toMatchObject({ sysctls: { a: 'filled', b: '2' } });
    expect(documents[1]!.kind).toBe('WatchdogTimerConfig');
  });
});

describe('problems of a talconfig.yaml', () => {
  const messages = (text: string, options: Partial<TalhelperRequest> = {}, files: Record<string, string> = {}) =>
    generate(text, options, files).errors.map((error) => error.message);

  it('refuses placeholders by name unless the environment has them', () => {
    const text = `${HEAD}nodes: [{hostname: "\${NAME}", ipAddress: 10.0.0.1}]\n`;
    const { errors, nodes } = generate(text);
    expect(nodes).toEqual([]);
    expect(errors).toEqual([
      expect.objectContaining({ file: 'talconfig.yaml', line: 6, message: expect.stringContaining('NAME') }),
    ]);
    expect(generate(text, { env: { NAME: 'x' } }).nodes[0]!.hostname).toBe('x');
    expect(messages(text, { env: { OTHER: 'x' } })).toHaveLength(1);
  });

  it('says what is missing', () => {
    expect(messages('talosVersion: v1.11.3\n')).toEqual([
      'clusterName is required',
      'endpoint is required',
      'at least one node is required',
    ]);
    expect(messages(`${HEAD}nodes: [{ipAddress: 10.0.0.1}]\n`)).toEqual(['nodes[0]: hostname is required']);
    expect(messages('')).toEqual(['the file is empty']);
    expect(messages(`${HEAD.replace('v1.11.3', 'latest')}nodes: [{hostname: a}]\n`)).toEqual([
      'error parsing version "vlatest"',
    ]);
  });

  it('refuses a file that does not exist, or leaves it out with a warning', () => {
    const text = `${HEAD}patches: ["@p.yaml"]\nnodes: [{hostname: a, ipAddress: 10.0.0.1}, {hostname: b, ipAddress: 10.0.0.2}]\n`;
    expect(messages(text)).toEqual([
      'node a: open p.yaml: no such file or directory',
      'node b: open p.yaml: no such file or directory',
    ]);
    const skipped = generate(text, { missingFiles: 'skip' });
    expect(skipped.nodes).toHaveLength(2);
    expect(skipped.warnings.map((warning) => warning.message)).toEqual(['p.yaml does not exist and is left out']);
  });

  it('names the node whose patch is bad, and keys it does not know', () => {
    expect(messages(`${HEAD}nodes: [{hostname: a, patches: ["machine: {bogus: 1}"]}]\n`)[0]).toMatch(
      /^node a: .*unknown keys/s,
    );
    const result = generate(`${HEAD}nodes: [{hostname: a, colour: red}]\n`);
    expect(result.warnings).toEqual([expect.objectContaining({ path: 'nodes[0].colour', line: 6 })]);
    expect(result.errors).toEqual([]);
  });

  it('refuses values of another type with their place', () => {
    const { errors } = generate(`${HEAD}nodes: [{hostname: a, networkInterfaces: {a: b}}]\n`);
    expect(errors[0]).toMatchObject({ file: 'talconfig.yaml', line: 6 });
  });
});

it('the empty schematic has the id of the plain images (reference/lifecycle-api-cli.md F.2)', () => {
  expect(schematicId({}, 11)).toBe('376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba');
});
