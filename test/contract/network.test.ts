import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timeout } from '../../src/platform/combinators.ts';
import { TimeoutError } from '../../src/platform/errors.ts';
import type { Connection, Endpoint, Listener, Segment } from '../../src/platform/net.ts';
import type { Task } from '../../src/platform/task.ts';
import { codeOf, readBytes } from './network-support.ts';
import type { Peer, RunningWorld } from './world.ts';
import { WORLDS } from './worlds.ts';

const MS = 1_000;

function pattern(sizeBytes: number, start: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (let i = 0; i < sizeBytes; i++) bytes[i] = (start + i * 7) & 0xff;
  return bytes;
}

for (const world of WORLDS) {
  describe(`network on ${world.name}`, () => {
    let running: RunningWorld;
    let a: Peer;
    let b: Peer;

    beforeAll(async () => {
      running = await world.start({ peers: 2 });
      a = running.peers[0]!;
      b = running.peers[1]!;
    });
    afterAll(() => running.stop());

    const listen = (peer: Peer, address = '0.0.0.0', port = 0): Promise<Listener> =>
      running.run(peer, () => peer.platform.net.listen({ address, port }));

    const dial = (from: Peer, to: Endpoint): Promise<Connection> => running.run(from, () => from.platform.net.dial(to));

    /** A connection from `a` to `b`, both ends. */
    async function connect(): Promise<{ client: Connection; server: Connection; listener: Listener }> {
      const listener = await listen(b);
      const to = { address: b.address, port: listener.local.port };
      const [client, server] = await Promise.all([dial(a, to), running.run(b, () => listener.accept())]);
      return { client, server, listener };
    }

    it('connects, and both ends agree on who they are', async () => {
      const { client, server, listener } = await connect();
      expect(client.remote).toEqual({ address: b.address, port: listener.local.port });
      expect(server.local).toEqual(client.remote);
      expect(server.remote).toEqual(client.local);
      expect(client.local.address).toBe(a.address);
      listener.close();
      client.close();
      server.close();
    });

    it('carries bytes in order in both directions at once', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      const exchange = (peer: Peer, own: Connection, start: number) =>
        running.run(peer, function* () {
          for (let i = 0; i < 20; i++) expect(own.send(pattern(100, start + i))).toBe(true);
          return yield* readBytes(own, 2_000);
        });
      const [atClient, atServer] = await Promise.all([exchange(a, client, 1), exchange(b, server, 101)]);
      const expected = (start: number) => Array.from({ length: 20 }, (_, i) => [...pattern(100, start + i)]).flat();
      expect(atClient).toEqual(expected(101));
      expect(atServer).toEqual(expected(1));
      client.close();
      server.close();
    });

    it('carries a lot, tells when it is acknowledged, and never more than once', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      const chunk = pattern(100_000, 3);
      const [, total] = await Promise.all([
        running.run(a, function* () {
          for (let i = 0; i < 40; i++) client.send(chunk);
          expect(client.unsentBytes()).toBeGreaterThan(0);
          yield* client.drained(1_000_000);
          expect(client.unsentBytes()).toBeLessThanOrEqual(1_000_000);
          yield* client.drained(0);
          expect(client.unsentBytes()).toBe(0);
          client.shutdownWrite();
        }),
        running.run(b, function* () {
          let count = 0;
          for (let segment = yield* server.receive(); segment !== undefined; segment = yield* server.receive()) {
            const bytes = segment as Uint8Array;
            if (bytes[0] !== chunk[count % chunk.length]) throw new Error(`wrong byte at ${count}`);
            count += bytes.length;
          }
          return count;
        }),
      ]);
      expect(total).toBe(4_000_000);
      client.close();
      server.close();
    });

    it('looks names up: an address and the own host are known, what nobody has is told as such', async () => {
      const lookup = (name: string): Promise<unknown> => running.run(a, () => a.platform.net.lookup(name));
      expect(await lookup(b.address)).toEqual([b.address]);
      expect(await running.run(a, () => codeOf(a.platform.net.lookup('nobody.invalid')))).toBe('unknown-host');
      expect(await running.run(a, () => codeOf(a.platform.net.dial({ address: 'nobody.invalid', port: 1 })))).toBe(
        'unknown-host',
      );
      const listener = await listen(a);
      const client = await dial(a, { address: 'localhost', port: listener.local.port });
      expect(client.remote.port).toBe(listener.local.port);
      client.close();
      listener.close();
    });

    it('refuses where nobody listens, and after a listener was closed', async () => {
      const listener = await listen(b);
      const to = { address: b.address, port: listener.local.port };
      listener.close();
      expect(await running.run(a, () => codeOf(a.platform.net.dial(to)))).toBe('refused');
    });

    it('ends a waiting accept, and every later one, with `closed`', async () => {
      const listener = await listen(b);
      const codes = await running.run(b, function* () {
        b.platform.clock.after(5 * MS, () => listener.close());
        return [yield* codeOf(listener.accept()), yield* codeOf(listener.accept())];
      });
      expect(codes).toEqual(['closed', 'closed']);
    });

    it('does not let two listen on one address and port; the port is free again after close', async () => {
      const first = await listen(b, b.address);
      const { port } = first.local;
      const again = (address: string) => running.run(b, () => codeOf(b.platform.net.listen({ address, port })));
      expect(await again(b.address)).toBe('address-in-use');
      expect(await again('0.0.0.0')).toBe('address-in-use');
      first.close();
      const second = await listen(b, b.address, port);
      expect(second.local).toEqual({ address: b.address, port });
      second.close();
    });

    it('does not listen on, or dial from, an address of somebody else', async () => {
      const address = '203.0.113.7';
      const codes = await running.run(a, function* () {
        const to = { address: b.address, port: 1 };
        return [
          yield* codeOf(a.platform.net.listen({ address, port: 0 })),
          yield* codeOf(a.platform.net.bindDatagram({ address, port: 0 })),
          yield* codeOf(a.platform.net.dial(to, { localAddress: address })),
        ];
      });
      expect(codes).toEqual(['address-not-available', 'address-not-available', 'address-not-available']);
    });

    it('keeps the other direction open after shutdownWrite', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      const [atServer, atClient] = await Promise.all([
        running.run(b, function* () {
          const bytes = yield* readBytes(server, 2);
          expect(yield* server.receive()).toBeUndefined();
          server.send(Uint8Array.of(9));
          server.close();
          return bytes;
        }),
        running.run(a, function* () {
          client.send(Uint8Array.of(1));
          client.shutdownWrite();
          expect(client.send(Uint8Array.of(2))).toBe(false);
          const bytes = yield* readBytes(client, 2);
          expect(yield* client.receive()).toBeUndefined();
          return bytes;
        }),
      ]);
      expect(atServer).toEqual([1]);
      expect(atClient).toEqual([9]);
      client.close();
    });

    it('delivers what was sent before close, then undefined; the closer itself gets `closed`', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      const [code, bytes] = await Promise.all([
        running.run(a, function* () {
          client.send(pattern(50_000, 1));
          client.close();
          expect(client.send(Uint8Array.of(1))).toBe(false);
          return yield* codeOf(client.receive());
        }),
        running.run(b, () => readBytes(server, 50_001)),
      ]);
      expect(code).toBe('closed');
      expect(bytes).toEqual([...pattern(50_000, 1)]);
      server.close();
    });

    it('resets the peer on abort: a waiting reader, a writer, and drained', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      const [code] = await Promise.all([
        running.run(b, () => codeOf(server.receive())),
        running.run(a, function* () {
          yield* a.platform.clock.sleep(5 * MS);
          client.abort();
        }),
      ]);
      expect(code).toBe('reset');
      expect(server.send(Uint8Array.of(1))).toBe(false);
      expect(await running.run(b, () => codeOf(server.drained(0)))).toBe('reset');
    });

    it('breaks a connection whose peer was closed, once something is sent to it', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      server.close();
      const ended = await running.run(a, function* () {
        expect(yield* client.receive()).toBeUndefined();
        for (let i = 0; i < 200; i++) {
          if (!client.send(Uint8Array.of(1))) return true;
          yield* a.platform.clock.sleep(10 * MS);
        }
        return false;
      });
      expect(ended).toBe(true);
    });

    it('hands segments to a consumer, those that waited first, and ends it once', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      const bytes: number[] = [];
      const ends: (Error | undefined)[] = [];
      await running.run(a, function* () {
        client.send(Uint8Array.of(1, 2));
        yield* client.drained(0);
      });
      await running.run(b, function* () {
        server.consume(
          (segment: Segment) => bytes.push(...(segment as Uint8Array)),
          (error) => ends.push(error),
        );
        yield* b.platform.clock.sleep(5 * MS);
      });
      await running.run(a, function* () {
        client.send(Uint8Array.of(3));
        client.close();
        yield* a.platform.clock.sleep(50 * MS);
      });
      expect(bytes).toEqual([1, 2, 3]);
      expect(ends).toEqual([undefined]);
      server.close();
    });

    it('ends a consumer with the error that broke the connection', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      const ends: unknown[] = [];
      await running.run(b, function* () {
        server.consume(
          () => {},
          (error) => ends.push((error as { code?: string } | undefined)?.code),
        );
        client.abort();
        yield* b.platform.clock.sleep(50 * MS);
      });
      expect(ends).toEqual(['reset']);
    });

    it('does not call a consumer of a connection that this side closed', async () => {
      const { client, server, listener } = await connect();
      listener.close();
      let calls = 0;
      await running.run(b, function* () {
        server.consume(
          () => {
            calls++;
          },
          () => {
            calls++;
          },
        );
        server.close();
        yield* b.platform.clock.sleep(30 * MS);
      });
      expect(calls).toBe(0);
      client.close();
    });

    it('loses nothing when a wait for a connection or for data is given up', async () => {
      const listener = await listen(b);
      const to = { address: b.address, port: listener.local.port };
      const { clock } = b.platform;
      const gaveUp = (task: Task<unknown>) =>
        running.run(b, function* () {
          try {
            yield* timeout(clock, 5 * MS, task);
            return false;
          } catch (error) {
            return error instanceof TimeoutError;
          }
        });
      expect(await gaveUp(listener.accept())).toBe(true);
      const [client, server] = await Promise.all([dial(a, to), running.run(b, () => listener.accept())]);
      expect(await gaveUp(server.receive())).toBe(true);
      client.send(Uint8Array.of(4));
      expect(await running.run(b, () => readBytes(server, 1))).toEqual([4]);
      listener.close();
      client.close();
      server.close();
    });

    it('sends datagrams that tell where they come from', async () => {
      const [server, client] = await Promise.all([
        running.run(b, () => b.platform.net.bindDatagram({ address: '0.0.0.0', port: 0 })),
        running.run(a, () => a.platform.net.bindDatagram({ address: a.address, port: 0 })),
      ]);
      const to = { address: b.address, port: server.local.port };
      const [, answer] = await Promise.all([
        running.run(b, function* () {
          const { from, payload } = yield* server.receive();
          expect(from).toEqual(client.local);
          server.send(from, Uint8Array.of((payload as Uint8Array)[0]! + 1));
        }),
        running.run(a, function* () {
          client.send(to, Uint8Array.of(41));
          return yield* client.receive();
        }),
      ]);
      expect([...(answer.payload as Uint8Array)]).toEqual([42]);
      expect(answer.from).toEqual(to);
      server.close();
      client.close();
      expect(await running.run(a, () => codeOf(client.receive()))).toBe('closed');
    });

    it('refuses a datagram that is too long, and a port in use', async () => {
      const codes = await running.run(a, function* () {
        const socket = yield* a.platform.net.bindDatagram({ address: a.address, port: 0 });
        const tooLong = function* (): Task<void> {
          socket.send({ address: b.address, port: 9 }, new Uint8Array(65_508));
        };
        const { port } = socket.local;
        const seen = [
          yield* codeOf(tooLong()),
          yield* codeOf(a.platform.net.bindDatagram({ address: a.address, port })),
        ];
        socket.close();
        return seen;
      });
      expect(codes).toEqual(['message-too-long', 'address-in-use']);
    });

    it('shows its own address on a link that is up and has a MAC', () => {
      for (const peer of [a, b]) {
        const links = peer.platform.net.links();
        const own = links.find((link) => link.addresses.some((cidr) => cidr.startsWith(`${peer.address}/`)));
        expect(own?.up).toBe(true);
        expect(own?.mac).toMatch(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/);
        expect(own?.mtuBytes).toBeGreaterThanOrEqual(1_280);
      }
    });

    it('reaches itself by loopback and by its own address', async () => {
      const listener = await listen(b, '0.0.0.0');
      for (const address of ['127.0.0.1', b.address]) {
        const to = { address, port: listener.local.port };
        const [client, server] = await Promise.all([dial(b, to), running.run(b, () => listener.accept())]);
        client.send(Uint8Array.of(5));
        expect(await running.run(b, () => readBytes(server, 1))).toEqual([5]);
        client.close();
        server.close();
      }
      listener.close();
    });
  });
}
