import { describe, expect, it } from 'vitest';
import { MILLISECOND_US, SECOND_US } from '../../src/platform/clock.ts';
import type { Connection } from '../../src/platform/net.ts';
import { codeOf, Lab, numbered, numberOf } from './lab.ts';

function collect(connection: Connection, lab: Lab): { seen: [number, number][]; end: string[] } {
  const seen: [number, number][] = [];
  const end: string[] = [];
  connection.consume(
    (segment) => seen.push([numberOf(segment), lab.clock.nowUs()]),
    (error) => end.push((error as { code?: string } | undefined)?.code ?? 'fin'),
  );
  return { seen, end };
}

function connected(options?: ConstructorParameters<typeof Lab>[0]) {
  const lab = new Lab(options);
  const [h1, h2] = [lab.host(1), lab.host(2)];
  return { lab, h1, h2, ...lab.connect(h1, h2) };
}

describe('partitions', () => {
  it('deliver nothing, and after healing what was sent is retransmitted', () => {
    const { lab, client, server } = connected();
    const { seen } = collect(server, lab);
    const cut = lab.network.faults.partition(['h1'], ['h2']);
    for (let i = 0; i < 5; i++) client.send(numbered(i));
    lab.advance(10 * SECOND_US);
    expect(seen).toEqual([]);
    expect(client.unsentBytes()).toBe(500);
    cut.heal();
    // Retransmissions after 0.2, 0.6, 1.4, 3, 6.2, 12.6 s.
    lab.advance(2500 * MILLISECOND_US);
    expect(seen).toEqual([]);
    lab.advance(200 * MILLISECOND_US);
    expect(seen.map(([number]) => number)).toEqual([0, 1, 2, 3, 4]);
    expect(Math.floor(seen[0]![1] / MILLISECOND_US / 10)).toBe(1260);
    lab.advance(MILLISECOND_US);
    expect(client.unsentBytes()).toBe(0);
  });

  it('drop what is under way when they begin', () => {
    const { lab, client, server } = connected();
    const { seen } = collect(server, lab);
    client.send(numbered(0));
    lab.network.faults.partition(['h1'], ['h2']);
    lab.advance(SECOND_US);
    expect(seen).toEqual([]);
    lab.network.faults.healAll();
    lab.advance(SECOND_US);
    expect(seen.map(([number]) => number)).toEqual([0]);
  });

  it('drop packets of every kind that are under way', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    lab.connect(h1, h2);
    const seen = lab.run(function* () {
      const server = yield* h2.net.bindDatagram({ address: '0.0.0.0', port: 1 });
      const client = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 0 });
      client.send({ address: h2.address, port: 1 }, numbered(0));
      const cut = lab.network.faults.partitionOneWay(['h1'], ['h2']);
      yield* lab.clock.sleep(SECOND_US);
      cut.heal();
      client.send({ address: h2.address, port: 1 }, numbered(1));
      return numberOf((yield* server.receive()).payload);
    });
    expect(seen).toBe(1);
  });

  it('in one direction let data through whose acknowledgements are lost, once', () => {
    const { lab, client, server } = connected();
    const { seen } = collect(server, lab);
    lab.network.faults.partitionOneWay(['h2'], ['h1']);
    client.send(numbered(0));
    lab.advance(5 * SECOND_US);
    expect(seen.map(([number]) => number)).toEqual([0]);
    expect(client.unsentBytes()).toBe(100);
    lab.network.faults.healAll();
    lab.advance(5 * SECOND_US);
    expect(client.unsentBytes()).toBe(0);
    expect(seen).toHaveLength(1);
  });

  it('of a node against all others leave the others alone', () => {
    const lab = new Lab({ hosts: 4 });
    lab.network.faults.partition(['h1', 'h2'], '*');
    const code = (from: number, to: number) =>
      lab.run(() => codeOf(lab.host(from).net.dial({ address: `10.0.0.${to}`, port: 1 })));
    expect([code(1, 2), code(3, 4), code(1, 3), code(4, 2)]).toEqual([
      'refused',
      'refused',
      'unreachable',
      'unreachable',
    ]);
  });

  it('break a connection with unacknowledged data after its user timeout, else after 924 s', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const brokenAfter = (userTimeoutUs?: number) => {
      const startUs = lab.run(function* () {
        const listener = yield* h2.net.listen({ address: '0.0.0.0', port: 0 });
        const to = { address: h2.address, port: listener.local.port };
        const client = yield* h1.net.dial(to, userTimeoutUs === undefined ? {} : { userTimeoutUs });
        lab.network.faults.partition(['h1'], ['h2']);
        const start = lab.clock.nowUs();
        client.send(numbered(0));
        expect(yield* codeOf(client.receive())).toBe('timeout');
        expect(client.send(numbered(1))).toBe(false);
        return start;
      });
      lab.network.faults.healAll();
      return (lab.clock.nowUs() - startUs) / SECOND_US;
    };
    expect(brokenAfter(30 * SECOND_US)).toBe(30);
    expect(brokenAfter()).toBeCloseTo(924.6, 0);
  });

  it('are noticed by keepalive on an idle connection after idle time and a user timeout', () => {
    const { lab, h1, h2 } = connected();
    const options = {
      keepalive: { idleUs: 30 * SECOND_US, intervalUs: 30 * SECOND_US, probes: 9 },
      userTimeoutUs: 30 * SECOND_US,
    };
    lab.run(function* () {
      const listener = yield* h2.net.listen({ address: '0.0.0.0', port: 0 });
      const client = yield* h1.net.dial({ address: h2.address, port: listener.local.port }, options);
      yield* lab.clock.sleep(100 * SECOND_US);
      lab.network.faults.partition(['h1'], ['h2']);
      const startUs = lab.clock.nowUs();
      expect(yield* codeOf(client.receive())).toBe('timeout');
      const tookUs = lab.clock.nowUs() - startUs;
      expect(tookUs).toBeGreaterThan(30 * SECOND_US);
      expect(tookUs).toBeLessThanOrEqual(60 * SECOND_US);
    });
  });
});

