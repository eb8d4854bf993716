import { describe, expect, it } from 'vitest';
import { parseCidr } from '../../src/net/address.ts';
import { fixedLatency, lanLatency, latencyFor, tailedLatency, uniformLatency } from '../../src/net/latency.ts';
import { macFor } from '../../src/net/mac.ts';
import { MILLISECOND_US, SECOND_US } from '../../src/platform/clock.ts';
import type { MachineNet } from '../../src/platform/net.ts';
import type { Task } from '../../src/platform/task.ts';
import { codeOf, Lab, numbered, numberOf } from './lab.ts';

function listenCode(lab: Lab, net: MachineNet, address: string, port: number): string {
  return lab.run(() => codeOf(net.listen({ address, port })));
}

describe('binding', () => {
  it('takes own addresses, loopback and wildcards, and nothing else', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    expect(listenCode(lab, net, '10.0.0.1', 1)).toBe('none');
    expect(listenCode(lab, net, '127.0.0.1', 1)).toBe('none');
    expect(listenCode(lab, net, '127.0.0.53', 1)).toBe('none');
    expect(listenCode(lab, net, '::1', 1)).toBe('none');
    expect(listenCode(lab, net, '10.0.0.2', 1)).toBe('address-not-available');
    expect(listenCode(lab, net, 'no-address', 1)).toBe('address-not-available');
  });

  it('refuses an address and port in use; a wildcard covers all addresses of its family, :: those of both', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    const tries: [string, number, string][] = [
      ['10.0.0.1', 1, 'none'],
      ['10.0.0.1', 1, 'address-in-use'],
      ['0.0.0.0', 1, 'address-in-use'],
      ['127.0.0.1', 1, 'none'],
      ['0.0.0.0', 2, 'none'],
      ['10.0.0.1', 2, 'address-in-use'],
      ['::1', 2, 'none'],
      ['::', 3, 'none'],
      ['0.0.0.0', 3, 'address-in-use'],
      ['10.0.0.1', 3, 'address-in-use'],
    ];
    for (const [address, port, code] of tries)
      expect([address, port, listenCode(lab, net, address, port)]).toEqual([address, port, code]);
  });

  it('frees the port when the listener closes, and picks ephemeral ports that differ', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    const ports = lab.run(function* () {
      const first = yield* net.listen({ address: '0.0.0.0', port: 80 });
      first.close();
      first.close();
      (yield* net.listen({ address: '0.0.0.0', port: 80 })).close();
      const seen = new Set<number>();
      for (let i = 0; i < 50; i++) seen.add((yield* net.listen({ address: '0.0.0.0', port: 0 })).local.port);
      return seen;
    });
    expect(ports.size).toBe(50);
    for (const port of ports) expect(port >= 32768 && port <= 60999).toBe(true);
  });

  it('keeps TCP and UDP ports apart', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    expect(listenCode(lab, net, '0.0.0.0', 53)).toBe('none');
    expect(lab.run(() => codeOf(net.bindDatagram({ address: '0.0.0.0', port: 53 })))).toBe('none');
    expect(lab.run(() => codeOf(net.bindDatagram({ address: '10.0.0.1', port: 53 })))).toBe('address-in-use');
  });
});

