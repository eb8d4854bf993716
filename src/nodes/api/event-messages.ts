import type { Event } from '../../api/machine/observe.ts';
import * as wire from '../../api/machine/observe.ts';
import type { MachineEvent, MachineEventPayload } from '../machine-events.ts';
import type { MachineStage } from '../resources/runtime.ts';
import type { ServiceState } from '../services/states.ts';

const PREFIX = 'talos/runtime/machine.';
const ERROR_CODES = Object.freeze({ FATAL: 0, LOCKED: 1, CANCELED: 2 });

const STAGES: Readonly<Record<MachineStage, number>> = Object.freeze({
  unknown: wire.MachineStage.Unknown,
  booting: wire.MachineStage.Booting,
  installing: wire.MachineStage.Installing,
  maintenance: wire.MachineStage.Maintenance,
  running: wire.MachineStage.Running,
  rebooting: wire.MachineStage.Rebooting,
  'shutting down': wire.MachineStage.ShuttingDown,
  resetting: wire.MachineStage.Resetting,
  upgrading: wire.MachineStage.Upgrading,
});

/** The first message of an event stream: no payload, only an id. */
export function helloEvent(id: string, actorId: string): Event {
  return { metadata: null, data: { typeUrl: '', value: new Uint8Array() }, id, actorId };
}

export function encodeEvent(event: MachineEvent): Event {
  const { type } = event.payload;
  const data = { typeUrl: PREFIX + type, value: encodePayload(event.payload) };
  return { metadata: null, data, id: event.id, actorId: event.actorId };
}

function encodePayload(payload: MachineEventPayload): Uint8Array {
  switch (payload.type) {
    case 'SequenceEvent': {
      const action = {
        NOOP: wire.SequenceAction.Noop,
        START: wire.SequenceAction.Start,
        STOP: wire.SequenceAction.Stop,
      };
      const { error, sequence } = payload;
      return wire.SequenceEvent.encode({
        sequence,
        action: action[payload.action],
        error: error === null ? null : { code: ERROR_CODES[error.code], message: error.message, details: [] },
      });
    }
    case 'PhaseEvent':
      return wire.PhaseEvent.encode({ phase: payload.phase, action: startStop(payload.action) });
    case 'TaskEvent':
      return wire.TaskEvent.encode({ task: payload.task, action: startStop(payload.action) });
    case 'ServiceStateEvent':
      return wire.ServiceStateEvent.encode({
        service: payload.service,
        action: wire.ServiceAction[payload.state satisfies ServiceState],
        message: payload.message,
        health: {
          unknown: payload.health.unknown,
          healthy: payload.health.healthy,
          lastMessage: payload.health.lastMessage,
        },
      });
    case 'MachineStatusEvent':
      return wire.MachineStatusEvent.encode({
        stage: STAGES[payload.status.stage],
        status: payload.status.status,
      });
    case 'AddressEvent':
      return wire.AddressEvent.encode({ hostname: payload.hostname, addresses: payload.addresses });
    case 'ConfigLoadErrorEvent':
      return wire.ConfigLoadErrorEvent.encode({ error: payload.error });
    default:
      return wire.RestartEvent.encode({ cmd: payload.cmd });
  }
}

function startStop(action: 'START' | 'STOP'): number {
  return action === 'START' ? wire.PhaseAction.Start : wire.PhaseAction.Stop;
}
