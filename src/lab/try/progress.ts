import { apiServing, kubeletRegistered, nodeChanged } from '../../kube/events.ts';
import {
  configApplied,
  installed,
  kernelLog,
  booted as nodeBooted,
  sequenceEvent,
  serviceState,
} from '../../nodes/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';

/** How far a machine got, in the order in which it gets there. A worker has no etcd and no control plane of its own. */
export const STAGES = [
  'maintenance',
  'accepted',
  'installed',
  'booted',
  'kubelet',
  'etcd',
  'control-plane',
  'registered',
  'ready',
] as const;

export type Stage = (typeof STAGES)[number];

const STAGE_TEXTS: Readonly<Record<Stage, string>> = Object.freeze({
  maintenance: 'it waits in maintenance mode',
  accepted: 'the config is accepted',
  installed: 'Talos is installed',
  booted: 'it boots from its disk',
  kubelet: 'its kubelet runs',
  etcd: 'its etcd is healthy',
  'control-plane': 'its kube-apiserver answers',
  registered: 'its Node is registered',
  ready: 'its Node is Ready',
});

export function stageText(stage: Stage): string {
  return STAGE_TEXTS[stage];
}

interface ServiceView {
  readonly state: string;
  readonly health: string;
  readonly message: string;
}

/** Folds the events of one machine into how far it got and what stands in its way. */
export class Progress {
  readonly machine: string;
  /** Why a sequence gave up; empty while none did. */
  failure = '';
  /** When the last step was made. */
  changedUs = 0;
  readonly services = new Map<string, ServiceView>();
  /** The last lines of the kernel log that speak of an error, since the last step. */
  readonly complaints: string[] = [];
  node = '';
  #reached = 0;
  #isReady = false;

  constructor(machine: string) {
    this.machine = machine;
  }

  get stage(): Stage {
    return this.#isReady ? 'ready' : STAGES[this.#reached]!;
  }

  take(event: TraceEvent): void {
    const { fields } = event;
    switch (event.kind) {
      case configApplied.name:
        if (fields.source === 'maintenance') this.#reach('accepted', event.timeUs);
        break;
      case installed.name:
        this.#reach('installed', event.timeUs);
        break;
      case nodeBooted.name:
        if (fields.disk === 'installed') this.#reach('booted', event.timeUs);
        break;
      case sequenceEvent.name:
        if (fields.error !== '') this.failure = String(fields.error);
        break;
      case serviceState.name:
        this.#service(event);
        break;
      case apiServing.name:
        if (fields.serving === true) this.#reach('control-plane', event.timeUs);
        break;
      case kubeletRegistered.name:
        this.node = String(fields.node);
        this.#reach('registered', event.timeUs);
        break;
      case kernelLog.name:
        this.#line(String(fields.line));
        break;
    }
  }

  /** Nodes are told of by the API servers, wherever those run. */
  takeNode(event: TraceEvent): void {
    if (event.kind !== nodeChanged.name || event.fields.name !== this.node || this.node === '') return;
    const isReady = event.fields.ready === true && event.fields.deleted !== true;
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    this.changedUs = event.timeUs;
  }

  #service(event: TraceEvent): void {
    const [service, state, health, message] = ['service', 'state', 'health', 'message'].map((name) =>
      String(event.fields[name]),
    );
    this.services.set(service!, { state: state!, health: health!, message: message! });
    if (health !== 'healthy') return;
    if (service === 'kubelet') this.#reach('kubelet', event.timeUs);
    if (service === 'etcd') this.#reach('etcd', event.timeUs);
  }

  #line(line: string): void {
    if (!/error|failed|fatal/i.test(line) || this.complaints.includes(line)) return;
    this.complaints.push(line);
    if (this.complaints.length > 3) this.complaints.shift();
  }

  #reach(stage: Stage, atUs: number): void {
    const rank = STAGES.indexOf(stage);
    if (rank <= this.#reached) return;
    this.#reached = rank;
    this.changedUs = atUs;
    this.complaints.length = 0;
  }
}