describe('loopback and own addresses', () => {
  function* reach(net: MachineNet, listenOn: string, dialTo: string): Task<string> {
    const listener = yield* net.listen({ address: listenOn, port: 0 });
    try {
      const client = yield* net.dial({ address: dialTo, port: listener.local.port });
      const server = yield* listener.accept();
      client.send(numbered(5));
      expect(numberOf(yield* server.receive())).toBe(5);
      return server.remote.address;
    } finally {
      listener.close();
    }
  }

  it('never leave the kernel, with the source addresses Linux picks', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    lab.network.faults.partition(['h1'], '*');
    const cases: [string, string, string][] = [
      ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
      ['127.0.0.7', '127.0.0.7', '127.0.0.1'],
      ['0.0.0.0', '127.0.0.1', '127.0.0.1'],
      ['0.0.0.0', '10.0.0.1', '10.0.0.1'],
      ['0.0.0.0', '0.0.0.0', '127.0.0.1'],
      ['::', '127.0.0.1', '127.0.0.1'],
      ['::', '::1', '::1'],
    ];
    for (const [listenOn, dialTo, seen] of cases) expect(lab.run(() => reach(net, listenOn, dialTo))).toBe(seen);
    expect(lab.named('net.neighbour.learned')).toEqual([]);
  });

  it('of one machine cannot be reached from another', () => {
    const lab = new Lab();
    expect(listenCode(lab, lab.host(2).net, '127.0.0.1', 7445)).toBe('none');
    const dial = (address: string) => lab.run(() => codeOf(lab.host(1).net.dial({ address, port: 7445 })));
    expect(dial('10.0.0.2')).toBe('refused');
    expect(dial('127.0.0.1')).toBe('refused');
  });

  it('connect in 24 to 114 us, always about the same on one machine', () => {
    const times = new Map<number, number[]>();
    for (let seed = 1; seed <= 20; seed++) {
      const lab = new Lab({ hosts: 1, seed });
      const { net } = lab.host(1);
      expect(listenCode(lab, net, '127.0.0.1', 1)).toBe('none');
      for (let i = 0; i < 5; i++) {
        const startUs = lab.clock.nowUs();
        lab.run(() => net.dial({ address: '127.0.0.1', port: 1 }));
        times.set(seed, [...(times.get(seed) ?? []), lab.clock.nowUs() - startUs]);
        lab.advance(MILLISECOND_US);
      }
    }
    const all = [...times.values()];
    expect(all.flat().every((us) => us >= 14 && us <= 114)).toBe(true);
    expect(all.every((own) => Math.max(...own) - Math.min(...own) <= 20)).toBe(true);
    const medians = all.map((own) => own.sort((a, b) => a - b)[2]!);
    expect(medians.some((us) => us < 100)).toBe(true);
    expect(Math.max(...medians) - Math.min(...medians)).toBeGreaterThan(30);
  });
});

describe('links', () => {
  it('show loopback and cards with their addresses in the order they were added', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    net.addAddress('eth0', '10.0.0.5/32');
    net.addAddress('eth0', '10.0.0.5/32');
    net.addAddress('eth0', 'fd00::1/64');
    expect(net.links()).toEqual([
      {
        name: 'lo',
        mac: '00:00:00:00:00:00',
        up: true,
        mtuBytes: 65536,
        addresses: ['127.0.0.1/8', '::1/128'],
        physical: false,
      },
      {
        name: 'eth0',
        mac: macFor('h1', 'eth0'),
        up: true,
        mtuBytes: 1500,
        addresses: ['10.0.0.1/24', '10.0.0.5/32', 'fd00::1/64'],
        physical: true,
      },
    ]);
    expect(net.links()[1]!.mac).toMatch(/^02(:[0-9a-f]{2}){5}$/);
  });

  it('refuse addresses on links that do not exist', () => {
    const { net } = new Lab().host(1);
    expect(() => net.addAddress('eth1', '10.0.0.5/32')).toThrow(
      expect.objectContaining({ code: 'address-not-available' }),
    );
    expect(() => net.addAddress('eth0', '10.0.0.5')).toThrow(
      expect.objectContaining({ code: 'address-not-available' }),
    );
  });

  it('tell listeners of every change, once a process goes on when it was stopped, never after its end', () => {
    const lab = new Lab();
    const { net, process } = lab.host(1);
    let changes = 0;
    const off = net.onChange(() => {
      changes++;
    });
    net.addAddress('eth0', '10.0.0.5/32');
    net.removeAddress('eth0', '10.0.0.5/32');
    net.removeAddress('eth0', '10.0.0.5/32');
    net.setLinkUp('eth0', false);
    net.setLinkUp('eth0', true);
    net.addRoute({ destination: '0.0.0.0/0', gateway: '10.0.0.2', link: 'eth0', metric: 0 });
    expect(changes).toBe(5);
    process.stop();
    lab.host(1).kernel.settings.setMtu('eth0', 1400);
    lab.host(1).kernel.settings.setMtu('eth0', 1300);
    expect(changes).toBe(5);
    process.continue();
    expect(changes).toBe(6);
    off();
    net.setMtu('eth0', 1500);
    expect(changes).toBe(6);
  });

  it('that are down have no route', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    net.setLinkUp('eth0', false);
    expect(lab.run(() => codeOf(net.dial({ address: '10.0.0.2', port: 1 })), 0)).toBe('unreachable');
    net.setLinkUp('eth0', true);
    expect(lab.run(() => codeOf(net.dial({ address: '10.0.0.2', port: 1 })))).toBe('refused');
  });

  it('hand an error of a listener to its process', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    net.onChange(() => {
      throw new Error('boom');
    });
    net.addAddress('eth0', '10.0.0.5/32');
    expect(lab.escapes).toEqual([new Error('boom')]);
  });
});

