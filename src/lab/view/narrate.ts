import { EtcdEvent } from '../../etcd/events.ts';
import { apiServing, kubeletRegistered, nodeChanged } from '../../kube/events.ts';
import {
  configApplied,
  etcdPhase,
  installed,
  kubePrismHealth,
  kubeSpanPeer,
  machineStatus,
  manifestsApplied,
  serviceState,
  staticPods,
  vipAcquired,
  vipReleased,
} from '../../nodes/events.ts';
import { booted, bootHung, frozen, kernelEnded, panicked, poweredOn, thawed } from '../../sim/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { faultEnded, faultInjected } from '../../world/events.ts';
import { machineOf } from '../checkers/checker.ts';

type Teller = (who: string, field: (name: string) => string) => string | undefined;

const ENDINGS: Readonly<Record<string, string>> = {
  cut: 'loses power',
  reboot: 'reboots',
  shutdown: 'shuts down',
  panic: 'panics',
};

/** How notable events read; everything else is left to traces. */
const TELLERS: ReadonlyMap<string, Teller> = new Map<string, Teller>([
  [poweredOn.name, (who) => `${who} is switched on`],
  [
    booted.name,
    (who, field) =>
      `${who} boots ${field('version')} ${field('slot') === '' ? 'from the installation medium' : `from slot ${field('slot')}`}`,
  ],
  [bootHung.name, (who, field) => `${who} hangs at boot: ${field('reason')}`],
  [panicked.name, (who, field) => `${who}: kernel panic: ${field('reason')}`],
  [kernelEnded.name, (who, field) => `${who} ${ENDINGS[field('how')] ?? `ends (${field('how')})`}`],
  [frozen.name, (who) => `${who} freezes`],
  [thawed.name, (who) => `${who} thaws`],
  [configApplied.name, (who, field) => `${who} has a config: ${field('machineType')}`],
  [installed.name, (who, field) => `${who}: Talos is installed on ${field('disk')}`],
  [etcdPhase.name, (who, field) => `${who}: etcd ${field('phase').replaceAll('-', ' ')}`],
  [EtcdEvent.BecameLeader.name, (who, field) => `${who} leads etcd in term ${field('term')}`],
  [
    EtcdEvent.LeaderChanged.name,
    (who, field) => (/^0+$/.test(field('leader')) ? `${who}: etcd has lost its leader` : undefined),
  ],
  [vipAcquired.name, (who, field) => `${who} takes the virtual address ${field('address')}`],
  [vipReleased.name, (who, field) => `${who} gives the virtual address up: ${field('why')}`],
  [
    staticPods.name,
    (who, field) => (field('pods') === '' ? `${who} withdraws the static pods` : `${who} serves static pods`),
  ],
  [
    kubeSpanPeer.name,
    (who, field) => {
      if (field('state') === 'up') return `${who}: KubeSpan reaches ${field('peer')} at ${field('endpoint')}`;
      return field('before') === 'up' ? `${who}: KubeSpan reaches ${field('peer')} no more` : undefined;
    },
  ],
  [
    manifestsApplied.name,
    (who, field) => (field('created') === '0' ? undefined : `${who} creates ${field('created')} bootstrap manifests`),
  ],
  [apiServing.name, (who, field) => `${who}: kube-apiserver ${field('serving') === 'true' ? 'answers' : 'stops'}`],
  [kubeletRegistered.name, (_who, field) => `Node ${field('node')} is registered`],
  [
    faultInjected.name,
    (_who, field) =>
      `✗ fault: ${field('fault')} ${field('machines').replaceAll(',', ' ')} ${field('detail')}`.trimEnd(),
  ],
  [faultEnded.name, (_who, field) => `✓ fault ends: ${field('fault')}`],
]);

/** One line about an event that a person wants to see; undefined for the rest. */
export function narrate(event: TraceEvent): string | undefined {
  return TELLERS.get(event.kind)?.(machineOf(event.source), (name) => String(event.fields[name] ?? ''));
}

/** Tells of states that are reported again and again only when they change. */
export class ChangeNarrator {
  readonly #ready = new Map<string, boolean>();
  readonly #last = new Map<string, string>();

  tell(event: TraceEvent): string | undefined {
    if (event.kind === machineStatus.name) return this.#machine(event);
    if (event.kind === serviceState.name) return this.#service(event);
    if (event.kind === kubePrismHealth.name) return this.#kubePrism(event);
    if (event.kind !== nodeChanged.name) return undefined;
    return this.#node(String(event.fields.name), event.fields.ready === true, event.fields.deleted === true);
  }

  /** A new Node is not ready, which is no news: its kubelet tells that it is registered. */
  #node(name: string, ready: boolean, deleted: boolean): string | undefined {
    const before = this.#ready.get(name);
    if (deleted) this.#ready.delete(name);
    else this.#ready.set(name, ready);
    if (deleted) return before === undefined ? undefined : `Node ${name} is deleted`;
    return (before ?? false) === ready ? undefined : `Node ${name} is ${ready ? 'Ready' : 'NotReady'}`;
  }

  #machine(event: TraceEvent): string | undefined {
    const who = machineOf(event.source);
    const { stage, ready } = event.fields;
    const how = ready === true ? ', ready' : stage === 'running' ? ', not ready' : '';
    return this.#changed(`${who} is ${stage}${how}`, who);
  }

  #service(event: TraceEvent): string | undefined {
    const { service, state, health } = event.fields as { service: string; state: string; health: string };
    if (service !== 'etcd' && service !== 'kubelet') return undefined;
    const who = machineOf(event.source);
    const how = health === 'unknown' ? '' : `, ${health}`;
    return this.#changed(`${who}: service ${service} ${state}${how}`, `${who} ${service}`);
  }

  /** KubePrism believes in servers that it has not tried yet; only after it found none is it news that it has one. */
  #kubePrism(event: TraceEvent): string | undefined {
    const who = machineOf(event.source);
    const key = `${who} KubePrism`;
    if (event.fields.healthy !== true) return this.#changed(`${who}: KubePrism has no API server`, key);
    return this.#last.has(key) ? this.#changed(`${who}: KubePrism has an API server`, key) : undefined;
  }

  #changed(text: string, key: string): string | undefined {
    if (this.#last.get(key) === text) return undefined;
    this.#last.set(key, text);
    return text;
  }
}
