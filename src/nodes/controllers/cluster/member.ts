import { type Controller, exclusive, passController, weak } from '../../../cosi/index.ts';
import type { Log } from '../../../platform/log.ts';
import { membersChanged } from '../../events.ts';
import { Affiliates, Members } from '../../resources/cluster.ts';

/** Machines of the cluster by node name: every affiliate that has one. */
export function memberController(log: Log): Controller {
  return passController({
    name: 'cluster.MemberController',
    inputs: [weak(Affiliates)],
    outputs: [exclusive(Members)],
    pass: (context) => {
      const before = context.list(Members).map(({ metadata }) => metadata.id);
      context.startTrackingOutputs();
      for (const { spec } of context.list(Affiliates)) {
        if (spec.nodename === '') continue;
        const { nodeId, addresses, hostname, machineType, operatingSystem, controlPlane } = spec;
        context.set(Members, spec.nodename, {
          nodeId,
          addresses,
          hostname,
          machineType,
          operatingSystem,
          controlPlane,
        });
      }
      context.cleanupOutputs(Members);
      const now = context.list(Members).map(({ metadata }) => metadata.id);
      if (now.join() !== before.join()) log.event(membersChanged, { members: now });
      return undefined;
    },
  });
}