describe('lossy links', () => {
  it('delay the segments of a connection and lose none', () => {
    const { lab, client, server } = connected();
    const { seen } = collect(server, lab);
    lab.network.faults.degrade(['h1'], ['h2'], { lossPpm: 300_000, duplicatePpm: 200_000, jitterUs: 2_000 });
    lab.network.faults.degrade(['h2'], ['h1'], { lossPpm: 300_000 });
    for (let i = 0; i < 200; i++) {
      client.send(numbered(i));
      lab.advance(10 * MILLISECOND_US);
    }
    lab.advance(100 * SECOND_US);
    expect(seen.map(([number]) => number)).toEqual(Array.from({ length: 200 }, (_, i) => i));
    expect(client.unsentBytes()).toBe(0);
  });

  it('lose, double and reorder datagrams', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    lab.connect(h1, h2);
    lab.network.faults.degrade(['h1'], ['h2'], { lossPpm: 200_000, duplicatePpm: 200_000, jitterUs: 5_000 });
    const [sender, receiver] = lab.run(function* () {
      return [
        yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 0 }),
        yield* h2.net.bindDatagram({ address: '0.0.0.0', port: 53 }),
      ] as const;
    });
    const seen: number[] = [];
    lab.start(function* () {
      for (;;) seen.push(numberOf((yield* receiver.receive()).payload));
    });
    for (let i = 0; i < 500; i++) {
      sender.send({ address: h2.address, port: 53 }, numbered(i));
      lab.advance(MILLISECOND_US);
    }
    lab.advance(SECOND_US);
    const distinct = new Set(seen).size;
    expect(distinct).toBeGreaterThan(350);
    expect(distinct).toBeLessThan(450);
    expect(seen.length).toBeGreaterThan(distinct + 40);
    expect(seen.some((number, i) => i > 0 && number < seen[i - 1]!)).toBe(true);
  });

  it('lose a large datagram when any of its fragments is lost', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    lab.connect(h1, h2);
    lab.network.faults.degrade(['h1'], ['h2'], { lossPpm: 100_000 });
    const arrived = (sizeBytes: number) =>
      lab.run(function* () {
        const sender = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 0 });
        const receiver = yield* h2.net.bindDatagram({ address: '0.0.0.0', port: 0 });
        let count = 0;
        const reader = lab.start(function* () {
          for (;;) {
            yield* receiver.receive();
            count++;
          }
        });
        for (let i = 0; i < 300; i++) {
          sender.send({ address: h2.address, port: receiver.local.port }, numbered(i, sizeBytes));
          yield* lab.clock.sleep(MILLISECOND_US);
        }
        yield* lab.clock.sleep(SECOND_US);
        reader.cancel();
        return count;
      });
    expect(arrived(1_000)).toBeGreaterThan(250);
    expect(arrived(14_000)).toBeLessThan(150);
    h1.net.setMtu('eth0', 100);
    expect(arrived(1_000)).toBeLessThan(200); // eleven fragments now
  });
});

