import { kubeletRegistered } from '../../kube/events.ts';
import {
  configApplied,
  etcdPhase,
  installed,
  machineStatus,
  booted as nodeBooted,
  sequenceEvent,
  serviceState,
  staticPods,
} from '../../nodes/events.ts';
import { splitImage } from '../../platform/image.ts';
import {
  booted,
  bootHung,
  frozen,
  kernelEnded,
  poweredOn,
  processExited,
  processStarted,
  thawed,
} from '../../sim/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { diskBlanked } from '../../world/events.ts';
import type { LocalMember } from './etcd-observer.ts';
import type { MachineView } from './types.ts';

const NOTHING = '—';
const MEDIUM = 'ISO · maintenance';
const NO_CONFIG = 'no config';
const COMPONENTS: readonly string[] = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** What is known of one machine from its events. */
export class MachineObserver {
  readonly name: string;
  #power: 'on' | 'off' = 'off';
  #frozen = false;
  #stage = 'off';
  #disk = MEDIUM;
  #config = NO_CONFIG;
  #etcdPhase = '';
  #kubelet = '';
  #node: string;
  #staticPods = 0;
  #running = new Map<string, string>();

  constructor(name: string) {
    this.name = name;
    this.#node = name;
  }

  take(event: TraceEvent): void {
    const text = (name: string): string => String(event.fields[name] ?? '');
    const list = (name: string): readonly string[] => (event.fields[name] ?? []) as readonly string[];
    switch (event.kind) {
      case poweredOn.name:
        this.#power = 'on';
        this.#stage = 'starting';
        break;
      case booted.name:
        this.#power = 'on';
        if (this.#stage === 'starting' || this.#stage === 'off') this.#stage = 'booting';
        break;
      case nodeBooted.name:
        this.#systemBooted(text('disk') === 'blank', text('slot') === '' ? '' : text('version'));
        break;
      case diskBlanked.name:
        if (event.fields.system === true) this.#systemBooted(true, '');
        break;
      case bootHung.name:
        this.#stage = 'hung at boot';
        break;
      case kernelEnded.name:
        this.#kernelEnded(text('how'));
        break;
      case frozen.name:
        this.#frozen = true;
        break;
      case thawed.name:
        this.#frozen = false;
        break;
      case machineStatus.name:
        this.#stage = text('stage');
        break;
      case sequenceEvent.name:
        if (text('sequence') === 'install' && text('action') === 'START') this.#installing();
        break;
      case installed.name:
        this.#disk = splitImage(text('image')).tag ?? 'latest';
        break;
      case configApplied.name:
        this.#config = text('machineType');
        break;
      case etcdPhase.name:
        this.#etcdPhase = text('phase');
        break;
      case serviceState.name:
        this.#service(text('service'), text('state'), text('health'));
        break;
      case kubeletRegistered.name:
        this.#node = text('node');
        break;
      case staticPods.name:
        this.#staticPods = list('pods').length;
        break;
      case processStarted.name:
        this.#running.set(event.source, list('argv')[0] ?? '');
        break;
      case processExited.name:
        this.#running.delete(event.source);
        break;
    }
  }

  /** A wiped or blank machine is as it was at first; another one shows the release that it runs. */
  #systemBooted(blank: boolean, release: string): void {
    if (blank) {
      this.#disk = MEDIUM;
      this.#config = NO_CONFIG;
    } else if (release !== '') this.#disk = release;
  }

  #installing(): void {
    if (!this.#disk.startsWith('v')) this.#disk = 'installing';
  }

  #kernelEnded(how: string): void {
    this.#frozen = false;
    this.#kubelet = '';
    this.#etcdPhase = '';
    this.#staticPods = 0;
    this.#running.clear();
    if (how === 'cut' || how === 'shutdown') this.#power = 'off';
    this.#stage = how === 'reboot' ? 'rebooting' : how === 'panic' ? 'panicked' : 'off';
  }

  #service(service: string, state: string, health: string): void {
    if (service !== 'kubelet') return;
    this.#kubelet = state === 'Running' ? (health === 'unhealthy' ? 'unhealthy' : 'running') : state.toLowerCase();
  }

  view(member: LocalMember | undefined, learner: boolean): MachineView {
    return {
      name: this.name,
      node: this.#node,
      power: this.#power,
      stage: this.#frozen ? 'frozen' : this.#stage,
      disk: this.#disk,
      config: this.#config,
      etcd: this.#etcd(member, learner),
      controlPlane: this.#controlPlane(),
      kubelet: this.#kubelet === '' ? NOTHING : this.#kubelet,
    };
  }

  #etcd(member: LocalMember | undefined, learner: boolean): string {
    if (this.#power === 'off') return member === undefined ? NOTHING : 'off (data kept)';
    if (member?.running === true) {
      if (learner) return 'learner';
      if (member.leader === member.memberId) return `★ leader t${member.term}`;
      return member.leader === '0000000000000000' ? `no leader t${member.term}` : `follower t${member.term}`;
    }
    if (this.#etcdPhase !== '') return this.#etcdPhase.replaceAll('-', ' ');
    return member === undefined ? NOTHING : 'stopped';
  }

  #controlPlane(): string {
    const up = COMPONENTS.filter((component) =>
      [...this.#running.values()].some((program) => program.endsWith(component)),
    ).length;
    if (up === COMPONENTS.length) return 'running';
    if (up > 0) return `${up} of ${COMPONENTS.length} up`;
    return this.#staticPods > 0 ? 'static pods' : NOTHING;
  }
}
