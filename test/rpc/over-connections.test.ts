import { describe, expect, it } from 'vitest';
import { timeout } from '../../src/platform/combinators.ts';
import type { Rpc, RpcChannel, RpcError, RpcServer, ServeOptions } from '../../src/platform/rpc.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { createSimRpc } from '../../src/rpc/over-connections/rpc.ts';
import { rawMethod } from '../../src/rpc/raw.ts';
import { Ask, Echo, type EchoLog, echoHandlers } from './echo-service.ts';
import { noCrypto, TinyWorld, tinyRandom } from './tiny-world.ts';

const SERVER = { address: '10.0.0.10', port: 50_000 };

function hang(): Task<never> {
  return wait<never>(() => () => {});
}

class Bench {
  readonly world = new TinyWorld();
  readonly log: EchoLog = { lines: [] };
  readonly client: Rpc;
  readonly strictWire: boolean;

  constructor(strictWire = false) {
    this.strictWire = strictWire;
    this.client = this.rpcAt('10.0.0.2');
  }

  rpcAt(address: string): Rpc {
    const { clock, log, root } = this.world;
    return createSimRpc({
      net: this.world.net(address),
      clock,
      log,
      random: tinyRandom(7),
      crypto: noCrypto,
      scope: root.child(address),
      strictWire: this.strictWire,
    });
  }

  serve(address = SERVER.address, options: Partial<ServeOptions> = {}): RpcServer {
    const handlers = echoHandlers(this.log, hang);
    return this.world.run(() => this.rpcAt(address).serve({ address, port: SERVER.port, handlers, ...options }));
  }

  fails(body: () => Task<unknown>): RpcError {
    try {
      this.world.run(body);
    } catch (error) {
      return error as RpcError;
    }
    throw new Error('it did not fail');
  }
}

function ask(text: string) {
  return Ask.of({ text });
}

describe.each([false, true])('calls over connections (strictWire: %s)', (strictWire) => {
  it('unary: request, metadata, response; one segment each way', () => {
    const bench = new Bench(strictWire);
    bench.serve();
    const channel = bench.client.channel([SERVER]);
    const greet = (): Task<unknown> => channel.unary(Echo.Say, ask('you'), { metadata: { greeting: 'good day' } });
    expect(bench.world.run(greet)).toMatchObject({ text: 'good day you' });
    expect(channel.state()).toBe('ready');
    const before = bench.world.segments;
    const startUs = bench.world.nowUs;
    bench.world.run(greet);
    expect([bench.world.segments - before, bench.world.nowUs - startUs]).toEqual([2, 200]);
  });

  it('a status other than OK arrives with its message and metadata', () => {
    const bench = new Bench(strictWire);
    bench.serve();
    const channel = bench.client.channel([SERVER]);
    const error = bench.fails(() => channel.unary(Echo.Fail, ask('!')));
    expect(error.describe()).toBe('rpc error: code = AlreadyExists desc = etcd data directory is not empty !');
    expect(error.metadata).toEqual({ detail: 'x' });
    expect(bench.fails(() => channel.unary(Echo.Quick, ask('bad'))).status).toBe('InvalidArgument');
    expect(bench.world.run(() => channel.unary(Echo.Quick, ask('good')))).toMatchObject({ text: 'good' });
  });

  it('streams of every kind', () => {
    const bench = new Bench(strictWire);
    bench.serve();
    const channel = bench.client.channel([SERVER]);
    const got = bench.world.run(function* () {
      const all: unknown[] = [];
      const count = channel.stream(Echo.Count);
      count.send(Ask.of({ count: 3 }));
      for (let next = yield* count.receive(); next !== undefined; next = yield* count.receive()) all.push(next.text);
      const collect = channel.stream(Echo.Collect);
      for (const text of ['a', 'b', 'c']) collect.send(ask(text));
      collect.closeSend();
      all.push((yield* collect.receive())?.seen, yield* collect.receive());
      const chat = channel.stream(Echo.Chat);
      chat.send(ask('x'));
      all.push((yield* chat.receive())?.text);
      chat.send(ask('y'));
      chat.closeSend();
      all.push(chat.send(ask('too late')), (yield* chat.receive())?.text, yield* chat.receive());
      return all;
    });
    expect(got).toEqual(['0', '1', '2', ['a', 'b', 'c'], undefined, 'X', false, 'Y', undefined]);
  });

  it('an error ends a stream after what was sent before it', () => {
    const bench = new Bench(strictWire);
    bench.serve();
    const channel = bench.client.channel([SERVER]);
    const error = bench.fails(function* () {
      const chat = channel.stream(Echo.Chat);
      chat.send(ask('first'));
      chat.send(ask('fail'));
      expect((yield* chat.receive())?.text).toBe('FIRST');
      yield* chat.receive();
    });
    expect([error.status, error.message]).toEqual(['Aborted', 'as asked']);
  });

  it('a sender without credit waits until the reader reads', () => {
    const bench = new Bench(strictWire);
    bench.serve();
    const channel = bench.client.channel([SERVER]);
    const count = channel.stream(Echo.Count);
    count.send(Ask.of({ count: 40, data: new Uint8Array(10_000) }));
    bench.world.run(function* () {
      yield* count.receive();
    });
    bench.world.advanceBy(1_000_000);
    expect(bench.log.lines.length).toBeLessThan(10);
    const rest = bench.world.run(function* () {
      let n = 0;
      while ((yield* count.receive()) !== undefined) n++;
      return n;
    });
    expect([rest, bench.log.lines.length]).toEqual([39, 40]);
  });
});