describe('slow, clogged and flapping links', () => {
  it('delay by what the fault adds and by bandwidth', () => {
    const { lab, client, server } = connected();
    const { seen } = collect(server, lab);
    lab.network.faults.degrade(['h1'], ['h2'], { delayUs: 80_000, bandwidthBytesPerSec: 1_000_000 });
    const startUs = lab.clock.nowUs();
    client.send(numbered(0, 500_000));
    client.send(numbered(1, 500_000));
    lab.advance(5 * SECOND_US);
    expect((seen[0]![1] - startUs) / MILLISECOND_US).toBeCloseTo(580, -1);
    expect((seen[1]![1] - startUs) / MILLISECOND_US).toBeCloseTo(1080, -1);
  });

  it('hold packets while clogged and let them go when healed', () => {
    const { lab, client, server } = connected();
    const { seen } = collect(server, lab);
    const clog = lab.network.faults.clog(['h1'], ['h2']);
    for (let i = 0; i < 3; i++) client.send(numbered(i));
    lab.advance(20 * SECOND_US);
    expect(seen).toEqual([]);
    clog.heal();
    lab.advance(MILLISECOND_US);
    expect(seen.map(([number]) => number)).toEqual([0, 1, 2]);
    lab.advance(SECOND_US);
    expect(client.unsentBytes()).toBe(0);
  });

  it('swizzle: clog and unclog one after another, then are as before', () => {
    const { lab, client, server } = connected();
    const { seen } = collect(server, lab);
    lab.network.faults.swizzle([
      { node: 'h1', clogAtUs: 0, unclogAtUs: 2 * SECOND_US },
      { node: 'h2', clogAtUs: SECOND_US, unclogAtUs: 3 * SECOND_US },
    ]);
    lab.advance(1);
    client.send(numbered(0));
    lab.advance(2500 * MILLISECOND_US);
    expect(seen).toEqual([]);
    lab.advance(SECOND_US);
    expect(seen).toHaveLength(1);
    expect(lab.named('net.fault.healed')).toHaveLength(1);
  });

  it('flap until healed', () => {
    const { lab, client, server } = connected();
    const { seen } = collect(server, lab);
    const flap = lab.network.faults.flap(['h1'], ['h2'], SECOND_US, SECOND_US);
    client.send(numbered(0));
    lab.advance(900 * MILLISECOND_US);
    expect(seen).toHaveLength(0);
    lab.advance(1000 * MILLISECOND_US);
    expect(seen).toHaveLength(1);
    lab.advance(SECOND_US);
    client.send(numbered(1));
    lab.advance(50 * MILLISECOND_US);
    expect(seen).toHaveLength(1);
    flap.heal();
    lab.advance(10 * SECOND_US);
    expect(seen).toHaveLength(2);
  });
});
