import type { Controller } from '../../../cosi/index.ts';
import { passController, type Reader, shared, weak } from '../../../cosi/index.ts';
import { hostPort } from '../../../platform/net.ts';
import { isControlPlane } from '../../config/settings.ts';
import { KUBESPAN_PORT } from '../../kubespan/constants.ts';
import type { Machine } from '../../machine.ts';
import { addressOf, filterIps } from '../../net/addresses.ts';
import { type AffiliateSpec, Affiliates, DiscoveryConfigs, Identities } from '../../resources/cluster.ts';
import { MACHINE_TYPE, MachineTypes } from '../../resources/config.ts';
import { Nodenames } from '../../resources/k8s.ts';
import { ApiServerConfigs } from '../../resources/k8s-control-plane.ts';
import { KUBESPAN, KubeSpanConfigs, KubeSpanIdentities } from '../../resources/kubespan.ts';
import { HostnameStatuses, NodeAddresses } from '../../resources/network.ts';
import { fqdn } from '../network/hostname-spec.ts';
import { PublicAddresses } from './discovery-service.ts';

/** What this machine tells others of itself; a missing part leaves it as it was (reference/network-config.md C.4). */
export function localAffiliateController(machine: Machine): Controller {
  return passController({
    name: 'cluster.LocalAffiliateController',
    inputs: [
      weak(DiscoveryConfigs, 'cluster'),
      weak(Identities, 'local'),
      weak(HostnameStatuses, 'hostname'),
      weak(Nodenames, 'nodename'),
      weak(NodeAddresses, 'routed-no-k8s'),
      weak(NodeAddresses, 'current-no-k8s'),
      weak(MachineTypes, MACHINE_TYPE),
      weak(ApiServerConfigs, 'kube-apiserver'),
      weak(KubeSpanConfigs, KUBESPAN),
      weak(KubeSpanIdentities, 'local'),
      weak(PublicAddresses, 'service'),
      weak(NodeAddresses, 'current-only-k8s'),
    ],
    outputs: [shared(Affiliates)],
    pass: (context) => {
      const config = context.get(DiscoveryConfigs, 'cluster');
      const identity = context.get(Identities, 'local');
      const hostname = context.get(HostnameStatuses, 'hostname');
      const nodename = context.get(Nodenames, 'nodename');
      const routed = context.get(NodeAddresses, 'routed-no-k8s');
      const type = context.get(MachineTypes, MACHINE_TYPE);
      if (config === undefined || identity === undefined || hostname === undefined || nodename === undefined) {
        return undefined;
      }
      if (routed === undefined || type === undefined) return undefined;
      context.startTrackingOutputs();
      if (config.spec.discoveryEnabled) {
        const apiServer = context.get(ApiServerConfigs, 'kube-apiserver');
        context.set(Affiliates, identity.spec.nodeId, {
          nodeId: identity.spec.nodeId,
          addresses: [...new Set(routed.spec.addresses.map(addressOf))],
          hostname: fqdn(hostname.spec),
          nodename: nodename.spec.nodename,
          operatingSystem: `Talos (${machine.profile.version})`,
          machineType: type.spec,
          ...kubeSpanOf(context),
          controlPlane:
            isControlPlane(type.spec) && apiServer !== undefined ? { port: apiServer.spec.localPort } : null,
        });
      }
      context.cleanupOutputs(Affiliates);
      return undefined;
    },
  });
}

/** How others reach this machine through the mesh; nothing without KubeSpan. */
function kubeSpanOf(context: Reader): Pick<AffiliateSpec, 'kubespan'> {
  const config = context.get(KubeSpanConfigs, KUBESPAN)?.spec;
  const identity = context.get(KubeSpanIdentities, 'local')?.spec;
  if (config?.enabled !== true || identity === undefined) return {};
  const own = addressOf(identity.address);
  const current = addressesOf(context, 'current-no-k8s').filter((address) => address !== own);
  const seenAs = context.get(PublicAddresses, 'service')?.spec.address;
  const found = [...new Set([...current, ...(seenAs === undefined ? [] : [addressOf(seenAs)])])];
  const usable = config.endpointFilters.length === 0 ? found : filterIps(found, config.endpointFilters);
  const endpoints = usable.map((address) => hostPort({ address, port: KUBESPAN_PORT }));
  return {
    kubespan: {
      publicKey: identity.publicKey,
      address: own,
      additionalAddresses: config.advertiseKubernetesNetworks
        ? (context.get(NodeAddresses, 'current-only-k8s')?.spec.addresses ?? [])
        : [],
      endpoints: [...new Set([...endpoints, ...config.extraEndpoints])],
    },
  };
}

function addressesOf(context: Reader, id: string): readonly string[] {
  return (context.get(NodeAddresses, id)?.spec.addresses ?? []).map(addressOf);
}
