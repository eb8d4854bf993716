import { SKIP, transformController, weak } from '../../../cosi/index.ts';
import { nthAddress } from '../../net/addresses.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { KubeletConfigs, StaticPodServerStatuses } from '../../resources/k8s.ts';
import { fromActiveConfig } from '../active-config.ts';

/** The kubelet's part of the machine config (reference/controllers.md B.4.1). */
export const kubeletConfigController = transformController({
  name: 'k8s.KubeletConfigController',
  input: MachineConfigs,
  output: KubeletConfigs,
  extraInputs: [weak(StaticPodServerStatuses, 'static-pod-server-status')],
  map: fromActiveConfig('kubelet'),
  compute: ({ spec }, reader) => {
    const server = reader.get(StaticPodServerStatuses, 'static-pod-server-status');
    if (server === undefined) return SKIP;
    const { machine, cluster } = spec.settings;
    const { kubelet } = machine;
    const dns = cluster.serviceSubnets.map((subnet) => nthAddress(subnet, 10));
    return {
      image: kubelet.image,
      clusterDNS: kubelet.clusterDns.length > 0 ? kubelet.clusterDns : dns,
      clusterDomain: cluster.dnsDomain,
      extraArgs: kubelet.extraArgs,
      extraConfig: kubelet.extraConfig,
      cloudProviderExternal: cluster.externalCloudProvider,
      defaultRuntimeSeccompEnabled: kubelet.defaultRuntimeSeccomp,
      skipNodeRegistration: kubelet.skipNodeRegistration,
      staticPodListURL: server.spec.url,
      disableManifestsDirectory: kubelet.disableManifestsDirectory,
      enableFSQuotaMonitoring: machine.features.diskQuota,
      credentialProviderConfig: kubelet.credentialProviderConfig,
      allowSchedulingOnControlPlane: cluster.allowSchedulingOnControlPlanes,
    };
  },
});
