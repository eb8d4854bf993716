/**
 * One simulated world: virtual time, machines, stations, network. Synchronous and pure: what happens is a function of
 * the options and of what is called on it.
 *
 *     const sim = new Simulation({ seed: '7', createRpc, images: (name) => programs[name], digest: 'full' });
 *     sim.network.addSegment({ name: 'lan' });
 *     const cp1 = sim.addMachine({ name: 'cp-1', nics: [{ link: 'eth0', segment: 'lan' }], disks: [{ name: '/dev/sda',
 *       sizeBytes: 50e9 }], medium: { version: 'v1.11.3', schematic: '', bootable: true }, supervisor });
 *     const ops = sim.addStation({ name: 'ops', nics: […], memoryBytes: 1e9, addresses: [{ link: 'eth0', cidr: '10.0.0.2/24' }] });
 *     cp1.powerOn();
 *     sim.runFor(30_000_000);
 *     const command = ops.run({ name: 'ls', program, args: ['ls', '/'] });
 *     sim.runUntil(() => command.exit.isSet, { untilUs: 60_000_000 });
 *     cp1.powerOff(); cp1.reset(); cp1.freeze(); cp1.thaw(); cp1.disk('/dev/sda').faults.lyingSync = true;
 *     sim.digest(); sim.close();
 *
 * Programs: `SimProcess.exit` (Once<ExitStatus>), `.lines.tail(n)`, `.signal('SIGSTOP')`, `.kill()`. Containers of a
 * machine: `machine.containers.processOf('system', 'etcd')?.process`. Faults take effect between slices of node code, so
 * they may be asked for from listeners (`sim.on(kind, listener)`) as well as between steps.
 */
import type { NetDeps } from '../net/deps.ts';
import { Network } from '../net/network.ts';
import type { Timer } from '../platform/clock.ts';
import type { EventKind } from '../platform/log.ts';
import { Scope } from '../platform/scope.ts';
import { type ImageResolver, Registry } from './containers/registry.ts';
import { Engine } from './engine.ts';
import { Gate } from './gate.ts';
import type { RpcFactory } from './kernel/kernel.ts';
import type { Surroundings } from './machine/chassis.ts';
import { Machine, type MachineSpec } from './machine/machine.ts';
import { Station, type StationCommand, type StationSpec } from './machine/station.ts';
import { ASSUMED_TIMING, type SimTiming } from './timing.ts';
import { Trace, type TraceListener, TraceLog } from './trace.ts';
import { AmbientTrap } from './trap.ts';

export interface SimulationOptions {
  /** Any non-empty text; numbers as their decimal digits. */
  readonly seed: string;
  readonly createRpc: RpcFactory;
  readonly images: ImageResolver;
  readonly timing?: SimTiming;
  /** `full` folds the fields of every event into the digest (default `fast`). */
  readonly digest?: 'fast' | 'full';
  /** What a right wall clock shows at the start (default 2025-10-01T00:00:00Z). */
  readonly epochUs?: number;
  /** Events at one instant beyond which the run is a livelock (default 1,000,000). */
  readonly livelockLimit?: number;
  /** Kinds of events that {@link Simulation.notable} keeps (default: those of the simulation's own layer). */
  readonly notable?: (kind: string) => boolean;
  /** How many of them at least (default 10,000). */
  readonly notableLimit?: number;
  /**
   * Which kinds of network events are worth the making (default: all). An event that is never made is not in the digest
   * either, so runs that are compared must agree on this.
   */
  readonly wants?: (kind: string) => boolean;
  /** Let ambient time, chance and timers through while advancing: for debugging only. */
  readonly trapAmbient?: boolean;
}

/** Why {@link Simulation.runUntil} returned. */
export type RunEnd =
  | 'reached' // the predicate holds, or the time is there
  | 'time' // the time is there and the predicate does not hold
  | 'idle' // nothing is left that could happen
  | 'budget'; // as many events as allowed

export interface RunLimits {
  /** Absolute simulation time at which to stop. */
  readonly untilUs?: number;
  /** Number of events and slices at which to stop. */
  readonly maxEvents?: number;
}

const DEFAULT_EPOCH_US = 1_759_276_800_000_000;

export class Simulation {
  readonly seed: string;
  /** Segments, routers, links and their faults; machines and stations put themselves in. */
  readonly network: Network;
  readonly registry: Registry;
  /** Tasks that belong to no machine: operators and fault plans. */
  readonly scope: Scope;
  readonly trace: Trace;
  readonly #engine: Engine;
  readonly #gate: Gate;
  readonly #trap: AmbientTrap | undefined;
  readonly #around: Surroundings;
  readonly #machines = new Map<string, Machine>();
  readonly #stations = new Map<string, Station>();

  constructor(options: SimulationOptions) {
    this.seed = options.seed;
    this.#engine = new Engine(options.seed, options.livelockLimit ?? 1_000_000);
    this.#gate = new Gate(this.#engine, 'outside', (error, path) => this.#engine.bug(path, error));
    this.scope = new Scope(this.#gate, 'outside');
    this.#trap = options.trapAmbient === false ? undefined : new AmbientTrap();
    this.trace = new Trace(this.#engine, {
      digest: options.digest ?? 'fast',
      notable: options.notable ?? ((kind) => kind.startsWith('sim.')),
      notableLimit: options.notableLimit ?? 10_000,
    });
    this.registry = new Registry(options.images);
    this.network = new Network(this.#netDeps(options.wants));
    this.#around = {
      engine: this.#engine,
      trace: this.trace,
      network: this.network,
      registry: this.registry,
      timing: options.timing ?? ASSUMED_TIMING,
      createRpc: options.createRpc,
      epochUs: options.epochUs ?? DEFAULT_EPOCH_US,
    };
  }

