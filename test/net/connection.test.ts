import { describe, expect, it } from 'vitest';
import { MILLISECOND_US, SECOND_US } from '../../src/platform/clock.ts';
import { type Segment, segmentSizeBytes } from '../../src/platform/net.ts';
import { codeOf, Lab, numbered, numberOf } from './lab.ts';

describe('connections', () => {
  it('are accepted and carry segments both ways in order', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    expect(client.remote).toEqual({ address: '10.0.0.2', port: 7 });
    expect(server.remote).toEqual(client.local);
    const got = lab.run(function* () {
      for (let i = 0; i < 50; i++) client.send(numbered(i));
      const seen: number[] = [];
      for (let i = 0; i < 50; i++) seen.push(numberOf(yield* server.receive()));
      server.send(numbered(99));
      seen.push(numberOf(yield* client.receive()));
      return seen;
    });
    expect(got).toEqual([...Array.from({ length: 50 }, (_, i) => i), 99]);
  });

  it('need one event per segment on a healthy path', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    let seen = 0;
    server.consume(
      () => {
        seen++;
      },
      () => {},
    );
    lab.advance(SECOND_US);
    const before = lab.scheduler.fired;
    for (let i = 0; i < 100; i++) {
      client.send(numbered(i));
      lab.advance(1);
    }
    lab.advance(SECOND_US);
    expect(seen).toBe(100);
    expect(lab.scheduler.fired - before).toBe(100);
    expect(client.unsentBytes()).toBe(0);
  });

  it('send what is said in one instant as one segment, as far as the wire takes it at one go', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    const seen: [number, number][] = [];
    server.consume(
      (segment) => seen.push([segmentSizeBytes(segment), lab.clock.nowUs()]),
      () => {},
    );
    lab.advance(SECOND_US);
    const before = lab.scheduler.fired;
    for (let i = 1; i <= 20; i++) client.send(new Uint8Array(10_000 + i));
    expect(client.unsentBytes()).toBe(200_210);
    lab.advance(SECOND_US);
    expect(seen.map(([size]) => size)).toEqual(Array.from({ length: 20 }, (_, i) => 10_001 + i));
    expect(lab.scheduler.fired - before).toBe(4);
    expect(new Set(seen.map(([, atUs]) => atUs)).size).toBeLessThanOrEqual(4);
    expect(client.unsentBytes()).toBe(0);
  });

  it('reset what comes after the receiver closed, in the midst of what came as one', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    const seen: number[] = [];
    let ended: Error | undefined;
    server.consume(
      (segment) => {
        seen.push(numberOf(segment));
        if (seen.length === 2) server.close();
      },
      () => {},
    );
    client.consume(
      () => {},
      (error) => {
        ended = error;
      },
    );
    lab.advance(SECOND_US);
    for (let i = 0; i < 4; i++) client.send(numbered(i));
    lab.advance(SECOND_US);
    expect(seen).toEqual([0, 1]);
    expect(client.send(numbered(9))).toBe(false);
    expect(ended).toBeUndefined(); // the FIN came first
  });

  it('are refused where nobody listens, and unreachable after 3 s where nobody answers ARP', () => {
    const lab = new Lab();
    const h1 = lab.host(1);
    const codes = lab.run(function* () {
      const refused = yield* codeOf(h1.net.dial({ address: '10.0.0.2', port: 9 }));
      const startUs = lab.clock.nowUs();
      const unreachable = yield* codeOf(h1.net.dial({ address: '10.0.0.77', port: 9 }));
      return [refused, unreachable, lab.clock.nowUs() - startUs];
    });
    expect(codes).toEqual(['refused', 'unreachable', 3 * SECOND_US]);
  });

  it('fail at once without a route', () => {
    const lab = new Lab();
    const code = lab.run(() => codeOf(lab.host(1).net.dial({ address: '192.168.1.1', port: 1 })), 0);
    expect(code).toBe('unreachable');
  });

  it('time out after the dial limit, or after 127 s, where packets vanish', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    lab.connect(h1, h2); // both know each other's MAC
    lab.network.faults.partition([h1.name], [h2.name]);
    const pinned = lab.network.faults.staleNeighbour(h1.name, h2.address);
    const times = lab.run(function* () {
      const seen: unknown[] = [];
      for (const options of [{ timeoutUs: 15 * SECOND_US }, {}]) {
        const startUs = lab.clock.nowUs();
        seen.push(yield* codeOf(h1.net.dial({ address: h2.address, port: 9 }, options)));
        seen.push((lab.clock.nowUs() - startUs) / SECOND_US);
      }
      return seen;
    });
    expect(times).toEqual(['timeout', 15, 'timeout', 127]);
    pinned.heal();
  });

  it('end for the reader with undefined after FIN, and go on in the other direction', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    lab.run(function* () {
      client.send(numbered(1));
      client.shutdownWrite();
      expect(client.send(numbered(2))).toBe(false);
      expect(numberOf(yield* server.receive())).toBe(1);
      expect(yield* server.receive()).toBeUndefined();
      server.send(numbered(3));
      server.close();
      expect(numberOf(yield* client.receive())).toBe(3);
      expect(yield* client.receive()).toBeUndefined();
    });
    lab.advance(SECOND_US);
    expect(lab.host(1).kernel.host.connectionCount).toBe(0);
    expect(lab.host(2).kernel.host.connectionCount).toBe(0);
    expect(lab.named('net.connection.broken')).toEqual([]);
  });

  it('are reset for the peer by abort, after what was sent', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    const seen = lab.run(function* () {
      client.send(numbered(1));
      client.abort();
      const first = numberOf(yield* server.receive());
      return [first, yield* codeOf(server.receive()), yield* codeOf(client.receive())];
    });
    expect(seen).toEqual([1, 'reset', 'closed']);
    expect(server.send(numbered(2))).toBe(false);
  });

  it('are reset when one side closes without having read everything', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    client.send(numbered(1));
    lab.advance(MILLISECOND_US);
    server.close();
    expect(lab.run(() => codeOf(client.receive()))).toBe('reset');
  });

  it('are reset when data arrives for a side that closed', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    server.close();
    lab.run(function* () {
      expect(yield* client.receive()).toBeUndefined();
    });
    expect(client.send(numbered(1))).toBe(true);
    lab.advance(SECOND_US);
    expect(client.send(numbered(2))).toBe(false);
    expect(lab.host(1).kernel.host.connectionCount).toBe(0);
    expect(lab.host(2).kernel.host.connectionCount).toBe(0);
  });

  it('hand what waits to a consumer first, and call its end once', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    client.send(numbered(1));
    client.send(numbered(2));
    lab.advance(MILLISECOND_US);
    const seen: unknown[] = [];
    server.consume(
      (segment: Segment) => seen.push(numberOf(segment)),
      (error) => seen.push(error ?? 'end'),
    );
    client.send(numbered(3));
    client.close();
    lab.advance(SECOND_US);
    expect(seen).toEqual([1, 2, 3, 'end']);
  });

  it('tell when what was queued is acknowledged', () => {
    const lab = new Lab({ segment: { bandwidthBytesPerSec: 1_000_000 } });
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    server.consume(
      () => {},
      () => {},
    );
    const startUs = lab.clock.nowUs();
    lab.run(function* () {
      for (let i = 0; i < 10; i++) client.send(numbered(i, 100_000));
      expect(client.unsentBytes()).toBe(1_000_000);
      yield* client.drained(500_000);
      expect(client.unsentBytes()).toBe(500_000);
      expect((lab.clock.nowUs() - startUs) / MILLISECOND_US).toBeCloseTo(500, -1);
      yield* client.drained(0);
      expect((lab.clock.nowUs() - startUs) / MILLISECOND_US).toBeCloseTo(1000, -1);
    });
  });

  it('send no more than the peer has room for until its process reads', () => {
    const lab = new Lab();
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    for (let i = 0; i < 10; i++) client.send(numbered(i, 1_000_000));
    lab.advance(10 * SECOND_US);
    expect(client.unsentBytes()).toBe(4_000_000);
    const startUs = lab.clock.nowUs();
    const seen = lab.run(function* () {
      const numbers: number[] = [];
      for (let i = 0; i < 10; i++) numbers.push(numberOf(yield* server.receive()));
      return numbers;
    });
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(lab.clock.nowUs() - startUs).toBeLessThan(20 * MILLISECOND_US); // told of the room, not by probing for it
    lab.advance(SECOND_US);
    expect(client.unsentBytes()).toBe(0);
  });

  it('keep a consumer that reads at once supplied at the speed of the link, however much is queued', () => {
    const lab = new Lab({ segment: { bandwidthBytesPerSec: 100_000_000 } });
    const { client, server } = lab.connect(lab.host(1), lab.host(2));
    let bytes = 0;
    server.consume(
      (segment: Segment) => {
        bytes += (segment as { sizeBytes: number }).sizeBytes;
      },
      () => {},
    );
    const before = lab.scheduler.fired;
    for (let i = 0; i < 1_000; i++) client.send(numbered(i, 50_000));
    lab.advance(510 * MILLISECOND_US);
    expect(bytes).toBe(50_000_000);
    expect(lab.scheduler.fired - before).toBeLessThan(2_100);
  });
});