describe('deadlines and cancellation', () => {
  it('a deadline ends the call on both sides', () => {
    const bench = new Bench();
    bench.serve();
    const channel = bench.client.channel([SERVER]);
    const error = bench.fails(() => channel.unary(Echo.Never, ask(''), { timeoutUs: 5_000_000 }));
    expect([error.status, error.message]).toEqual(['DeadlineExceeded', 'context deadline exceeded']);
    expect(bench.world.nowUs).toBeGreaterThanOrEqual(5_000_000);
    bench.world.advanceBy(10_000);
    expect(bench.log.lines).toEqual(['Never unwound']);
    const streamed = bench.fails(function* () {
      const stream = channel.stream(Echo.Hang, { timeoutUs: 1_000_000 });
      yield* stream.receive();
      yield* stream.receive();
    });
    expect(streamed.status).toBe('DeadlineExceeded');
  });

  it('a handler sees the deadline as a point of its own monotonic time', () => {
    const bench = new Bench();
    let seen = 0;
    const handlers = [
      {
        method: Echo.Say as never,
        *unary(_request: unknown, context: { deadlineUs?: number }): Task<unknown> {
          seen = context.deadlineUs ?? 0;
          return { text: '', seen: [], data: new Uint8Array(0) };
        },
      },
    ];
    bench.serve(SERVER.address, { handlers });
    const startUs = bench.world.nowUs;
    bench.world.run(() => bench.client.channel([SERVER]).unary(Echo.Say, ask(''), { timeoutUs: 7_000_000 }));
    expect(seen).toBeGreaterThan(startUs + 6_900_000);
    expect(seen).toBeLessThanOrEqual(startUs + 7_000_200);
  });

  it('cancelling the waiting task, or the stream, cancels the handler', () => {
    const bench = new Bench();
    bench.serve();
    const channel = bench.client.channel([SERVER]);
    const error = bench.fails(() =>
      timeout(bench.world.clock, 3_000_000, channel.unary(Echo.Never, ask('')), 'the call'),
    );
    expect(error.message).toBe('the call timed out after 3000000 us');
    const stream = channel.stream(Echo.Hang);
    bench.world.run(function* () {
      yield* stream.receive();
    });
    stream.cancel();
    bench.world.advanceBy(1_000);
    expect(bench.log.lines).toEqual(['Never unwound', 'Hang unwound']);
    expect(bench.fails(() => stream.receive()).describe()).toBe('rpc error: code = Canceled desc = context canceled');
  });
});

