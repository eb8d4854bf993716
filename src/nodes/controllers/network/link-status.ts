import type { Controller } from '../../../cosi/index.ts';
import { exclusive } from '../../../cosi/index.ts';
import type { LinkInfo, MachineNet } from '../../../platform/net.ts';
import { LinkStatuses, type LinkStatusSpec } from '../../resources/network.ts';

/** Shows the kernel's links. */
export function linkStatusController(net: MachineNet): Controller {
  return {
    name: 'network.LinkStatusController',
    inputs: [],
    outputs: [exclusive(LinkStatuses)],
    *run(context) {
      const unsubscribe = net.onChange(() => context.queueReconcile());
      try {
        for (;;) {
          yield* context.wakeUp();
          context.startTrackingOutputs();
          net.links().forEach((link, index) => {
            context.set(LinkStatuses, link.name, statusOf(link, index + 1));
          });
          context.cleanupOutputs(LinkStatuses);
        }
      } finally {
        unsubscribe();
      }
    },
  };
}

function statusOf(link: LinkInfo, index: number): LinkStatusSpec {
  return {
    index,
    type: link.name === 'lo' ? 'loopback' : 'ether',
    kind: '',
    hardwareAddr: link.mac,
    operationalState: link.name === 'lo' ? 'unknown' : link.up ? 'up' : 'down',
    linkState: link.up,
    mtu: link.mtuBytes,
    physical: link.physical,
  };
}
