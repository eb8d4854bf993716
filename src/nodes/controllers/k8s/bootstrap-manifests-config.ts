import type { Controller } from '../../../cosi/index.ts';
import { ControllerError, transformController } from '../../../cosi/index.ts';
import { denied, mergeArguments, renderArguments } from '../../kube/arguments.ts';
import type { Machine } from '../../machine.ts';
import { nthAddress } from '../../net/addresses.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { BootstrapManifestsConfigs } from '../../resources/k8s-control-plane.ts';
import { fromControlPlaneConfig } from '../active-config.ts';

/** What the bootstrap manifests are made from (reference/controllers.md B.3.1). */
export function bootstrapManifestsConfigController(machine: Machine): Controller {
  return transformController({
    name: 'k8s.ControlPlaneBootstrapManifestsController',
    input: MachineConfigs,
    output: BootstrapManifestsConfigs,
    map: fromControlPlaneConfig('manifests'),
    compute: ({ spec }) => {
      const { cluster, machine: settings } = spec.settings;
      const { kubePrism } = settings.features;
      if (cluster.serviceSubnets.length === 0) throw new ControllerError('no service subnets');
      const dns = cluster.serviceSubnets.map((subnet) => nthAddress(subnet, 10));
      const proxy = {
        'cluster-cidr': cluster.podSubnets.join(','),
        'conntrack-max-per-core': '0',
        'hostname-override': '$(NODE_NAME)',
        kubeconfig: '/etc/kubernetes/kubeconfig',
        'proxy-mode': cluster.proxy.mode,
      };
      return {
        server: kubePrism.enabled ? `https://127.0.0.1:${kubePrism.port}` : cluster.endpoint.url,
        clusterDomain: cluster.dnsDomain,
        podCIDRs: cluster.podSubnets,
        proxyEnabled: !cluster.proxy.disabled,
        proxyImage: cluster.proxy.image,
        proxyArgs: renderArguments(mergeArguments(proxy, cluster.proxy.extraArgs, denied('kubeconfig'))),
        coreDNSEnabled: !cluster.coreDns.disabled,
        coreDNSImage: cluster.coreDns.image,
        dnsServiceIP: dns.find((address) => !address.includes(':')) ?? '',
        dnsServiceIPv6: dns.find((address) => address.includes(':')) ?? '',
        flannelEnabled: cluster.cni.name === 'flannel',
        flannelImage: machine.profile.images.flannel,
        flannelExtraArgs: cluster.cni.flannelExtraArgs,
        flannelKubeServiceHost: kubePrism.enabled ? '127.0.0.1' : '',
        flannelKubeServicePort: kubePrism.enabled ? String(kubePrism.port) : '',
        podSecurityPolicyEnabled: cluster.apiServer.podSecurityPolicy,
      };
    },
  });
}
