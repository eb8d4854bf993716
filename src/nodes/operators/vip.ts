import { isDefect, waitFor } from '../../cosi/index.ts';
import { race } from '../../platform/combinators.ts';
import { Once } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { errorText } from '../errors.ts';
import { vipAcquired, vipReleased } from '../events.ts';
import type { Machine } from '../machine.ts';
import { hostPrefix } from '../net/addresses.ts';
import { ETCD } from '../resources/etcd.ts';
import { KubeletLifecycles, StaticPodStatuses } from '../resources/k8s.ts';
import { Services } from '../resources/runtime.ts';
import { KUBELET } from '../services/builtin/kubelet.ts';
import { NO_OUTPUTS, type Operator, type OperatorOutputs } from './operator.ts';
import { Candidacy } from './vip-candidacy.ts';

const PAUSE_US = 1_000_000;

/** The shared address of control planes: whoever leads an election in etcd holds it (reference/network-config.md A). */
export class VipOperator implements Operator {
  readonly prefix: string;
  #machine: Machine;
  #link: string;
  #address: string;
  #outputs: OperatorOutputs = NO_OUTPUTS;
  #stop = new Once<string>();

  constructor(machine: Machine, link: string, address: string) {
    this.#machine = machine;
    this.#link = link;
    this.#address = address;
    this.prefix = `vip/${link}`;
  }

  outputs(): OperatorOutputs {
    return this.#outputs;
  }

  stop(): void {
    this.#stop.set('operator stopped');
  }

  *run(notify: () => void): Task<void> {
    while (!this.#stop.isSet) {
      try {
        yield* this.#campaign(notify);
      } catch (error) {
        if (isDefect(error)) throw error;
        this.#machine.kmsg.talos(`campaign failure for ${this.#address}: ${errorText(error)}`);
        yield* race({ pause: this.#pause(), stop: this.#stop.get() });
      }
    }
  }

  *#pause(): Task<string> {
    yield* this.#machine.platform.clock.sleep(PAUSE_US);
    return '';
  }

  *#campaign(notify: () => void): Task<void> {
    const { state } = this.#machine;
    yield* race({ ready: this.#prerequisites(), stop: this.#stop.get() });
    const lifecycle = state.get(KubeletLifecycles, KUBELET);
    if (this.#stop.isSet || lifecycle === undefined) return;
    state.addFinalizer(lifecycle.metadata, this.prefix);
    const reasons = new LeaveReasons(this.#machine);
    const candidacy = new Candidacy(this.#machine, this.#address);
    try {
      yield* this.#compete(candidacy, reasons, notify);
    } finally {
      reasons.close();
    }
  }

  *#compete(candidacy: Candidacy, reasons: LeaveReasons, notify: () => void): Task<void> {
    let failure: unknown;
    try {
      const won = yield* race({
        won: candidacy.campaign(),
        left: reasons.left.get(),
        stop: this.#stop.get(),
      });
      if (won === 'won') yield* this.#lead(candidacy, reasons, notify);
    } catch (error) {
      if (isDefect(error)) throw error;
      failure = error;
    }
    yield* candidacy.giveUp(this.#stop.isSet);
    const { state } = this.#machine;
    const held = state.get(KubeletLifecycles, KUBELET);
    if (held !== undefined) state.removeFinalizer(held.metadata, this.prefix);
    if (failure !== undefined) throw failure;
  }

  *#lead(candidacy: Candidacy, reasons: LeaveReasons, notify: () => void): Task<void> {
    const { log } = this.#machine.platform;
    const spec = {
      address: hostPrefix(this.#address),
      linkName: this.#link,
      announceWithARP: true,
      layer: 'operator',
    } as const;
    this.#outputs = { ...NO_OUTPUTS, addresses: [spec] };
    this.#machine.kmsg.talos(`enabled shared IP ${this.#address}`);
    log.event(vipAcquired, { address: this.#address, link: this.#link });
    notify();
    const why = yield* race({
      lost: candidacy.lost(),
      left: reasons.left.get(),
      apiserver: reasons.apiServerGone.get(),
      stop: this.#stop.get(),
    });
    this.#outputs = NO_OUTPUTS;
    this.#machine.kmsg.talos(`removing shared IP ${this.#address}`);
    log.event(vipReleased, { address: this.#address, link: this.#link, why });
    notify();
  }

  /** A healthy local etcd and a kubelet that was started; no API server: at bootstrap the address comes first. */
  *#prerequisites(): Task<string> {
    const { state } = this.#machine;
    for (;;) {
      yield* waitFor(state, Services, ETCD, (etcd) => etcd?.spec.running === true && etcd.spec.healthy);
      yield* waitFor(state, KubeletLifecycles, KUBELET, (held) => held?.metadata.phase === 'running');
      if (state.get(Services, ETCD)?.spec.healthy === true) return 'ready';
    }
  }
}

/** What makes a candidate or a leader leave, seen as it happens: a resource that comes back at once was gone all the same. */
class LeaveReasons {
  readonly left = new Once<string>();
  readonly apiServerGone = new Once<string>();
  #unlisten: () => void;

  constructor(machine: Machine) {
    this.#unlisten = machine.state.listen((change) => {
      const { type, id, phase } = change.resource.metadata;
      if (type === Services.type && id === ETCD && change.kind === 'destroyed') this.left.set('etcd stopped');
      else if (type === KubeletLifecycles.type && (change.kind === 'destroyed' || phase === 'tearingDown')) {
        this.left.set('kubelet is being stopped');
      } else if (isApiServerPod(type, id) && change.kind === 'destroyed')
        this.apiServerGone.set('kube-apiserver is gone');
    });
  }

  close(): void {
    this.#unlisten();
  }
}

function isApiServerPod(type: string, id: string): boolean {
  return type === StaticPodStatuses.type && id.startsWith('kube-system/kube-apiserver-');
}
