import type { NetworkControl, NicSpec } from '../../net/types.ts';
import type { EventFields, EventKind } from '../../platform/log.ts';
import { MachineClock } from '../clock.ts';
import type { Registry } from '../containers/registry.ts';
import type { Volume } from '../disk/volume.ts';
import type { Engine } from '../engine.ts';
import { clockStepped, frozen, kernelEnded, thawed } from '../events.ts';
import { Kernel, type RpcFactory } from '../kernel/kernel.ts';
import type { TimerOwner } from '../queue.ts';
import type { SimTiming } from '../timing.ts';
import { type Trace, TraceLog } from '../trace.ts';

/** The world that machines stand in. */
export interface Surroundings {
  readonly engine: Engine;
  readonly trace: Trace;
  readonly network: NetworkControl;
  readonly registry: Registry;
  readonly timing: SimTiming;
  readonly createRpc: RpcFactory;
  /** What a right wall clock shows when the simulation begins, since the Unix epoch. */
  readonly epochUs: number;
}

export interface ChassisSpec {
  /** Stable name; also the name of the node in the network. */
  readonly name: string;
  readonly nics: readonly NicSpec[];
  readonly memoryBytes: number;
  /** Error of the hardware clock when the machine is made (default 0). */
  readonly clockErrorUs?: number;
  /** Rate error of the oscillator in parts per million (default 0). */
  readonly driftPpm?: number;
}

/** What machines and stations have in common: a name, cards, an oscillator, and at most one running kernel. */
export class Chassis implements TimerOwner {
  readonly path: string;
  readonly spec: ChassisSpec;
  readonly around: Surroundings;
  readonly log: TraceLog;
  #clockErrorUs: number;
  #driftPpm: number;
  #kernel: Kernel | undefined;
  #boots = 0;

  constructor(around: Surroundings, spec: ChassisSpec) {
    this.path = spec.name;
    this.spec = spec;
    this.around = around;
    this.log = new TraceLog(around.trace, spec.name);
    this.#clockErrorUs = spec.clockErrorUs ?? 0;
    this.#driftPpm = spec.driftPpm ?? 0;
    around.network.addNode({ name: spec.name, nics: spec.nics });
  }

  /** Timers of the hardware itself run whatever happens to kernels. */
  dispatch(callback: () => void): void {
    this.around.engine.slice(callback);
  }

  event<F extends EventFields>(kind: EventKind<F>, fields: F): void {
    this.log.event(kind, fields);
  }

  get kernel(): Kernel | undefined {
    return this.#kernel;
  }

  /** How often a kernel was asked to start. */
  get boots(): number {
    return this.#boots;
  }

  countBoot(): number {
    return ++this.#boots;
  }

  startKernel(root?: Volume): Kernel {
    const { engine, trace, network, createRpc, epochUs } = this.around;
    const kernel = new Kernel({
      engine,
      trace,
      machine: this.spec.name,
      boot: this.#boots,
      clock: new MachineClock(engine, epochUs + engine.nowUs + this.#clockErrorUs, this.#driftPpm),
      net: network.boot(this.spec.name),
      memoryBytes: this.spec.memoryBytes,
      createRpc,
      ...(root === undefined ? {} : { root }),
    });
    this.#kernel = kernel;
    return kernel;
  }

  endKernel(how: 'cut' | 'reboot' | 'shutdown' | 'panic'): void {
    const kernel = this.#kernel;
    if (kernel === undefined) return;
    kernel.end();
    this.#kernel = undefined;
    this.event(kernelEnded, { how });
  }

  freeze(): void {
    this.around.engine.boundary(() => {
      if (this.#kernel === undefined || this.#kernel.frozen) return;
      this.#kernel.freeze();
      this.event(frozen, {});
    });
  }

  thaw(): void {
    this.around.engine.boundary(() => {
      if (this.#kernel?.frozen !== true) return;
      this.#kernel.thaw();
      this.event(thawed, {});
    });
  }

  /** Steps the wall clock of the running kernel; with `hardware` the hardware clock too, so that a reboot keeps it. */
  stepClock(byUs: number, by: 'fault' | 'node', hardware: boolean): void {
    this.#kernel?.clock.jump(byUs);
    if (hardware) this.#clockErrorUs += byUs;
    this.event(clockStepped, { byUs, by });
  }

  /** Changes the rate error of the oscillator from now on. */
  setDrift(driftPpm: number): void {
    this.#driftPpm = driftPpm;
    this.#kernel?.clock.setDrift(driftPpm);
  }
}
