import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { isControlPlane } from '../../config/settings.ts';
import type { Machine } from '../../machine.ts';
import { addressOf } from '../../net/addresses.ts';
import { Affiliates, DiscoveryConfigs, Identities } from '../../resources/cluster.ts';
import { MACHINE_TYPE, MachineTypes } from '../../resources/config.ts';
import { Nodenames } from '../../resources/k8s.ts';
import { ApiServerConfigs } from '../../resources/k8s-control-plane.ts';
import { HostnameStatuses, NodeAddresses } from '../../resources/network.ts';
import { fqdn } from '../network/hostname-spec.ts';

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
          controlPlane:
            isControlPlane(type.spec) && apiServer !== undefined ? { port: apiServer.spec.localPort } : null,
        });
      }
      context.cleanupOutputs(Affiliates);
      return undefined;
    },
  });
}
