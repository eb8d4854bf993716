import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import type { Container } from '../../src/platform/containers.ts';
import { NetError } from '../../src/platform/errors.ts';
import type { Connection, Listener } from '../../src/platform/net.ts';
import type { Task } from '../../src/platform/task.ts';
import { BackendList } from '../../src/services/load-balancer/backends.ts';
import { loadBalancer } from '../../src/services/load-balancer/server.ts';
import { readBytes } from '../contract/network-support.ts';
import type { Peer, RunningWorld } from '../contract/world.ts';
import { WORLDS } from '../contract/worlds.ts';

const MS = 1_000;
const SECOND = 1_000_000;
const PORT = 6_443;
const IMAGE = 'services/load-balancer:v1';
const MODULE = new URL('../../src/services/load-balancer/server.ts', import.meta.url).href;

const at = (port: number) => ({ address: '10.0.0.1', port });

describe('backends', () => {
  it('take turns, those that do not answer are left out, nobody is counted before the first check', () => {
    const list = new BackendList([at(1), at(2), at(3)]);
    expect(list.next()).toBe(undefined);
    expect([0, 1, 2].map((index) => list.setHealthy(index, true))).toEqual([true, true, true]);
    const ports = (count: number) => Array.from({ length: count }, () => list.next()?.port);
    expect(ports(4)).toEqual([1, 2, 3, 1]);
    expect([list.setHealthy(1, false), list.setHealthy(1, false)]).toEqual([true, false]);
    expect(ports(3)).toEqual([3, 1, 3]);
    list.setHealthy(1, true);
    expect(ports(3)).toEqual([1, 2, 3]);
  });
});

