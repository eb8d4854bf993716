import type { Timer } from '../platform/clock.ts';
import { Bug } from '../platform/errors.ts';
import { familyOf } from './address.ts';
import { faultHealed, faultStarted } from './events.ts';
import type { FaultHandle, LinkEffect, NetworkFaults, Nodes, SwizzleStep } from './faults.ts';
import type { Network } from './network.ts';

/** Carries out {@link NetworkFaults}: most are rules on directed pairs of nodes. */
export class Faults implements NetworkFaults {
  readonly #network: Network;
  #nextId = 1;
  #active = new Map<number, FaultHandle>();

  constructor(network: Network) {
    this.#network = network;
  }

  partition(left: Nodes, right: Nodes): FaultHandle {
    return this.#rules('partition', left, right, [
      [left, right, { blocked: true }],
      [right, left, { blocked: true }],
    ]);
  }

  partitionOneWay(from: Nodes, to: Nodes): FaultHandle {
    return this.#rules('partition-one-way', from, to, [[from, to, { blocked: true }]]);
  }

  degrade(from: Nodes, to: Nodes, effect: LinkEffect): FaultHandle {
    return this.#rules('degrade', from, to, [[from, to, effect]]);
  }

  clog(from: Nodes, to: Nodes): FaultHandle {
    return this.#rules('clog', from, to, [[from, to, { clogged: true }]]);
  }

  swizzle(plan: readonly SwizzleStep[]): FaultHandle {
    const nodes = plan.map((step) => step.node);
    const undo = new Map<SwizzleStep, readonly (() => void)[]>();
    const timers: Timer[] = [];
    const unclog = (step: SwizzleStep): void => {
      for (const remove of undo.get(step) ?? []) remove();
      undo.delete(step);
      this.#network.rulesChanged();
    };
    const handle = this.#begin('swizzle', nodes, '*', () => {
      for (const timer of timers) timer.cancel();
      for (const step of [...undo.keys()]) unclog(step);
    });
    let left = plan.length;
    for (const step of plan) {
      if (step.unclogAtUs < step.clogAtUs) throw new Bug(`swizzle of ${step.node} ends before it begins`);
      timers.push(
        this.#after(step.clogAtUs, () => {
          const { rules } = this.#network;
          const effect = { clogged: true };
          undo.set(step, [rules.add([step.node], '*', effect), rules.add('*', [step.node], effect)]);
          this.#network.rulesChanged();
        }),
        this.#after(step.unclogAtUs, () => {
          unclog(step);
          if (--left === 0) handle.heal();
        }),
      );
    }
    return handle;
  }

  flap(left: Nodes, right: Nodes, downUs: number, upUs: number): FaultHandle {
    if (downUs < 1 || upUs < 1) throw new Bug(`a link cannot flap with ${downUs} us down and ${upUs} us up`);
    const { rules } = this.#network;
    let removes: (() => void)[] = [];
    let timer: Timer | undefined;
    const up = (): void => {
      for (const remove of removes) remove();
      removes = [];
      this.#network.rulesChanged();
    };
    const down = (): void => {
      removes = [rules.add(left, right, { blocked: true }), rules.add(right, left, { blocked: true })];
      this.#network.rulesChanged();
      timer = this.#after(downUs, () => {
        up();
        timer = this.#after(upUs, down);
      });
    };
    down();
    return this.#begin('flap', left, right, () => {
      timer?.cancel();
      up();
    });
  }

  unplug(node: string, link: string): FaultHandle {
    const nic = this.#network.nicOf(node, link);
    const set = (plugged: boolean): void => {
      nic.plugged = plugged;
      if (nic.link !== undefined) nic.link.kernel.settings.carrierChanged(nic.link);
      this.#network.changed();
    };
    set(false);
    return this.#begin('unplug', [node], '*', () => set(true));
  }

  staleNeighbour(node: string, address: string): FaultHandle {
    const links = this.#network.liveKernel(node)?.links ?? [];
    const entries = links.flatMap((link) => link.neighbours().filter((entry) => entry.address === address));
    for (const entry of entries) entry.pin();
    return this.#begin('stale-neighbour', [node], '*', () => {
      for (const entry of entries) entry.unpin();
    });
  }

  loseAnnouncements(node: string): FaultHandle {
    this.#network.countDeaf(node, 1);
    return this.#begin('lose-announcements', '*', [node], () => this.#network.countDeaf(node, -1));
  }

  addressHeldTwice(segment: string, address: string, options: { readonly announce?: boolean } = {}): FaultHandle {
    const name = `intruder-${this.#nextId}`;
    this.#network.addNode({ name, nics: [{ link: 'eth0', segment }] });
    const kernel = this.#network.boot(name);
    kernel.settings.addAddress('eth0', `${address}/${familyOf(address) === 6 ? 64 : 24}`);
    if (options.announce === true) kernel.settings.announce('eth0', address);
    return this.#begin('address-held-twice', [name], '*', () => this.#network.removeNode(name));
  }

  healAll(): void {
    for (const handle of [...this.#active.values()]) handle.heal();
  }

  #rules(name: string, from: Nodes, to: Nodes, rules: readonly [Nodes, Nodes, LinkEffect][]): FaultHandle {
    const removes = rules.map(([ruleFrom, ruleTo, effect]) => this.#network.rules.add(ruleFrom, ruleTo, effect));
    this.#network.rulesChanged();
    return this.#begin(name, from, to, () => {
      for (const remove of removes) remove();
      this.#network.rulesChanged();
    });
  }

  #begin(fault: string, from: Nodes, to: Nodes, heal: () => void): FaultHandle {
    const { deps } = this.#network;
    const id = this.#nextId++;
    const handle: FaultHandle = {
      id,
      heal: () => {
        if (!this.#active.delete(id)) return;
        heal();
        if (deps.wants(faultHealed)) deps.log.event(faultHealed, { id, fault });
      },
    };
    this.#active.set(id, handle);
    const names = (nodes: Nodes): readonly string[] => (nodes === '*' ? ['*'] : nodes);
    if (deps.wants(faultStarted)) deps.log.event(faultStarted, { id, fault, from: names(from), to: names(to) });
    return handle;
  }

  #after(delayUs: number, callback: () => void): Timer {
    return this.#network.deps.scheduler.schedule(delayUs, callback);
  }
}