  #netDeps(wants: SimulationOptions['wants']): NetDeps {
    const engine = this.#engine;
    return {
      scheduler: {
        nowUs: () => engine.nowUs,
        post: (delayUs, due) => engine.post(delayUs, due),
        schedule: (delayUs, callback) => engine.scheduleIn(delayUs, callback, this.#gate),
      },
      random: engine.random('net'),
      log: new TraceLog(this.trace, 'net'),
      wants: ({ name }) => wants?.(name) ?? true,
    };
  }

  /** True simulation time in microseconds; no clock fault touches it. */
  get nowUs(): number {
    return this.#engine.nowUs;
  }

  /** Events and slices of node code so far. */
  get eventsProcessed(): number {
    return this.#engine.dispatched;
  }

  /** Timers and packets under way. */
  get pending(): number {
    return this.#engine.queue.size;
  }

  /** 16 hex digits over everything that happened so far. */
  digest(): string {
    return this.#engine.digest.text();
  }

  /** What stopped the run for good: SimulationBug or LivelockError. */
  get failure(): Error | undefined {
    return this.#engine.failure;
  }

  /** Adds a machine that is switched off. */
  addMachine(spec: MachineSpec): Machine {
    const machine = new Machine(this.#around, spec);
    this.#machines.set(spec.name, machine);
    return machine;
  }

  /** Adds a station and starts it; `service` runs after every start. */
  addStation(spec: StationSpec, service?: StationCommand): Station {
    const station = new Station(this.#around, spec, service);
    this.#stations.set(spec.name, station);
    station.powerOn();
    return station;
  }

  machine(name: string): Machine | undefined {
    return this.#machines.get(name);
  }

  get machines(): readonly Machine[] {
    return [...this.#machines.values()];
  }

  station(name: string): Station | undefined {
    return this.#stations.get(name);
  }

  get stations(): readonly Station[] {
    return [...this.#stations.values()];
  }

  /** A log for what happens outside of machines: operators, fault plans. */
  log(source: string): TraceLog {
    return new TraceLog(this.trace, source);
  }

  /** A stream of draws for something outside of machines. */
  random(path: string): ReturnType<Engine['random']> {
    return this.#engine.random(path);
  }

  /** Calls `listener` for every event of a kind, in the middle of the slice that logs it. Returns how to stop. */
  on(kind: EventKind | undefined, listener: TraceListener): () => void {
    return this.trace.on(kind, listener);
  }

  /** Calls `action` at a time, between slices; a time that is past means now. */
  schedule(atUs: number, action: () => void): Timer {
    return this.#engine.scheduleAt(atUs, () => this.#engine.boundary(action), this.#gate);
  }

  /** Calls `action` as soon as no node code is on the stack. */
  soon(action: () => void): void {
    this.#engine.boundary(action);
  }

  /** One event or slice. False when nothing is left. */
  step(): boolean {
    return this.#trapped(() => this.#engine.step(Number.MAX_SAFE_INTEGER));
  }

  /** Path of the task or the owner of the event that {@link step} would run; empty when nothing is left. */
  get nextOwner(): string {
    return this.#engine.nextOwner;
  }

  /** Lets time pass. */
  runFor(durationUs: number, limits: RunLimits = {}): RunEnd {
    return this.runUntil(this.nowUs + durationUs, limits);
  }

  /** Runs to an absolute time, or until `goal` holds; the goal is looked at after every event. */
  runUntil(goal: number | (() => boolean), limits: RunLimits = {}): RunEnd {
    return this.#trapped(() => this.#run(goal, limits));
  }

  #run(goal: number | (() => boolean), limits: RunLimits): RunEnd {
    const untilUs = typeof goal === 'number' ? goal : (limits.untilUs ?? Number.MAX_SAFE_INTEGER);
    const lastEvent = this.eventsProcessed + (limits.maxEvents ?? Number.MAX_SAFE_INTEGER);
    const engine = this.#engine;
    const holds = typeof goal === 'number' ? undefined : goal;
    for (;;) {
      if (holds?.() === true) return 'reached';
      if (engine.dispatched >= lastEvent) return 'budget';
      if (!engine.step(untilUs)) break;
    }
    if (untilUs === Number.MAX_SAFE_INTEGER) return 'idle';
    engine.advanceTo(untilUs);
    return holds === undefined ? 'reached' : 'time';
  }

  #trapped<T>(body: () => T): T {
    const trap = this.#trap;
    if (trap === undefined) return body();
    const restore = trap.set();
    try {
      return body();
    } finally {
      restore();
    }
  }

  /** Ends everything without running another line of node code. */
  close(): void {
    this.scope.kill();
    for (const machine of this.#machines.values()) machine.chassis.kernel?.end();
    for (const station of this.#stations.values()) station.chassis.kernel?.end();
    this.#gate.close();
  }
}
