import type { Controller } from '../../../cosi/index.ts';
import { passController, strong, weak } from '../../../cosi/index.ts';
import type { MachineNet } from '../../../platform/net.ts';
import { addressOf, isIpv6 } from '../../net/addresses.ts';
import { type AddressSpecSpec, AddressSpecs, LinkStatuses } from '../../resources/network.ts';

const NAME = 'network.AddressSpecController';

/**
 * Puts addresses on links and takes them away. Directly after it really added one that is to be announced it sends
 * exactly one gratuitous ARP (reference/network-config.md A.4).
 */
export function addressSpecController(net: MachineNet): Controller {
  return passController({
    name: NAME,
    inputs: [strong(AddressSpecs), weak(LinkStatuses)],
    outputs: [],
    pass: (context) => {
      for (const { metadata, spec } of context.list(AddressSpecs)) {
        if (metadata.phase === 'tearingDown') {
          if (present(net, spec)) net.removeAddress(spec.linkName, spec.address);
          context.removeFinalizer(AddressSpecs, metadata.id, NAME);
          continue;
        }
        context.addFinalizer(AddressSpecs, metadata.id, NAME);
        add(net, spec);
      }
      return undefined;
    },
  });
}

function add(net: MachineNet, spec: AddressSpecSpec): void {
  if (!net.links().some((link) => link.name === spec.linkName) || present(net, spec)) return;
  net.addAddress(spec.linkName, spec.address);
  const address = addressOf(spec.address);
  if (spec.announceWithARP && !isIpv6(address)) net.announce(spec.linkName, address);
}

function present(net: MachineNet, spec: AddressSpecSpec): boolean {
  const link = net.links().find((candidate) => candidate.name === spec.linkName);
  return link?.addresses.includes(spec.address) === true;
}
