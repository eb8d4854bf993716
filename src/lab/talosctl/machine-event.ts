import * as wire from '../../api/machine/observe.ts';

const PREFIX = 'talos/runtime/machine.';

/** A machine event as talosctl shows it (reference/lifecycle-api-cli.md C.6, F.3). */
export interface ShownEvent {
  /** Name of the message without its package: `TaskEvent`. */
  readonly kind: string;
  /** The two last columns of `talosctl events`. */
  readonly source: string;
  readonly message: string;
  /** The line that the tracker of an action prints. */
  readonly progress: string;
  /** Text of a sequence that failed. */
  readonly error?: string;
  /** The machine says that it runs and is ready. */
  readonly runningAndReady?: boolean;
}

/** Reads the payload of an event; undefined for a type that this talosctl does not know, and for the greeting. */
export function readMachineEvent(event: wire.Event): ShownEvent | undefined {
  const { typeUrl, value } = event.data ?? { typeUrl: '', value: new Uint8Array() };
  if (!typeUrl.startsWith(PREFIX)) return undefined;
  const kind = typeUrl.slice(PREFIX.length);
  switch (kind) {
    case 'SequenceEvent':
      return sequence(kind, wire.SequenceEvent.decode(value));
    case 'PhaseEvent': {
      const { phase, action } = wire.PhaseEvent.decode(value);
      return step(kind, 'phase', phase, action);
    }
    case 'TaskEvent': {
      const { task, action } = wire.TaskEvent.decode(value);
      return step(kind, 'task', task, action);
    }
    case 'ServiceStateEvent': {
      const { service, action, message, health } = wire.ServiceStateEvent.decode(value);
      const state = nameOf(wire.ServiceAction, action).toUpperCase();
      const progress = `service: ${service} message: ${message} healthy: ${health?.healthy === true}`;
      return { kind, source: service, message: `${state}: ${message}`, progress };
    }
    case 'ConfigLoadErrorEvent': {
      const { error } = wire.ConfigLoadErrorEvent.decode(value);
      return { kind, source: 'error', message: error, progress: `error: ${error}` };
    }
    case 'AddressEvent': {
      const { hostname, addresses } = wire.AddressEvent.decode(value);
      const message = `ADDRESSES: ${addresses.join(',')}`;
      return { kind, source: hostname, message, progress: `${hostname} ${message}` };
    }
    case 'MachineStatusEvent':
      return machineStatus(kind, wire.MachineStatusEvent.decode(value));
    case 'RestartEvent': {
      const { cmd } = wire.RestartEvent.decode(value);
      // The real one passes too few arguments to its format.
      return { kind, source: '%!s(MISSING)', message: '%!s(MISSING)', progress: `restart: ${cmd}` };
    }
    default:
      return undefined;
  }
}

function sequence(kind: string, event: ReturnType<typeof wire.SequenceEvent.decode>): ShownEvent {
  const action = nameOf(wire.SequenceAction, event.action).toUpperCase();
  const progress = `sequence: ${event.sequence} action: ${action}`;
  if (event.error === null) return { kind, source: event.sequence, message: action, progress };
  const { code, message } = event.error;
  const text = `error: [code: ${code} message: ${message}]`;
  return {
    kind,
    source: event.sequence,
    message: `error: ${message}`,
    progress: `${progress} ${text}`,
    error: message,
  };
}

function step(kind: string, what: string, name: string, action: number): ShownEvent {
  const text = nameOf(wire.PhaseAction, action).toUpperCase();
  return { kind, source: name, message: text, progress: `${what}: ${name} action: ${text}` };
}

function machineStatus(kind: string, event: ReturnType<typeof wire.MachineStatusEvent.decode>): ShownEvent {
  const stage = nameOf(wire.MachineStage, event.stage)
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toUpperCase();
  const ready = event.status?.ready === true;
  const unmet = (event.status?.unmetConditions ?? []).map(({ name }) => name).join(' ');
  return {
    kind,
    source: stage,
    message: `ready: ${ready}, unmet conditions: [${unmet}]`,
    progress: `stage: ${stage} ready: ${ready} unmetCond: [${unmet}]`,
    runningAndReady: event.stage === wire.MachineStage.Running && ready,
  };
}

function nameOf(numbers: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(numbers).find((name) => numbers[name] === value) ?? String(value);
}
