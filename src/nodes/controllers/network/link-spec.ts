import type { Controller } from '../../../cosi/index.ts';
import { passController, weak } from '../../../cosi/index.ts';
import type { MachineNet } from '../../../platform/net.ts';
import { LinkSpecs, LinkStatuses } from '../../resources/network.ts';

/** Brings links into the wanted state. */
export function linkSpecController(net: MachineNet): Controller {
  return passController({
    name: 'network.LinkSpecController',
    inputs: [weak(LinkSpecs), weak(LinkStatuses)],
    outputs: [],
    pass: (context) => {
      const links = net.links();
      for (const { spec } of context.list(LinkSpecs)) {
        const link = links.find((candidate) => candidate.name === spec.name);
        if (link === undefined) continue;
        if (spec.up && !link.up) net.setLinkUp(spec.name, true);
        if (spec.mtu !== 0 && spec.mtu !== link.mtuBytes) net.setMtu(spec.name, spec.mtu);
      }
      return undefined;
    },
  });
}
