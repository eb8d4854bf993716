import { describe, expect, it } from 'vitest';
import { parseContract } from '../../../src/config/generate/contract.ts';
import { generateDocuments } from '../../../src/config/generate/generate.ts';
import { loadConfigSet } from '../../../src/config/patch/config-set.ts';
import type { ConfigObject } from '../../../src/config/schema/types.ts';
import { configText, inputFor, SECRETS } from './helpers.ts';

/** Lines of `right` that `left` lacks, and the other way round. */
function lineChanges(left: string, right: string): { added: string[]; removed: string[] } {
  const minus = (one: string, other: string): string[] => {
    const rest = other.split('\n');
    return one.split('\n').filter((line) => {
      const at = rest.indexOf(line);
      if (at >= 0) rest.splice(at, 1);
      return at < 0;
    });
  };
  return { added: minus(right, left), removed: minus(left, right) };
}

function legacy(contract: number, role: 'controlplane' | 'worker' = 'controlplane'): ConfigObject {
  return generateDocuments(inputFor(contract), role).documents[0]!.value;
}

function kinds(contract: number, role: 'controlplane' | 'worker', options = {}): string[] {
  return generateDocuments(inputFor(contract, options), role).documents.map((document) => document.kind);
}

describe('feature gates by contract (reference/network-config.md E.8)', () => {
  it('reads contracts', () => {
    expect(parseContract('v1.8')).toBe(8);
    expect(parseContract('v1.13.0-alpha.2')).toBe(13);
    expect(parseContract('1.8')).toEqual({ error: 'error parsing version "1.8"' });
    expect(parseContract('v0.14')).toHaveProperty('error');
  });

  it('v1.8 to v1.11 are the same text, v1.14 and v1.15 too', () => {
    for (const role of ['controlplane', 'worker'] as const) {
      for (const contract of [8, 9, 10]) expect(configText(contract, role)).toBe(configText(11, role));
      expect(configText(15, role)).toBe(configText(14, role));
    }
  });

  it('v1.12 drops the switches of old and the endpoint SAN, adds the UKI command line and HostnameConfig', () => {
    const { added, removed } = lineChanges(configText(11), configText(12));
    expect(removed.map((line) => line.trim())).toEqual([
      'rbac: true',
      'stableHostname: true',
      'apidCheckExtKeyUsage: true',
      'certSANs:',
      '- cp.lab',
      'disablePodSecurityPolicy: true',
    ]);
    expect(added.map((line) => line.trim())).toEqual([
      'grubUseUKICmdline: true',
      '---',
      'apiVersion: v1alpha1',
      'kind: HostnameConfig',
      'auto: stable',
    ]);
  });

  it('v1.13 only drops the empty network section', () => {
    expect(lineChanges(configText(12), configText(13))).toEqual({ added: [], removed: ['    network: {}'] });
    expect(lineChanges(configText(12, 'worker'), configText(13, 'worker')).removed).toEqual(['    network: {}']);
  });

  it('each older gate opens after its release', () => {
    const features = (contract: number) => Object.keys((legacy(contract).machine as ConfigObject).features as object);
    expect(features(1)).toEqual(['rbac']);
    expect(features(2)).toEqual(['rbac', 'stableHostname']);
    expect(features(3)).toEqual(['rbac', 'stableHostname', 'apidCheckExtKeyUsage']);
    expect(features(5)).toContain('diskQuotaSupport');
    expect(features(4)).not.toContain('diskQuotaSupport');
    expect(features(6)).toContain('kubePrism');
    expect(features(5)).not.toContain('kubePrism');
    expect(features(7)).toContain('hostDNS');
    expect(features(6)).not.toContain('hostDNS');
    expect(legacy(7).machine).toMatchObject({ features: { hostDNS: { enabled: true } } });
    expect(legacy(8).machine).toMatchObject({ features: { hostDNS: { enabled: true, forwardKubeDNSToHost: true } } });
    expect(legacy(7).machine).not.toHaveProperty('nodeLabels');
    expect(legacy(8).machine).toHaveProperty('nodeLabels');
    expect(legacy(7, 'worker').cluster).not.toHaveProperty('clusterName');
    expect(legacy(8, 'worker').cluster).toHaveProperty('clusterName');
    const apiServer = (contract: number) => (legacy(contract).cluster as ConfigObject).apiServer;
    expect(apiServer(0)).not.toHaveProperty('admissionControl');
    expect(apiServer(1)).toHaveProperty('admissionControl');
    expect(apiServer(2)).not.toHaveProperty('auditPolicy');
    expect(apiServer(3)).toHaveProperty('auditPolicy');
    expect(legacy(1).machine).not.toHaveProperty('kubelet.defaultRuntimeSeccompProfileEnabled');
    expect(legacy(2).machine).toHaveProperty('kubelet.defaultRuntimeSeccompProfileEnabled', true);
    expect(legacy(2).machine).not.toHaveProperty('kubelet.disableManifestsDirectory');
    expect(legacy(3).machine).toHaveProperty('kubelet.disableManifestsDirectory', true);
    for (const [contract, has] of [
      [1, false],
      [2, true],
      [3, false],
    ] as const) {
      const mirrors = (legacy(contract).machine as ConfigObject).registries;
      expect(mirrors !== undefined).toBe(has);
    }
  });

  it('names the switch for workloads on control planes by release', () => {
    expect(configText(1, 'controlplane', { allowSchedulingOnControlPlanes: true })).toContain(
      'allowSchedulingOnMasters: true',
    );
    expect(configText(2, 'controlplane', { allowSchedulingOnControlPlanes: true })).toContain(
      'allowSchedulingOnControlPlanes: true',
    );
  });

  it('v1.14 moves everything of Kubernetes to documents, in this order', () => {
    const shared = ['DiscoveryServiceConfig', 'DiscoveryIdentityConfig', 'ResolverConfig', 'VolumeConfig'];
    const rest = [
      'FilesystemTrimConfig',
      'SecurityProfileConfig',
      'HostnameConfig',
      'KubeClusterConfig',
      'KubeNodeConfig',
    ];
    const both = ['KubeletConfig', 'KubeNetworkConfig', 'KubeAPIServerCAConfig', 'KubePrismConfig'];
    const controlPlane = [
      ...['KubeAggregatorCAConfig', 'KubeAdmissionControlConfig', 'KubeAuditPolicyConfig', 'KubeAuthenticationConfig'],
      ...['KubeAuthorizerConfig', 'KubeAuthorizerConfig', 'KubeEtcdEncryptionConfig', 'KubeServiceAccountConfig'],
      ...['KubeAPIServerConfig', 'KubeControllerManagerConfig', 'KubeSchedulerConfig', 'KubeProxyConfig'],
      ...['KubeFlannelCNIConfig', 'KubeCoreDNSConfig'],
    ];
    expect(kinds(14, 'worker')).toEqual(['v1alpha1', ...shared, ...rest, ...both]);
    expect(kinds(14, 'controlplane')).toEqual(['v1alpha1', ...shared, ...rest, ...both, ...controlPlane]);
    expect(
      kinds(14, 'worker', { installDisk: '/dev/sda', sysctls: { a: 'b' }, kubeSpan: true, discovery: false }),
    ).toEqual(
      expect.arrayContaining(['UnattendedInstallConfig', 'SysctlConfig', 'KubeSpanConfig', 'DiscoveryIdentityConfig']),
    );
    expect(kinds(14, 'worker', { discovery: false })).not.toContain('DiscoveryServiceConfig');
    const custom = kinds(14, 'controlplane', { cni: { name: 'custom', urls: ['https://a.example'] } });
    expect(custom.slice(-3)).toEqual(['KubeProxyConfig', 'KubeExternalManifestConfig', 'KubeCoreDNSConfig']);
    expect(kinds(14, 'controlplane', { cni: { name: 'none' } }).slice(-2)).toEqual([
      'KubeProxyConfig',
      'KubeCoreDNSConfig',
    ]);
  });

  it('KubeSpan is a switch up to v1.12 and a document from v1.13 on', () => {
    const options = { kubeSpan: true };
    expect(configText(12, 'worker', options)).toContain('kubespan:\n            enabled: true');
    expect(kinds(12, 'worker', options)).not.toContain('KubeSpanConfig');
    expect(kinds(13, 'worker', options)).toContain('KubeSpanConfig');
  });

  it('an AES-CBC secret of an old bundle turns up as secretbox with key1 (quirk)', () => {
    const old = {
      ...SECRETS,
      secrets: { ...SECRETS.secrets, aescbcEncryptionSecret: 'b2xk', secretboxEncryptionSecret: '' },
    };
    const input = { ...inputFor(14), secrets: old };
    const document = generateDocuments(input, 'controlplane').documents.find(
      (one) => one.kind === 'KubeEtcdEncryptionConfig',
    );
    expect(document?.value).toMatchObject({
      config: {
        resources: [
          { resources: ['secrets'], providers: [{ secretbox: { keys: [{ name: 'key1', secret: 'b2xk' }] } }] },
        ],
      },
    });
  });

  it('an endpoint that is a bare IPv6 address makes IPv6 networks; within a URL it does not', () => {
    const networks = (endpoint: string) => {
      const set = generateDocuments({ ...inputFor(11), endpoint }, 'worker');
      return (set.documents[0]!.value.cluster as ConfigObject).network;
    };
    expect(networks('2001:db8::1')).toMatchObject({
      podSubnets: ['fc00:db8:10::/56'],
      serviceSubnets: ['fc00:db8:20::/112'],
    });
    for (const endpoint of ['https://10.0.0.1:6443', 'https://[2001:db8::1]:6443']) {
      expect(networks(endpoint)).toMatchObject({ podSubnets: ['10.244.0.0/16'], serviceSubnets: ['10.96.0.0/12'] });
    }
  });

  it('a worker gets no keys and a control plane all of them', () => {
    for (const contract of [8, 11, 13, 15]) {
      const worker = configText(contract, 'worker');
      const set = loadConfigSet(worker, { minor: Math.max(contract, 11) });
      expect(set.documents[0]!.value.machine).toMatchObject({ type: 'worker' });
      expect(worker).not.toMatch(/PRIVATE KEY|key: LS0t/);
      expect(configText(contract)).toMatch(/key: LS0t/);
    }
  });
});
