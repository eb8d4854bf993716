import type { SocketOwner } from '../../src/net/deps.ts';
import type { NetKernel } from '../../src/net/kernel.ts';
import { Network } from '../../src/net/network.ts';
import type { SegmentSpec } from '../../src/net/types.ts';
import type { Clock, Timer } from '../../src/platform/clock.ts';
import { HASH_START, hashText, mixHash } from '../../src/platform/executor.ts';
import type { EventFields, EventKind, Log } from '../../src/platform/log.ts';
import type { Connection, MachineNet, Segment } from '../../src/platform/net.ts';
import type { Random } from '../../src/platform/random.ts';
import { Scope } from '../../src/platform/scope.ts';
import { type Task, type TaskHandle, wait } from '../../src/platform/task.ts';
import { QueueExecutor } from '../platform/queue-executor.ts';
import { TestScheduler } from './scheduler.ts';

/** Counter-based draws keyed by a path: good enough for tests, and independent of other streams. */
class TestRandom implements Random {
  #key: number;
  #path: string;
  #ordinal = 0;

  constructor(path: string) {
    this.#path = path;
    this.#key = hashText(HASH_START, path);
  }

  uint32(): number {
    return mixHash(this.#key, this.#ordinal++);
  }

  int(min: number, max: number): number {
    return min + (this.uint32() % (max - min + 1));
  }

  chance(partsPerMillion: number): boolean {
    return this.uint32() % 1_000_000 < partsPerMillion;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.uint32() & 0xff);
  }

  stream(purpose: string): Random {
    return new TestRandom(`${this.#path}/${purpose}`);
  }
}

export interface SeenEvent {
  readonly atUs: number;
  readonly source: string;
  readonly name: string;
  readonly fields: EventFields;
}

/** One machine of the lab: a kernel with one process on it. */
export interface Host {
  readonly name: string;
  readonly address: string;
  kernel: NetKernel;
  net: MachineNet;
  process: { stop(): void; continue(): void; exit(): void };
}

/** A network with hosts h1, h2, … on one segment, 10.0.0.1, 10.0.0.2, …, without the simulation's kernel. */
export class Lab {
  readonly scheduler = new TestScheduler();
  readonly executor = new QueueExecutor();
  readonly scope = new Scope(this.executor, 'lab');
  readonly events: SeenEvent[] = [];
  readonly escapes: unknown[] = [];
  readonly network: Network;
  readonly hosts: Host[] = [];
  readonly clock: Clock;

  constructor(options: { hosts?: number; seed?: number; segment?: Partial<SegmentSpec> } = {}) {
    this.network = new Network({
      scheduler: this.scheduler,
      random: new TestRandom(`seed-${options.seed ?? 1}`),
      log: this.#log('net'),
      wants: () => true,
    });
    this.network.addSegment({ name: 'lan', ...options.segment });
    for (let i = 1; i <= (options.hosts ?? 2); i++) this.addHost(`h${i}`, `10.0.0.${i}`);
    this.clock = {
      nowUs: () => this.scheduler.nowUs(),
      monotonicUs: () => this.scheduler.nowUs(),
      after: (delayUs, callback): Timer => this.scheduler.schedule(delayUs, callback),
      sleep: (delayUs) =>
        wait<void>((resume) => {
          const timer = this.scheduler.schedule(delayUs, resume);
          return () => timer.cancel();
        }),
    };
  }

  #log(source: string): Log {
    return {
      event: <F extends EventFields>(kind: EventKind<F>, fields: F) => {
        this.events.push({ atUs: this.scheduler.nowUs(), source, name: kind.name, fields });
      },
      child: (name) => this.#log(name),
    };
  }

  addHost(name: string, address: string, segment = 'lan'): Host {
    this.network.addNode({ name, nics: [{ link: 'eth0', segment }] });
    const host = { name, address, ...this.#boot(name, address) };
    this.hosts.push(host);
    return host;
  }

  #boot(name: string, address: string): Pick<Host, 'kernel' | 'net' | 'process'> {
    const kernel = this.network.boot(name);
    const process = kernel.openProcess(this.owner(`${name}/main`));
    process.net.addAddress('eth0', `${address}/24`);
    return { kernel, net: process.net, process };
  }

  owner(path: string): SocketOwner {
    return { path, escaped: (error) => this.escapes.push(error) };
  }

  host(number: number): Host {
    return this.hosts[number - 1]!;
  }

  /** Boots the machine again, as after a power cut. */
  reboot(host: Host): void {
    Object.assign(host, this.#boot(host.name, host.address));
  }

  start<T>(body: () => Task<T>, name = 'task'): TaskHandle<T> {
    return this.scope.spawn(name, body);
  }

  /** Lets simulated time pass. */
  advance(durationUs: number): void {
    const limitUs = this.scheduler.nowUs() + durationUs;
    this.executor.drain();
    while (this.scheduler.step(limitUs)) this.executor.drain();
    this.scheduler.setNow(limitUs);
  }

  /** Runs a task to its end and gives its value or throws its error; fails when nothing is left to happen. */
  run<T>(body: () => Task<T>, limitUs = 4_000_000_000): T {
    let outcome: { value?: T; error?: unknown } | undefined;
    this.start(function* () {
      try {
        outcome = { value: yield* body() };
      } catch (error) {
        outcome = { error };
      }
    });
    const endUs = this.scheduler.nowUs() + limitUs;
    this.executor.drain();
    while (outcome === undefined && this.scheduler.step(endUs)) this.executor.drain();
    if (outcome === undefined) throw new Error(`task did not end by ${this.scheduler.nowUs()} us`);
    if ('error' in outcome) throw outcome.error;
    return outcome.value as T;
  }

  /** A connection from one host to another with both ends, over a listener that is closed again. */
  connect(from: Host, to: Host, port = 7): { client: Connection; server: Connection } {
    return this.run(function* () {
      const listener = yield* to.net.listen({ address: '0.0.0.0', port });
      const client = yield* from.net.dial({ address: to.address, port });
      const server = yield* listener.accept();
      listener.close();
      return { client, server };
    });
  }

  named(name: string): SeenEvent[] {
    return this.events.filter((event) => event.name === name);
  }
}

/** A segment of one byte that tells which it is. */
export function numbered(index: number, sizeBytes = 100): Segment {
  return { object: index, sizeBytes };
}

export function numberOf(segment: Segment | undefined): number {
  return (segment as { object: number }).object;
}

/** The code of the NetError that a task fails with, or `none`. */
export function* codeOf(task: Task<unknown>): Task<string> {
  try {
    yield* task;
    return 'none';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}