describe('connections of a channel', () => {
  it('a refused address: Unavailable with the text of grpc-go, then attempts with growing pauses', () => {
    const bench = new Bench();
    const channel = bench.client.channel([SERVER]);
    const error = bench.fails(() => channel.unary(Echo.Say, ask('')));
    expect(error.describe()).toBe(
      'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp ' +
        '10.0.0.10:50000: connect: connection refused"',
    );
    bench.world.advanceBy(40_000_000);
    const dialsSec = bench.world.dials.map((dial) => dial.atUs / 1_000_000);
    const gaps = dialsSec.slice(1).map((at, i) => at - dialsSec[i]!);
    const nominal = [1, 1.6, 2.56, 4.096, 6.554, 10.486];
    expect(gaps.length).toBeGreaterThanOrEqual(6);
    nominal.forEach((pause, i) => {
      const tolerance = i === 0 ? 0.001 : 0.2;
      expect(gaps[i]!).toBeGreaterThanOrEqual(pause * (1 - tolerance));
      expect(gaps[i]!).toBeLessThanOrEqual(pause * (1 + tolerance) + 0.001);
    });
  });

  it('wait-for-ready outlasts failed attempts; its deadline tells why there is no connection', () => {
    const bench = new Bench();
    const channel = bench.client.channel([SERVER]);
    const error = bench.fails(() => channel.unary(Echo.Say, ask(''), { waitForReady: true, timeoutUs: 2_000_000 }));
    expect([error.status, error.message]).toEqual([
      'DeadlineExceeded',
      'latest balancer error: connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.10:50000: ' +
        'connect: connection refused"',
    ]);
    const waiting = bench.world.root.spawn('w', () => channel.unary(Echo.Say, ask('late'), { waitForReady: true }));
    bench.world.advanceBy(1_000_000);
    bench.serve();
    expect(bench.world.run(() => waiting.join())).toMatchObject({ text: 'hello late' });
  });

  it('a silent address fails after the longest attempt', () => {
    const bench = new Bench();
    bench.world.silent.add(SERVER.address);
    const error = bench.fails(() => bench.client.channel([SERVER]).unary(Echo.Say, ask('')));
    expect(error.message).toBe(
      'connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.10:50000: i/o timeout"',
    );
    expect(bench.world.nowUs).toBe(20_000_000);
  });

  it('open calls end with Unavailable when the server closes, resets, or falls silent', () => {
    const bench = new Bench();
    const server = bench.serve();
    const channel = bench.client.channel([SERVER], { keepaliveTimeUs: 10_000_000, keepaliveTimeoutUs: 3_000_000 });
    const call = (): Task<unknown> => channel.unary(Echo.Never, ask(''));
    bench.world.after(1_000_000, () => server.close());
    expect(bench.fails(call).describe()).toBe('rpc error: code = Unavailable desc = error reading from server: EOF');
    bench.serve();
    bench.world.after(1_000_000, () => bench.world.connections.at(-1)!.peer!.abort());
    expect(bench.fails(call).message).toMatch(
      /^error reading from server: read tcp 10.0.0.2:\d+->10.0.0.10:50000: read: connection reset by peer$/,
    );
    const startUs = bench.world.nowUs;
    bench.world.after(1_000_000, () => {
      bench.world.connections.at(-1)!.cut = true;
    });
    expect(bench.fails(call).message).toBe('keepalive ping failed to receive ACK within timeout');
    expect(bench.world.nowUs - startUs).toBeLessThan(14_000_000);
  });

  it('keepalive leaves a healthy quiet connection alone', () => {
    const bench = new Bench();
    bench.serve();
    const channel = bench.client.channel([SERVER], { keepaliveTimeUs: 1_000_000, keepaliveTimeoutUs: 500_000 });
    const stream = channel.stream(Echo.Hang);
    bench.world.run(function* () {
      yield* stream.receive();
    });
    bench.world.advanceBy(30_000_000);
    expect(channel.state()).toBe('ready');
    expect(bench.world.dials.length).toBe(1);
  });

  it('several addresses are used in strict rotation, dead ones are left out and come back', () => {
    const bench = new Bench();
    const servers = ['10.0.0.11', '10.0.0.12', '10.0.0.13'].map((address) => {
      const handlers = [
        {
          method: Echo.Say as never,
          *unary(): Task<unknown> {
            return { text: address, seen: [], data: new Uint8Array(0) };
          },
        },
      ];
      return bench.serve(address, { handlers });
    });
    const channel = bench.client.channel(servers.map((server) => server.local));
    const who = (n: number): string[] =>
      bench.world.run(function* () {
        const seen: string[] = [];
        for (let i = 0; i < n; i++) seen.push((yield* channel.unary(Echo.Say, ask(''))).text);
        return seen;
      });
    who(1);
    bench.world.advanceBy(10_000);
    const six = who(6);
    expect(new Set(six.slice(0, 3)).size).toBe(3);
    expect(six.slice(3)).toEqual(six.slice(0, 3));
    servers[1]!.close();
    bench.world.advanceBy(10_000);
    expect(who(4)).not.toContain('10.0.0.12');
  });

  it('setEndpoints moves new calls and lets open streams end', () => {
    const bench = new Bench();
    bench.serve();
    bench.serve('10.0.0.11');
    const channel = bench.client.channel([SERVER]);
    const chat = channel.stream(Echo.Chat);
    chat.send(ask('a'));
    bench.world.run(() => chat.receive());
    channel.setEndpoints([{ address: '10.0.0.11', port: SERVER.port }]);
    bench.world.run(() => channel.unary(Echo.Say, ask('b')));
    expect(bench.world.dials.map((dial) => dial.to.address)).toEqual(['10.0.0.10', '10.0.0.11']);
    chat.send(ask('c'));
    expect(bench.world.run(() => chat.receive())).toMatchObject({ text: 'C' });
    channel.setEndpoints([]);
    expect(bench.fails(() => channel.unary(Echo.Say, ask(''))).message).toBe(
      'name resolver error: produced zero addresses',
    );
  });

  it('close ends calls with Canceled and is final', () => {
    const bench = new Bench();
    bench.serve();
    const channel = bench.client.channel([SERVER]);
    bench.world.after(500_000, () => channel.close());
    expect(bench.fails(() => channel.unary(Echo.Never, ask(''))).describe()).toBe(
      'rpc error: code = Canceled desc = grpc: the client connection is closing',
    );
    expect(bench.fails(() => channel.unary(Echo.Say, ask(''))).status).toBe('Canceled');
    expect(channel.state()).toBe('shutdown');
    bench.world.advanceBy(1_000_000);
    expect(bench.log.lines).toEqual(['Never unwound']);
  });
});

