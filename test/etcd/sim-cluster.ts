import { type EtcdProgramOptions, etcdProgram } from '../../src/etcd/server/program.ts';
import { END } from '../../src/platform/channel.ts';
import type { Process, Program } from '../../src/platform/containers.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { RpcChannel } from '../../src/platform/rpc.ts';
import type { Task } from '../../src/platform/task.ts';
import { createSimRpc } from '../../src/rpc/over-connections/rpc.ts';
import type { SimProcess } from '../../src/sim/kernel/process.ts';
import type { Station } from '../../src/sim/machine/station.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import type { TraceEvent } from '../../src/sim/trace.ts';

export interface ClusterOptions extends EtcdProgramOptions {
  readonly seed?: number | string;
  readonly size?: number;
  /** More flags for every member. */
  readonly flags?: readonly string[];
  /** Stations beyond the first members that run nothing at first. */
  readonly spare?: number;
  readonly strictWire?: boolean;
  readonly digest?: 'fast' | 'full';
  /** Which network events are made (default: all). */
  readonly wants?: (kind: string) => boolean;
  /** Puts something around a member's program. */
  readonly wrap?: (program: Program, name: string) => Program;
}

export interface Node {
  readonly name: string;
  readonly address: string;
  readonly station: Station;
  args: readonly string[];
  process: SimProcess | undefined;
}

export function peerUrl(node: Node): string {
  return `http://${node.address}:2380`;
}

export function clientUrl(node: Node): string {
  return `http://${node.address}:2379`;
}

/** What `--initial-cluster` says of these. */
export function initialCluster(nodes: readonly Node[]): string {
  return nodes.map((node) => `${node.name}=${peerUrl(node)}`).join(',');
}

/** etcd members on machines of their own in a simulation, and a workstation to talk to them from. */
export class SimCluster {
  readonly sim: Simulation;
  readonly nodes: Node[] = [];
  readonly events: TraceEvent[] = [];
  readonly program: Program;
  readonly #ops: Platform;
  readonly #flags: readonly string[];
  readonly #wrap: (program: Program, name: string) => Program;
  #watchers = 0;

  constructor(options: ClusterOptions = {}) {
    this.program = etcdProgram(options);
    this.#flags = options.flags ?? [];
    this.sim = new Simulation({
      seed: String(options.seed ?? 1),
      createRpc: (deps) => createSimRpc({ ...deps, strictWire: options.strictWire ?? false }),
      images: () => this.program,
      digest: options.digest ?? 'full',
      notable: () => false,
      ...(options.wants === undefined ? {} : { wants: options.wants }),
    });
    this.#wrap = options.wrap ?? ((program) => program);
    this.sim.network.addSegment({ name: 'lan' });
    const size = options.size ?? 3;
    const total = size + (options.spare ?? 0);
    for (let i = 0; i < total; i++) this.#addNode(i);
    this.#ops = this.#startOps();
    const founders = this.nodes.slice(0, size);
    const initial = initialCluster(founders);
    for (const node of founders) {
      node.args = this.arguments(node, initial, 'new');
      this.start(node);
    }
  }

  #addNode(i: number): void {
    const address = `10.0.0.${i + 11}`;
    const station = this.sim.addStation({
      name: `m${i + 1}`,
      nics: [{ link: 'eth0', segment: 'lan' }],
      memoryBytes: 4_000_000_000,
      addresses: [{ link: 'eth0', cidr: `${address}/24` }],
    });
    this.nodes.push({ name: `m${i + 1}`, address, station, args: [], process: undefined });
  }

  #startOps(): Platform {
    const ops = this.sim.addStation({
      name: 'ops',
      nics: [{ link: 'eth0', segment: 'lan' }],
      memoryBytes: 4_000_000_000,
      addresses: [{ link: 'eth0', cidr: '10.0.0.2/24' }],
    });
    let platform: Platform | undefined;
    ops.run({
      name: 'client',
      program: function* (process: Process): Task<number> {
        platform = process.platform;
        while ((yield* process.signals.receive()) !== END);
        return 0;
      },
    });
    this.sim.runUntil(() => platform !== undefined);
    return platform!;
  }

  arguments(node: Node, initial: string, state: 'new' | 'existing'): readonly string[] {
    return [
      'etcd',
      `--name=${node.name}`,
      '--data-dir=/etcd',
      `--listen-peer-urls=${peerUrl(node)}`,
      `--listen-client-urls=${clientUrl(node)}`,
      `--advertise-client-urls=${clientUrl(node)}`,
      `--initial-advertise-peer-urls=${peerUrl(node)}`,
      `--initial-cluster=${initial}`,
      `--initial-cluster-state=${state}`,
      ...this.#flags,
    ];
  }

  /** Nodes that have a member, whether it runs just now or not. */
  get serving(): Node[] {
    return this.nodes.filter((node) => node.args.length > 0);
  }

  /** Names of all nodes but one. */
  namesBeside(node: Node): string[] {
    return this.nodes.filter((other) => other !== node).map((other) => other.name);
  }

  get ops(): Platform {
    return this.#ops;
  }

  start(node: Node): void {
    node.process = node.station.run({ name: 'etcd', program: this.#wrap(this.program, node.name), args: node.args });
  }

  /** Pulls the plug and, after `offUs`, starts machine and member again. */
  powerCycle(node: Node, offUs = 0): void {
    node.station.powerOff();
    this.sim.runFor(offUs);
    node.station.powerOn();
    this.start(node);
  }

  kill(node: Node): void {
    node.process?.signal('SIGKILL');
  }

  channel(...nodes: readonly Node[]): RpcChannel {
    return this.#ops.rpc.channel(nodes.map((node) => ({ address: node.address, port: 2379 })));
  }

  /** Runs a task on the workstation to its end; throws what it threw. */
  run<T>(body: () => Task<T>, limitUs = 60_000_000): T {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    this.#ops.scope.spawn(`run-${this.#watchers++}`, function* () {
      try {
        outcome = { value: yield* body() };
      } catch (error) {
        outcome = { error };
      }
    });
    const end = this.sim.runUntil(() => outcome !== undefined, { untilUs: this.sim.nowUs + limitUs });
    if (outcome === undefined) throw new Error(`the task did not end: ${end}`);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Starts a task on the workstation and lets it run beside others. */
  spawn(name: string, body: () => Task<void>): void {
    this.#ops.scope.spawn(name, body);
  }

  /** Lines that a member printed. */
  lines(node: Node): readonly string[] {
    return node.process?.lines.tail(50) ?? [];
  }

  close(): void {
    this.sim.close();
  }
}