for (const world of WORLDS) {
  describe(`load balancer on ${world.name}`, () => {
    let running: RunningWorld;
    let balancer: Peer;
    let backends: readonly Peer[];
    let client: Peer;
    let container: Container | undefined;
    let listeners: Listener[] = [];
    /** Connections that each of these has accepted: the first is the balancer's check. */
    const accepted = new Map<Listener, number>();

    beforeAll(async () => {
      const program = { image: IMAGE, program: loadBalancer, module: MODULE, export: 'loadBalancer' };
      running = await world.start({ peers: 4, programs: [program] });
      [balancer, client] = running.peers as [Peer, Peer];
      backends = running.peers.slice(2);
      await running.run(balancer, () => balancer.containers.pull(IMAGE));
    });
    afterEach(async () => {
      for (const listener of listeners) listener.close();
      listeners = [];
      const ended = container;
      container = undefined;
      if (ended === undefined) return;
      ended.signal('SIGTERM');
      expect(await running.run(balancer, () => ended.wait())).toEqual({ code: 0 });
    });
    afterAll(() => running.stop());

    const launch = (flags: readonly string[]): Promise<Container> =>
      running.run(balancer, () =>
        balancer.containers.run({
          id: 'load-balancer',
          namespace: 'system',
          image: IMAGE,
          args: ['load-balancer', ...flags],
          network: 'host',
        }),
      );

    const startBalancer = async (): Promise<void> => {
      const flags = backends.map((peer) => `--backend=${peer.address}:${PORT}`);
      container = await launch([`--listen=:${PORT}`, ...flags]);
      await running.run(balancer, function* () {
        while (container?.logTail(1).length === 0) yield* balancer.platform.clock.sleep(10 * MS);
        while (listeners.some((listener) => accepted.get(listener) === undefined)) {
          yield* balancer.platform.clock.sleep(10 * MS);
        }
        yield* balancer.platform.clock.sleep(50 * MS);
      });
    };

    /** A backend that lets `serve` have every connection, except those that end at once: checks. */
    const startBackend = async (peer: Peer, serve: (connection: Connection) => Task<void>): Promise<Listener> => {
      const listener = await running.run(peer, () => peer.platform.net.listen({ address: '0.0.0.0', port: PORT }));
      listeners.push(listener);
      await running.run(peer, function* () {
        peer.platform.scope.spawn('backend', function* () {
          try {
            for (;;) {
              const connection = yield* listener.accept();
              accepted.set(listener, (accepted.get(listener) ?? 0) + 1);
              peer.platform.scope.spawn('connection', () => quietly(serve(connection)));
            }
          } catch (error) {
            if (!(error instanceof NetError)) throw error;
          }
        });
      });
      return listener;
    };

    function* quietly(task: Task<void>): Task<void> {
      try {
        yield* task;
      } catch (error) {
        if (!(error instanceof NetError)) throw error;
      }
    }

    /** Reads to the end, then answers with its name and what it read, and ends. */
    const answer = (name: string) =>
      function* (connection: Connection): Task<void> {
        const request = yield* readBytes(connection, Number.MAX_SAFE_INTEGER);
        if (request.length > 0) connection.send(utf8Encode(`${name} read ${utf8Decode(Uint8Array.from(request))}`));
        connection.close();
      };

    const dial = () => client.platform.net.dial({ address: balancer.address, port: PORT });

    /** What a request gets, or why it gets nothing. */
    const ask = (text: string): Promise<string> =>
      running.run(client, function* () {
        try {
          const connection = yield* dial();
          connection.send(utf8Encode(text));
          connection.shutdownWrite();
          const reply = yield* readBytes(connection, Number.MAX_SAFE_INTEGER);
          connection.close();
          return utf8Decode(Uint8Array.from(reply));
        } catch (error) {
          if (error instanceof NetError) return error.code;
          throw error;
        }
      });

    it('connections go in turn; the end of one direction leaves the other open', async () => {
      for (const [i, peer] of backends.entries()) await startBackend(peer, answer(`backend ${i}`));
      await startBalancer();
      const replies = [await ask('a'), await ask('b'), await ask('c')];
      expect(replies).toEqual(['backend 0 read a', 'backend 1 read b', 'backend 0 read c']);
    });

    it('refuses by a reset when nobody answers', async () => {
      await startBalancer();
      expect(await ask('a')).toBe('reset');
    });

    it('a backend that breaks a connection breaks it for the client', async () => {
      await startBackend(backends[0]!, function* (connection) {
        if ((yield* connection.receive()) !== undefined) connection.abort();
      });
      await startBalancer();
      const end = await running.run(client, function* () {
        const connection = yield* dial();
        connection.send(Uint8Array.of(1));
        try {
          return yield* connection.receive();
        } catch (error) {
          return (error as NetError).code;
        }
      });
      expect(end).toBe('reset');
    });

    it('carries a lot, and holds a fast sender back while the other side does not read', async () => {
      const total = 24_000_000;
      let reads = false;
      let received = 0;
      await startBackend(backends[0]!, function* (connection) {
        const { clock } = backends[0]!.platform;
        while (!reads) yield* clock.sleep(20 * MS);
        for (let part = yield* connection.receive(); part !== undefined; part = yield* connection.receive()) {
          received += (part as Uint8Array).length;
        }
        connection.close();
      });
      await startBalancer();
      await running.run(client, function* () {
        const connection = yield* dial();
        for (let sent = 0; sent < total; sent += 1_000_000) connection.send(new Uint8Array(1_000_000));
        yield* client.platform.clock.sleep(500 * MS);
        expect(connection.unsentBytes()).toBeGreaterThan(1_000_000);
        reads = true;
        connection.shutdownWrite();
        expect(yield* connection.receive()).toBe(undefined);
        connection.close();
      });
      expect(received).toBe(total);
    });

    it('refuses to start with bad flags, or on a port in use', async () => {
      const outcome = async (...flags: string[]): Promise<unknown> => {
        const bad = await launch(flags);
        const { code } = await running.run(balancer, () => bad.wait());
        return [code, bad.logTail(1)[0]];
      };
      expect(await outcome('--listen=:1', '--backend=10.0.0.1:1', '--mode=http')).toEqual([
        2,
        'failed to start: flag provided but not defined: -mode',
      ]);
      expect(await outcome('--listen=:1')).toEqual([2, 'failed to start: backend: at least one address:port expected']);
      const taken = await running.run(balancer, () =>
        balancer.platform.net.listen({ address: '0.0.0.0', port: PORT + 1 }),
      );
      expect(await outcome(`--listen=:${PORT + 1}`, '--backend=10.0.0.1:1')).toEqual([
        1,
        `failed to start: listen tcp 0.0.0.0:${PORT + 1}: bind: address already in use`,
      ]);
      taken.close();
    });

    describe.skipIf(!world.isSimulation)('in a simulation: minutes pass', () => {
      it('leaves a dead backend out after its next check, and takes it back', async () => {
        const first = await startBackend(backends[0]!, answer('backend 0'));
        await startBackend(backends[1]!, answer('backend 1'));
        await startBalancer();
        first.close();
        running.simulation!.advance(6 * SECOND);
        expect([await ask('a'), await ask('b')]).toEqual(['backend 1 read a', 'backend 1 read b']);
        await startBackend(backends[0]!, answer('backend 0'));
        running.simulation!.advance(6 * SECOND);
        expect([await ask('c'), await ask('d')].sort()).toEqual(['backend 0 read c', 'backend 1 read d']);
      });

      it('a backend behind a partition is left out within 8 s', async () => {
        for (const [i, peer] of backends.entries()) await startBackend(peer, answer(`backend ${i}`));
        await startBalancer();
        const cut = running.simulation!.faults.partition([balancer.name], [backends[0]!.name]);
        running.simulation!.advance(8 * SECOND);
        expect([await ask('a'), await ask('b')]).toEqual(['backend 1 read a', 'backend 1 read b']);
        cut.heal();
        running.simulation!.advance(9 * SECOND);
        expect([await ask('c'), await ask('d')].sort()).toEqual(['backend 0 read c', 'backend 1 read d']);
      });
    });
  });
}