describe('unknown methods', () => {
  it('are Unimplemented, in the words of grpc-go', () => {
    const bench = new Bench();
    bench.serve(SERVER.address, { handlers: echoHandlers(bench.log, hang).slice(0, 1) });
    const channel = bench.client.channel([SERVER]);
    expect(bench.fails(() => channel.unary(Echo.Quick, ask(''))).describe()).toBe(
      'rpc error: code = Unimplemented desc = unknown method Quick for service test.Echo',
    );
    const other = { ...Echo.Quick, path: '/machine.MachineService/Version' };
    expect(bench.fails(() => channel.unary(other, ask(''))).message).toBe('unknown service machine.MachineService');
  });

  it('can be forwarded unread by a proxy, unary and streaming', () => {
    const bench = new Bench();
    bench.serve();
    const proxy = bench.rpcAt('10.0.0.20');
    const onward = proxy.channel([SERVER]);
    bench.world.run(() =>
      proxy.serve({
        address: '10.0.0.20',
        port: 50_000,
        handlers: [],
        *unknownMethod(near) {
          const { ':path': path, ...metadata } = near.context.metadata;
          const far = onward.stream(rawMethod(path!), { metadata });
          for (let next = yield* near.receive(); next !== undefined; next = yield* near.receive()) far.send(next);
          far.closeSend();
          for (let next = yield* far.receive(); next !== undefined; next = yield* far.receive()) near.send(next);
        },
      }),
    );
    const channel: RpcChannel = bench.client.channel([{ address: '10.0.0.20', port: 50_000 }]);
    const said = bench.world.run(() => channel.unary(Echo.Say, ask('you'), { metadata: { greeting: 'ahoy' } }));
    expect(said).toMatchObject({ text: 'ahoy you' });
    expect(bench.fails(() => channel.unary(Echo.Fail, ask('?'))).status).toBe('AlreadyExists');
    const collect = channel.stream(Echo.Collect);
    for (const text of ['a', 'b']) collect.send(ask(text));
    collect.closeSend();
    expect(bench.world.run(() => collect.receive())).toMatchObject({ seen: ['a', 'b'] });
  });
});
