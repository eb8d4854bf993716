import type { Controller } from '../../../cosi/index.ts';
import type { LinkInfo, MachineNet } from '../../../platform/net.ts';
import { LinkStatuses, type LinkStatusSpec } from '../../resources/network.ts';
import { kernelController } from './kernel-status.ts';

/** Shows the kernel's links. */
export function linkStatusController(net: MachineNet): Controller {
  return kernelController('network.LinkStatusController', LinkStatuses, net, (context) => {
    net.links().forEach((link, index) => {
      context.set(LinkStatuses, link.name, statusOf(link, index + 1));
    });
  });
}

function statusOf(link: LinkInfo, index: number): LinkStatusSpec {
  return {
    index,
    type: link.kind === undefined ? (link.name === 'lo' ? 'loopback' : 'ether') : 'none',
    kind: link.kind ?? '',
    hardwareAddr: link.mac,
    operationalState: link.name === 'lo' || link.kind !== undefined ? 'unknown' : link.up ? 'up' : 'down',
    linkState: link.up,
    mtu: link.mtuBytes,
    physical: link.physical,
  };
}
