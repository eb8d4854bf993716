import { transformController } from '../../../cosi/index.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { KUBESPAN, KubeSpanConfigs } from '../../resources/kubespan.ts';
import { fromActiveConfig } from '../active-config.ts';

/** Whether this machine takes part in the mesh, and how (reference/network-config.md C.9, reference/v1.11.3.md 10). */
export const kubeSpanConfigController = transformController({
  name: 'kubespan.ConfigController',
  input: MachineConfigs,
  output: KubeSpanConfigs,
  map: fromActiveConfig(KUBESPAN),
  compute: ({ spec }) => {
    const { machine, cluster } = spec.settings;
    const { kubeSpan } = machine.network;
    return {
      enabled: kubeSpan.enabled,
      clusterId: cluster.id,
      sharedSecret: cluster.secret,
      forceRouting: !kubeSpan.allowDownPeerBypass,
      advertiseKubernetesNetworks: kubeSpan.advertiseKubernetesNetworks,
      mtu: kubeSpan.mtuBytes,
      endpointFilters: kubeSpan.endpointFilters,
      harvestExtraEndpoints: kubeSpan.harvestExtraEndpoints,
      extraEndpoints: kubeSpan.extraEndpoints,
    };
  },
});
