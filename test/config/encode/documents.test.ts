/** What the printer writes for side documents of later releases (reference/network-config.md E.4, E.11). */
import { expect, test } from 'vitest';
import { loadConfigSet, printConfigSet } from '../../../src/config/patch/config-set.ts';

function printed(kind: string, fields: Record<string, unknown> = {}): string {
  const text = JSON.stringify({ apiVersion: 'v1alpha1', kind, ...fields });
  const [, , ...lines] = printConfigSet(loadConfigSet(text, { minor: 14 }), 14)
    .trimEnd()
    .split('\n');
  return lines.join('\n');
}

test.each([
  ['KubeSchedulerConfig', {}, 'image: ""\nconfig: {}'],
  ['KubeProxyConfig', { resources: {} }, 'config: {}'],
  ['KubeAPIServerConfig', { startupProbes: false, apiPort: 0 }, 'image: ""\napiPort: 0\nstartupProbes: false'],
  ['KubeNetworkConfig', {}, 'dnsDomain: ""\npodSubnets: []\nserviceSubnets: []'],
  ['KubeServiceAccountConfig', { accepted: {} }, 'issuer:\n    privateKey: ""\n    issuerURL: ""'],
  [
    'KubeExternalManifestConfig',
    { name: 'a', url: 'https://b', headers: { c: 'd' } },
    'name: a\nheaders:\n    c: d\nurl: https://b',
  ],
  ['BridgeConfig', { name: 'a', stp: {}, vlan: { filtering: false } }, 'name: a\nvlan:\n    filtering: false'],
  ['VRFConfig', { name: 'a', table: 254 }, 'name: a\ntable: main'],
  ['RoutingRuleConfig', { name: '7', table: 100, action: 'unspec' }, 'name: "7"\ntable: "100"'],
  ['VLANConfig', { name: 'a' }, 'name: a'],
  [
    'ResolverConfig',
    { nameservers: [{ address: '1.1.1.1', protocol: 'Do53' }] },
    'nameservers:\n    - address: 1.1.1.1',
  ],
  ['UnattendedInstallConfig', {}, 'installer: {}\nprovisioning: {}'],
  ['EtcFileConfig', { name: 'a', mode: 0o600 }, 'name: a\nmode: 0o600\ncontents: ""'],
  ['ImageCacheConfig', {}, 'local: {}'],
  ['LVMLogicalVolumeConfig', { name: 'a' }, 'name: a\ntype: linear\nprovisioning:\n    volumeGroup: ""'],
  ['BGPInstanceConfig', { name: 'a', neighbors: [{ passive: false }] }, 'name: a\nlocalASN: 0\nneighbors:\n    - {}'],
])('%s %j', (kind, fields, text) => {
  expect(printed(kind, fields)).toBe(text);
});
