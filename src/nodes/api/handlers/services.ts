import type { ServiceInfo } from '../../../api/machine/lifecycle.ts';
import type { MachineService } from '../../../api/machine/services.ts';
import type { Implementation } from '../../../rpc/service.ts';
import { secondsAndNanos } from '../../../rpc/well-known.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';
import type { Service } from '../../services/service.ts';

type Methods = Pick<
  Implementation<typeof MachineService>,
  'ServiceList' | 'ServiceStart' | 'ServiceStop' | 'ServiceRestart'
>;

/** Listing and steering services (reference/lifecycle-api-cli.md B.3). */
export function serviceControlHandlers(machine: Machine): Methods {
  const { services } = machine;
  const allowed = (id: string, operation: 'start' | 'stop' | 'restart'): Service => {
    const service = services.get(id);
    if (service.definition.viaApi?.[operation] !== true) {
      throw new NodeError(`service "${id}" doesn't support ${operation} operation via API`);
    }
    return service;
  };
  return {
    *ServiceList() {
      return { messages: [{ metadata: null, services: services.list().map(infoOf) }] };
    },
    *ServiceStart(request) {
      allowed(request.id, 'start').start();
      return { messages: [{ metadata: null, resp: `Service "${request.id}" started` }] };
    },
    *ServiceStop(request) {
      allowed(request.id, 'stop');
      yield* services.stop(request.id);
      return { messages: [{ metadata: null, resp: `Service "${request.id}" stopped` }] };
    },
    *ServiceRestart(request) {
      const service = allowed(request.id, 'restart');
      if (service.active) yield* services.stop(request.id);
      service.start();
      return { messages: [{ metadata: null, resp: `Service "${request.id}" restarted` }] };
    },
  };
}

function infoOf(service: Service): ServiceInfo {
  const { health } = service;
  return {
    id: service.id,
    state: service.state,
    events: {
      events: service.events.map((event) => ({
        msg: event.message,
        state: event.state,
        ts: secondsAndNanos(event.atUs),
      })),
    },
    health: {
      unknown: health.unknown,
      healthy: health.healthy,
      lastMessage: health.lastMessage,
      lastChange: secondsAndNanos(health.lastChangeUs),
    },
  };
}
