import type { KernelControl, PodControl, ProcessNet } from '../../net/types.ts';
import type { Clock, Timer } from '../../platform/clock.ts';
import type { CryptoPort } from '../../platform/crypto.ts';
import type { EventFields, EventKind, Log } from '../../platform/log.ts';
import type { MachineNet, Net } from '../../platform/net.ts';
import type { Random } from '../../platform/random.ts';
import type { Rpc } from '../../platform/rpc.ts';
import type { TaskScope } from '../../platform/task.ts';
import type { MachineClock } from '../clock.ts';
import { Namespace } from '../disk/namespace.ts';
import { memoryVolume, type Volume } from '../disk/volume.ts';
import type { Engine } from '../engine.ts';
import { Gate } from '../gate.ts';
import { type Trace, TraceLog } from '../trace.ts';
import { type ProcessSpec, SimProcess } from './process.ts';

/** What an rpc implementation is built from. */
interface RpcDeps {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Random;
  readonly crypto: CryptoPort;
  /** Dies with the process. */
  readonly scope: TaskScope;
  readonly log: Log;
}

export type RpcFactory = (deps: RpcDeps) => Rpc;

export interface KernelSpec {
  readonly engine: Engine;
  readonly trace: Trace;
  /** The machine's name: source of its events. */
  readonly machine: string;
  /** Which boot of the machine this is, from 1. */
  readonly boot: number;
  readonly clock: MachineClock;
  readonly net: KernelControl;
  readonly memoryBytes: number;
  /** Root file system; default: one in memory, gone with the kernel. */
  readonly root?: Volume;
  readonly createRpc: RpcFactory;
}

/** One incarnation of a machine's kernel: from boot to reboot or power cut. */
export class Kernel {
  readonly engine: Engine;
  readonly clock: MachineClock;
  readonly createRpc: RpcFactory;
  /** `cp-1` in the first boot, `cp-1#2` in the second. */
  readonly path: string;
  /** The machine's own tree: a root in memory with volumes mounted into it. */
  readonly namespace: Namespace;
  /** Callbacks of the kernel itself: answers of devices. */
  readonly gate: Gate;
  readonly net: KernelControl;
  readonly #spec: KernelSpec;
  readonly #processes = new Set<SimProcess>();
  readonly #names = new Map<string, number>();
  readonly #pods = new Map<string, { readonly control: PodControl; users: number }>();
  #nextPid = 1;
  #frozen = false;

  constructor(spec: KernelSpec) {
    this.#spec = spec;
    this.engine = spec.engine;
    this.clock = spec.clock;
    this.createRpc = spec.createRpc;
    this.net = spec.net;
    this.path = spec.boot === 1 ? spec.machine : `${spec.machine}#${spec.boot}`;
    this.gate = new Gate(spec.engine, `${this.path}/kernel`, (error, path) => spec.engine.bug(path, error));
    this.namespace = new Namespace(spec.root ?? this.newMemoryVolume('root', spec.memoryBytes));
  }

  get alive(): boolean {
    return !this.gate.closed;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /** Processes that have not ended, by start. */
  get processes(): readonly SimProcess[] {
    return [...this.#processes];
  }

  readonly completeIo = (delayUs: number, done: () => void): Timer => this.engine.scheduleIn(delayUs, done, this.gate);

  newMemoryVolume(name: string, sizeBytes: number): Volume {
    return memoryVolume(sizeBytes, () => this.engine.nowUs, this.engine.random(`${this.path}/${name}`));
  }

  log(name: string, gate?: Gate): TraceLog {
    return new TraceLog(this.#spec.trace, `${this.#spec.machine}/${name}`, gate);
  }

  /** Logs what the kernel sees of a process. */
  event<F extends EventFields>(name: string, kind: EventKind<F>, fields: F): void {
    this.log(name).event(kind, fields);
  }

  start(spec: ProcessSpec): SimProcess {
    const ordinal = (this.#names.get(spec.name) ?? 0) + 1;
    this.#names.set(spec.name, ordinal);
    const path = `${this.path}/${ordinal === 1 ? spec.name : `${spec.name}#${ordinal}`}`;
    return this.engine.slice(() => {
      const process = new SimProcess(this, this.#nextPid++, path, spec);
      this.#processes.add(process);
      if (this.#frozen) process.gate.pause();
      process.start();
      return process;
    });
  }

  /** Sockets for a process, in the machine's network or in that of a pod. */
  openNet(process: SimProcess, podAddress: string | undefined): ProcessNet<Net> {
    if (podAddress === undefined) return this.net.openProcess(process);
    let pod = this.#pods.get(podAddress);
    if (pod === undefined) {
      pod = { control: this.net.addPod(podAddress), users: 0 };
      this.#pods.set(podAddress, pod);
    }
    pod.users++;
    return pod.control.openProcess(process);
  }

  /** For {@link SimProcess}: it ended. The last process of a pod takes its network along. */
  forget(process: SimProcess): void {
    this.#processes.delete(process);
    const address = process.spec.podAddress;
    const pod = address === undefined ? undefined : this.#pods.get(address);
    if (pod === undefined || address === undefined || --pod.users > 0) return;
    this.#pods.delete(address);
    pod.control.remove();
  }

  /** The network as the machine's own supervisor has it. */
  machineNet(process: SimProcess): MachineNet {
    return process.net as MachineNet;
  }

  /** The whole machine stands still; time goes on without it. */
  freeze(): void {
    if (this.#frozen || !this.alive) return;
    this.#frozen = true;
    this.net.freeze();
    this.gate.pause();
    for (const process of this.#processes) process.gate.pause();
  }

  thaw(): void {
    if (!this.#frozen || !this.alive) return;
    this.#frozen = false;
    this.engine.slice(() => this.net.thaw());
    this.gate.resume();
    for (const process of this.#processes) process.gate.resume();
  }

  /** The end of everything that runs here, without a word to anybody. Only between slices. */
  end(): void {
    if (!this.alive) return;
    this.net.powerOff();
    this.gate.close();
    for (const process of this.#processes) process.vanish();
    this.#processes.clear();
  }
}
