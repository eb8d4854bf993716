/** `talosim try`: how far a config gets, and why no further. Secrets and clocks are those of the configs themselves. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { generateDocuments } from '../../../src/config/generate/generate.ts';
import { TOOL_V1_11_3 } from '../../../src/config/generate/tool-release.ts';
import { applyPatchesToSet } from '../../../src/config/patch/apply.ts';
import { printConfigSet } from '../../../src/config/patch/config-set.ts';
import { parsePatch } from '../../../src/config/patch/load.ts';
import { finished } from '../../../src/lab/engine/slices.ts';
import { OPERATOR_TOOLS } from '../../../src/lab/tools/registry.ts';
import { namedDisk } from '../../../src/lab/try/disk.ts';
import { tryReport } from '../../../src/lab/try/report.ts';
import { triedConfig } from '../../../src/lab/try/tried-config.ts';
import { type TryOptions, tryConfigs } from '../../../src/lab/try/try.ts';
import { PROGRAMS } from '../../../src/world/program-set.ts';
import { inputFor } from '../../config/generate/helpers.ts';

const MINOR = 11;

/** Text of a generated config with a patch. */
function generated(role: 'controlplane' | 'worker', patch = ''): string {
  const options = { installDisk: '/dev/sda', installImage: TOOL_V1_11_3.installImage };
  const set = generateDocuments(inputFor(MINOR, options), role);
  const patches = patch === '' ? [] : [parsePatch(patch, { minor: MINOR })];
  return printConfigSet(applyPatchesToSet(set, patches, { minor: MINOR }), MINOR);
}

function attempt(texts: readonly string[], options: Partial<TryOptions> = {}) {
  const taken = new Set<string>();
  const configs = texts.map((text) => {
    const loaded = loadConfig(text);
    if ('errors' in loaded) throw new Error(loaded.toolError);
    const tried = triedConfig(loaded.config, taken)!;
    taken.add(tried.name);
    return tried;
  });
  return finished(tryConfigs(configs, { seed: 1, ...options }, { programs: PROGRAMS, tools: OPERATOR_TOOLS }));
}

const STATIC = `
machine:
  install: {disk: /dev/nvme0n1}
  network:
    hostname: Alpha
    interfaces:
      - deviceSelector: {hardwareAddr: "aa:bb:*"}
        addresses: [192.168.7.20/24]
        routes: [{gateway: 192.168.7.254}]
        vip: {ip: 192.168.7.5}
cluster: {controlPlane: {endpoint: "https://192.168.7.5:6443"}}
`;

describe('a control plane and its worker', () => {
  it('get Ready together, at their own addresses, on disks like they ask for', () => {
    const lines: string[] = [];
    const worker = 'cluster: {controlPlane: {endpoint: "https://192.168.7.5:6443"}}';
    const result = attempt([generated('controlplane', STATIC), generated('worker', worker)], {
      onLine: (_timeUs, text) => lines.push(text),
    });
    expect(result.complete).toBe(true);
    expect(result.machines).toMatchObject([
      { name: 'alpha', type: 'controlplane', address: '192.168.7.20', stage: 'ready', reasons: [], notes: [] },
      { name: 'worker-1', type: 'worker', address: '192.168.7.10', stage: 'ready', reasons: [] },
    ]);
    expect(result.machines[1]!.notes[0]).toBe('DHCP gives it 192.168.7.10: the config speaks of 192.168.7.5/24');
    expect(lines).toContain('alpha: Talos is installed on /dev/nvme0n1');
    expect(lines).toContain('alpha takes the virtual address 192.168.7.5');
    expect(tryReport(result)).toMatch(
      /^\nconfig\.yaml: controlplane alpha, 192\.168\.7\.20\n {2}gets as far as: its Node is Ready\n/,
    );
  });
});

describe('an endpoint that is a name', () => {
  it('leads to the control planes that say it, whatever name servers the configs have', () => {
    const named = 'cluster: {controlPlane: {endpoint: "https://api.home.example:6443"}}';
    const alone = `
machine:
  features: {kubePrism: {enabled: false}}
  network: {nameservers: [192.168.7.254]}
${named}`;
    const result = attempt([generated('controlplane', named), generated('worker', alone)]);
    const [note] = result.machines[1]!.notes.slice(-1);
    expect(note).toBe(`the name api.home.example leads to its control planes: ${result.machines[0]!.address}`);
    expect(result.machines.map(({ stage, reasons }) => [stage, reasons])).toEqual([
      ['ready', []],
      ['ready', []],
    ]);
  });
});

