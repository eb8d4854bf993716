import type { Due, NetScheduler } from '../src/net/deps.ts';
import { fixedLatency, lanLatency, Network } from '../src/net/index.ts';
import type { Timer } from '../src/platform/clock.ts';
import type { Log } from '../src/platform/log.ts';
import type { Connection, MachineNet, Segment } from '../src/platform/net.ts';
import { Scope } from '../src/platform/scope.ts';
import type { Task } from '../src/platform/task.ts';
import { EventQueue } from '../src/sim/queue.ts';
import { KeyedRandom } from '../src/sim/random.ts';
import type { Figure } from './figure.ts';

/**
 * How fast the network is, with the simulation's own event queue and random streams but nothing else of it.
 * `npx tsx bench/net.ts` prints one JSON object; every figure is the median of five runs.
 */

class BenchWorld implements NetScheduler {
  readonly network: Network;
  events = 0;
  #queue = new EventQueue();
  #nowUs = 0;
  #ready: { run(): void }[] = [];
  readonly scope: Scope;

  constructor(hosts: number, jitter: boolean) {
    const silent: Log = { event: () => {}, child: () => silent };
    this.scope = new Scope({ ready: (task) => this.#ready.push(task), escaped: fail }, 'bench');
    this.network = new Network({
      scheduler: this,
      random: new KeyedRandom('bench', 'net'),
      log: silent,
      wants: () => false,
    });
    this.network.addSegment({ name: 'lan', latency: jitter ? lanLatency : fixedLatency(150) });
    for (let i = 1; i <= hosts; i++) this.network.addNode({ name: `h${i}`, nics: [{ link: 'eth0', segment: 'lan' }] });
  }

  net(host: number): MachineNet {
    const process = this.network
      .boot(`h${host}`)
      .openProcess({ path: `h${host}`, escaped: (error) => fail('h', error) });
    process.net.addAddress('eth0', `10.0.0.${host}/24`);
    return process.net;
  }

  nowUs(): number {
    return this.#nowUs;
  }

  post(delayUs: number, due: Due): void {
    this.#queue.post(this.#nowUs + delayUs, due);
  }

  schedule(delayUs: number, callback: () => void): Timer {
    return this.#queue.schedule(this.#nowUs + delayUs, callback, {
      path: 'bench',
      dispatch: (action: () => void) => action(),
    });
  }

  #drain(): void {
    for (let task = this.#ready.shift(); task !== undefined; task = this.#ready.shift()) task.run();
  }

  /** Runs until nothing is due before `untilUs`. */
  advance(untilUs: number): void {
    this.#drain();
    for (;;) {
      const atUs = this.#queue.peekTimeUs();
      if (atUs === undefined || atUs > untilUs) break;
      this.#nowUs = atUs;
      this.events++;
      this.#queue.takeFirst()!.fire();
      if (this.#ready.length > 0) this.#drain();
    }
  }

  connect(from: MachineNet, to: MachineNet, address: string, port: number): [Connection, Connection] {
    let ends: [Connection, Connection] | undefined;
    this.scope.spawn('connect', function* (): Task<void> {
      const listener = yield* to.listen({ address: '0.0.0.0', port });
      const client = yield* from.dial({ address, port });
      ends = [client, yield* listener.accept()];
    });
    this.advance(this.#nowUs + 1_000_000);
    if (ends === undefined) throw new Error('not connected');
    return ends;
  }
}

function fail(path: string, error: unknown): never {
  throw new Error(`escaped from ${path}`, { cause: error });
}

const SEGMENT: Segment = Object.freeze({ object: Object.freeze({}), sizeBytes: 200 });
const FOREVER = Number.MAX_SAFE_INTEGER;
const ignoreEnd = (): void => {};

interface Result {
  readonly perSecond: number;
  readonly eventsPerSegment: number;
}

function median(runs: readonly Result[]): Result {
  return [...runs].sort((a, b) => a.perSecond - b.perSecond)[runs.length >> 1]!;
}

function measure(segments: number, world: BenchWorld, body: () => void): Result {
  const before = world.events;
  const startNs = process.hrtime.bigint();
  body();
  const seconds = Number(process.hrtime.bigint() - startNs) / 1e9;
  return {
    perSecond: Math.round(segments / seconds),
    eventsPerSegment: Math.round(((world.events - before) / segments) * 1000) / 1000,
  };
}

/** One direction, `window` segments in flight, each delivery sends the next. */
function oneWay(segments: number, window: number, jitter: boolean): Result {
  const world = new BenchWorld(2, jitter);
  const [client, server] = world.connect(world.net(1), world.net(2), '10.0.0.2', 80);
  let left = segments;
  server.consume(() => {
    if (left > 0) {
      left--;
      client.send(SEGMENT);
    }
  }, ignoreEnd);
  return measure(segments, world, () => {
    for (let i = 0; i < window; i++) {
      left--;
      client.send(SEGMENT);
    }
    world.advance(FOREVER);
  });
}

/** Request and answer by turns on `pairs` connections at once. */
function pingPong(segments: number, pairs: number): Result {
  const world = new BenchWorld(2, true);
  const [a, b] = [world.net(1), world.net(2)];
  let left = segments;
  const clients: Connection[] = [];
  for (let i = 0; i < pairs; i++) {
    const [client, server] = world.connect(a, b, '10.0.0.2', 1000 + i);
    clients.push(client);
    for (const end of [client, server]) {
      end.consume(() => {
        if (left-- > 0) end.send(SEGMENT);
      }, ignoreEnd);
    }
  }
  return measure(segments, world, () => {
    for (const client of clients) client.send(SEGMENT);
    world.advance(FOREVER);
  });
}

/** Connections made and closed again. */
function connections(count: number): Result {
  const world = new BenchWorld(2, true);
  const [a, b] = [world.net(1), world.net(2)];
  world.scope.spawn('server', function* (): Task<void> {
    const listener = yield* b.listen({ address: '0.0.0.0', port: 80 });
    for (;;) (yield* listener.accept()).close();
  });
  world.scope.spawn('client', function* (): Task<void> {
    for (let i = 0; i < count; i++) {
      const connection = yield* a.dial({ address: '10.0.0.2', port: 80 });
      yield* connection.receive();
      connection.close();
    }
  });
  return measure(count, world, () => world.advance(FOREVER));
}

/** The figures of the simulated network: segments (or connections) per second, and events spent on each. */
export function benchNet(): Figure[] {
  const repeat = (run: () => Result): Result => median([run(), run(), run(), run(), run()]);
  const cases: Readonly<Record<string, Result>> = {
    'one way, 10 in flight': repeat(() => oneWay(500_000, 10, true)),
    'one way, fixed latency': repeat(() => oneWay(500_000, 10, false)),
    'one way, 1000 in flight': repeat(() => oneWay(500_000, 1000, true)),
    'ping-pong, 100 pairs': repeat(() => pingPong(500_000, 100)),
    'connections opened and closed': repeat(() => connections(25_000)),
  };
  return Object.entries(cases).flatMap(([name, result]) => [
    { name, value: result.perSecond, unit: name.startsWith('connections') ? 'connections/s' : 'segments/s' },
    { name: `${name}, events each`, value: result.eventsPerSegment, unit: 'events' },
  ]);
}
