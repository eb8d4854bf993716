import { transformController } from '../../../cosi/index.ts';
import { decodeBase64 } from '../../../platform/base64.ts';
import { DiscoveryConfigs, Infos } from '../../resources/cluster.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { fromActiveConfig } from '../active-config.ts';

/** How this machine finds others (reference/network-config.md C.3, reference/v1.11.3.md 10). */
export const discoveryConfigController = transformController({
  name: 'cluster.ConfigController',
  input: MachineConfigs,
  output: DiscoveryConfigs,
  map: fromActiveConfig('cluster'),
  compute: ({ spec }) => {
    const { cluster } = spec.settings;
    const { enabled, kubernetesRegistry, serviceRegistry, endpoint } = cluster.discovery;
    return {
      discoveryEnabled: enabled,
      registryKubernetesEnabled: enabled && kubernetesRegistry,
      registryServiceEnabled: enabled && serviceRegistry,
      serviceEndpoint: hostAndPort(endpoint),
      serviceEndpointInsecure: endpoint.startsWith('http://'),
      serviceEncryptionKey: decodeBase64(cluster.secret) ?? new Uint8Array(),
      serviceClusterID: cluster.id,
    };
  },
});

/** `https://discovery.talos.dev/` → `discovery.talos.dev:443`; path and query do not matter. */
function hostAndPort(url: string): string {
  const authority = url.replace(/^[a-z]+:\/\//, '').replace(/[/?].*$/, '');
  if (/:[0-9]+$/.test(authority)) return authority;
  return `${authority}:${url.startsWith('http://') ? 80 : 443}`;
}

/** Which cluster this is. */
export const infoController = transformController({
  name: 'cluster.InfoController',
  input: MachineConfigs,
  output: Infos,
  map: fromActiveConfig('current'),
  compute: ({ spec }) => ({ clusterId: spec.settings.cluster.id, clusterName: spec.settings.cluster.name }),
});