describe('what stops a config', () => {
  const base = { cluster: 'cluster: {controlPlane: {endpoint: "https://10.3.0.9:6443"}}' };

  it('a worker without a control plane', () => {
    const [machine] = attempt([generated('worker', base.cluster)]).machines;
    expect(machine!.stage).toBe('kubelet');
    expect(machine!.reasons[0]).toContain('a worker without a control plane: nobody at https://10.3.0.9:6443');
    expect(machine!.reasons).toContain('service apid is Waiting: Waiting for api certificates');
  });

  it('no such disk', () => {
    const [machine] = attempt([generated('worker', base.cluster)], { disks: [namedDisk('/dev/vda', 20)] }).machines;
    expect(machine).toMatchObject({ stage: 'accepted' });
    expect(machine!.reasons[0]).toContain('stat /dev/sda: no such file or directory');
  });

  it('a disk that is too small', () => {
    const [machine] = attempt([generated('worker', base.cluster)], { disks: [namedDisk('/dev/sda', 1)] }).machines;
    expect(machine!.reasons[0]).toContain('disk /dev/sda is too small');
  });

  it('a selector that no disk here can fit', () => {
    const patch = `machine: {install: {diskSelector: {busPath: "/pci*"}}}\n${base.cluster}`;
    const [machine] = attempt([generated('worker', patch)]).machines;
    expect(machine).toMatchObject({ stage: 'maintenance' });
    expect(machine!.reasons.join('\n')).toContain('no disks matched the expression: disk.transport != ""');
  });

  it('an image that nobody has', () => {
    const patch = `machine: {install: {image: "registry.lan/installer:v1"}}\n${base.cluster}`;
    const [machine] = attempt([generated('worker', patch)]).machines;
    expect(machine!.stage).toBe('accepted');
    expect(machine!.reasons[0]).toMatch(/failed to pull image "registry\.lan\/installer:v1".*not found/);
  });

  it('Kubernetes of another age', () => {
    const patch = `machine: {kubelet: {image: "ghcr.io/siderolabs/kubelet:v1.27.0"}}\n${base.cluster}`;
    const [machine] = attempt([generated('worker', patch)]).machines;
    expect(machine).toMatchObject({ stage: 'maintenance' });
    expect(machine!.reasons.join('\n')).toContain(
      'version of Kubernetes 1.27.0 is too old to be used with Talos 1.11.3',
    );
  });

  it('an authority that cannot be read', () => {
    const patch = `machine: {ca: {crt: "bm8gUEVN", key: "bm8gUEVN"}}\n${base.cluster}`;
    const [machine] = attempt([generated('controlplane', patch)]).machines;
    expect(machine!.reasons[0]).toMatch(/^machine\.ca cannot be used: /);
    expect(machine!.stage).not.toBe('ready');
  });

  it("no network plugin, and an endpoint that is nobody's; what has no model is noted", () => {
    const patch = `
machine:
  network:
    interfaces:
      - interface: bond0
        bond: {interfaces: [eth0, eth1], mode: 802.3ad}
        addresses: [10.3.0.7/24]
        routes: [{gateway: 10.3.0.1}]
      - deviceSelector: {driver: e1000e}
        vlans: [{vlanId: 4}]
cluster: {network: {cni: {name: none}}, controlPlane: {endpoint: "https://10.3.0.9:6443"}}
`;
    const [machine] = attempt([generated('controlplane', patch)]).machines;
    expect(machine).toMatchObject({ stage: 'registered', address: '10.3.0.7' });
    expect(machine!.reasons).toEqual([
      'cluster.network.cni.name is none: Talos installs no network plugin, so that the Node stays NotReady',
      "the endpoint https://10.3.0.9:6443 is nobody's: no machine here has that address, and no shared address (vip) is it",
    ]);
    expect(machine!.notes).toEqual([
      'bond0 is one card here: a bond has no model',
      'deviceSelector.driver matches nothing: the simulated kernel shows no driver of a card',
      'the VLANs of the selected link have no model',
    ]);
  });
});
