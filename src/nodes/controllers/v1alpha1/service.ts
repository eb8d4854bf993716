import type { Controller } from '../../../cosi/index.ts';
import { exclusive } from '../../../cosi/index.ts';
import type { MachineEvents } from '../../machine-events.ts';
import { Services } from '../../resources/runtime.ts';

/** Mirrors services into resources, event by event: a resource exists only while its service runs (reference/controllers.md A.11). */
export function serviceController(events: MachineEvents): Controller {
  return {
    name: 'v1alpha1.ServiceController',
    inputs: [],
    outputs: [exclusive(Services)],
    *run(context) {
      context.wakeOn(events.added);
      const unread = events.from(events.start);
      for (;;) {
        yield* context.wakeUp();
        for (const { payload } of unread) {
          if (payload.type !== 'ServiceStateEvent') continue;
          const { service, state, health } = payload;
          if (state !== 'Running') context.destroy(Services, service);
          else context.set(Services, service, { running: true, healthy: health.healthy, unknown: health.unknown });
        }
        context.resetRestartBackoff();
      }
    },
  };
}
