import { type Controller, type ControllerContext, shared } from '../../../cosi/index.ts';
import type { MachineNet } from '../../../platform/net.ts';
import { addressOf, isIpv6, isUsable } from '../../net/addresses.ts';
import { AddressStatuses } from '../../resources/network.ts';
import { kernelController } from './kernel-status.ts';

/** Shows the kernel's addresses. */
export function addressStatusController(net: MachineNet): Controller {
  const write = (context: ControllerContext): void => {
    for (const link of net.links()) {
      for (const address of link.addresses) {
        const ip = addressOf(address);
        context.set(AddressStatuses, `${link.name}/${address}`, {
          address,
          linkName: link.name,
          family: isIpv6(ip) ? 'inet6' : 'inet4',
          scope: isUsable(ip) ? 'global' : link.name === 'lo' ? 'host' : 'link',
        });
      }
    }
  };
  // The discovery service controller has one of its own, in another namespace.
  return kernelController('network.AddressStatusController', AddressStatuses, net, write, shared);
}
