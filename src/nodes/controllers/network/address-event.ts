import type { Controller } from '../../../cosi/index.ts';
import { passController, weak } from '../../../cosi/index.ts';
import type { MachineEvents } from '../../machine-events.ts';
import { addressOf } from '../../net/addresses.ts';
import { HostnameStatuses, NodeAddresses } from '../../resources/network.ts';

/** Tells followers of the event stream under which name and addresses the machine is reached. */
export function addressEventController(events: MachineEvents): Controller {
  let told = '';
  return passController({
    name: 'network.AddressEventController',
    inputs: [weak(NodeAddresses, 'current'), weak(HostnameStatuses, 'hostname')],
    outputs: [],
    pass: (context) => {
      const addresses = (context.get(NodeAddresses, 'current')?.spec.addresses ?? []).map(addressOf);
      const hostname = context.get(HostnameStatuses, 'hostname')?.spec.hostname ?? '';
      const now = [hostname, ...addresses].join(' ');
      if (now !== told) events.publish({ type: 'AddressEvent', hostname, addresses });
      told = now;
      return undefined;
    },
  });
}
