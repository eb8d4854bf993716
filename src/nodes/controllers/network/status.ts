import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { HostnameStatuses, NetworkStatuses, NodeAddresses, RouteStatuses } from '../../resources/network.ts';
import { EtcFileStatuses } from '../../resources/runtime.ts';

const DEFAULT_ROUTES: readonly string[] = Object.freeze(['0.0.0.0/0', '::/0']);

/** Which parts of the network are ready (reference/network-config.md D.9). */
export const networkStatusController: Controller = passController({
  name: 'network.StatusController',
  inputs: [
    weak(NodeAddresses, 'current'),
    weak(RouteStatuses),
    weak(HostnameStatuses, 'hostname'),
    weak(EtcFileStatuses),
  ],
  outputs: [exclusive(NetworkStatuses)],
  pass: (context) => {
    const addresses = context.get(NodeAddresses, 'current')?.spec.addresses ?? [];
    context.set(NetworkStatuses, 'status', {
      addressReady: addresses.length > 0,
      connectivityReady: context.list(RouteStatuses).some(({ spec }) => DEFAULT_ROUTES.includes(spec.dst)),
      hostnameReady: context.get(HostnameStatuses, 'hostname') !== undefined,
      etcFilesReady:
        context.get(EtcFileStatuses, 'hosts') !== undefined &&
        context.get(EtcFileStatuses, 'resolv.conf') !== undefined,
    });
    return undefined;
  },
});