describe('IPv6', () => {
  it('works beside IPv4, with neighbours of its own', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    h1.net.addAddress('eth0', 'fd00::1/64');
    h2.net.addAddress('eth0', 'FD00:0::2/64');
    const seen = lab.run(function* () {
      yield* h2.net.listen({ address: '::', port: 6443 });
      const six = yield* h1.net.dial({ address: 'fd00:0:0::2', port: 6443 });
      const four = yield* h1.net.dial({ address: '10.0.0.2', port: 6443 });
      return [six.local.address, six.remote.address, four.local.address];
    });
    expect(seen).toEqual(['fd00::1', 'fd00::2', '10.0.0.1']);
  });
});

describe('datagrams', () => {
  it('arrive with the sender’s address; too long ones are refused, and those to nobody vanish', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const seen = lab.run(function* () {
      const server = yield* h2.net.bindDatagram({ address: '0.0.0.0', port: 123 });
      const client = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 0 });
      client.send({ address: h2.address, port: 123 }, numbered(1));
      client.send({ address: h2.address, port: 9 }, numbered(2));
      const request = yield* server.receive();
      server.send(request.from, numbered(numberOf(request.payload) + 10));
      const answer = yield* client.receive();
      expect(() => client.send(request.from, numbered(0, 65_508))).toThrow(
        expect.objectContaining({ code: 'message-too-long' }),
      );
      client.close();
      expect(() => client.send(request.from, numbered(0))).toThrow(expect.objectContaining({ code: 'closed' }));
      expect(yield* codeOf(client.receive())).toBe('closed');
      return [request.from, answer.from, numberOf(answer.payload), client.local.port];
    });
    expect(seen).toEqual([{ address: '10.0.0.1', port: seen[3] }, { address: '10.0.0.2', port: 123 }, 11, seen[3]]);
  });

  it('are dropped when the receiver has no room', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const count = lab.run(function* () {
      const server = yield* h2.net.bindDatagram({ address: '0.0.0.0', port: 1 });
      const client = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 0 });
      for (let i = 0; i < 100; i++) client.send({ address: h2.address, port: 1 }, numbered(i, 9_958));
      yield* lab.clock.sleep(SECOND_US);
      let seen = 0;
      const reader = lab.start(function* () {
        for (;;) {
          yield* server.receive();
          seen++;
        }
      });
      yield* lab.clock.sleep(SECOND_US);
      reader.cancel();
      return seen;
    });
    expect(count).toBe(21); // 212,992 bytes with headers
  });
});

describe('latency models', () => {
  it('draw within their quantiles', () => {
    for (const model of [uniformLatency(100, 300), tailedLatency(100, 250, 5_000), lanLatency, fixedLatency(7)]) {
      const { quantilesUs } = model;
      for (let i = 0; i < 2_000; i++) {
        const draw = Math.imul(i, 0x9e3779b1) >>> 0;
        const us = latencyFor(quantilesUs, draw);
        expect(us).toBeGreaterThanOrEqual(quantilesUs[draw >>> 28]!);
        expect(us).toBeLessThanOrEqual(quantilesUs[(draw >>> 28) + 1]!);
      }
      expect(latencyFor(quantilesUs, 0)).toBe(quantilesUs[0]);
      expect(latencyFor(quantilesUs, 0xffffffff)).toBe(quantilesUs[16]);
    }
  });
});

describe('CIDRs', () => {
  it('are parsed strictly', () => {
    expect(parseCidr('10.0.0.10/24')).toMatchObject({ text: '10.0.0.10/24', address: '10.0.0.10', prefixBits: 24 });
    expect(parseCidr('FD00::0:1/64')).toMatchObject({ text: 'fd00::1/64' });
    for (const bad of ['10.0.0.10', '10.0.0.10/33', '10.0.0/24', 'fd00::1/129', '10.0.0.1/024', ''])
      expect(parseCidr(bad)).toBeNull();
  });
});
