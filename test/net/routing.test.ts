import { describe, expect, it } from 'vitest';
import type { Network } from '../../src/net/network.ts';
import { MILLISECOND_US, SECOND_US } from '../../src/platform/clock.ts';
import type { Net } from '../../src/platform/net.ts';
import { codeOf, Lab, numbered, numberOf } from './lab.ts';

/** h1, h2 on lan 10.0.0.0/24; far on wan 172.16.0.0/24; a router between them. */
function routed() {
  const lab = new Lab();
  lab.network.addSegment({ name: 'wan' });
  const far = lab.addHost('far', '172.16.0.9', 'wan');
  lab.network.addRouter({
    name: 'router',
    ports: [
      { segment: 'lan', address: '10.0.0.254/24' },
      { segment: 'wan', address: '172.16.0.254/24' },
    ],
  });
  const h1 = lab.host(1);
  h1.net.addRoute({ destination: '0.0.0.0/0', gateway: '10.0.0.254', link: 'eth0', metric: 1024 });
  far.net.addRoute({ destination: '0.0.0.0/0', gateway: '172.16.0.254', link: 'eth0', metric: 1024 });
  return { lab, h1, far };
}

describe('routers', () => {
  it('pass connections between segments, one event a segment once ARP is known everywhere', () => {
    const { lab, h1, far } = routed();
    const { client, server } = lab.connect(h1, far);
    expect(server.remote.address).toBe('10.0.0.1');
    let seen = 0;
    server.consume(
      () => {
        seen++;
      },
      () => {},
    );
    client.send(numbered(0));
    lab.advance(10 * SECOND_US);
    const before = lab.scheduler.fired;
    for (let i = 0; i < 20; i++) client.send(numbered(i));
    lab.advance(SECOND_US);
    expect(seen).toBe(21);
    expect(lab.scheduler.fired - before).toBe(20);
  });

  it('pass datagrams', () => {
    const { lab, h1, far } = routed();
    const seen = lab.run(function* () {
      const server = yield* far.net.bindDatagram({ address: '0.0.0.0', port: 53 });
      const client = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 0 });
      client.send({ address: far.address, port: 53 }, numbered(4));
      return numberOf((yield* server.receive()).payload);
    });
    expect(seen).toBe(4);
  });

  it('say nothing about hosts they cannot reach: a dial times out', () => {
    const { lab, h1 } = routed();
    const dial = () => codeOf(h1.net.dial({ address: '172.16.0.77', port: 1 }, { timeoutUs: 15 * SECOND_US }));
    expect(lab.run(dial)).toBe('timeout');
  });

  it('are subject to faults like hosts', () => {
    const { lab, h1, far } = routed();
    const { client, server } = lab.connect(h1, far);
    const cut = lab.network.faults.partition(['router'], ['far']);
    client.send(numbered(1));
    const reader = lab.start(() => server.receive());
    lab.advance(5 * SECOND_US);
    expect(reader.settled).toBe(false);
    cut.heal();
    lab.advance(20 * SECOND_US);
    expect(reader.settled).toBe(true);
  });

  it('follow routes to networks behind other routers', () => {
    const { lab, h1, far } = routed();
    lab.network.addSegment({ name: 'deep' });
    const deep = lab.addHost('deep', '192.168.5.5', 'deep');
    lab.network.addRouter({
      name: 'second',
      ports: [
        { segment: 'wan', address: '172.16.0.253/24' },
        { segment: 'deep', address: '192.168.5.254/24' },
      ],
      routes: [{ destination: '10.0.0.0/24', gateway: '172.16.0.254' }],
    });
    deep.net.addRoute({ destination: '0.0.0.0/0', gateway: '192.168.5.254', link: 'eth0', metric: 0 });
    far.net.addRoute({ destination: '192.168.5.0/24', gateway: '172.16.0.253', link: 'eth0', metric: 0 });
    expect(lab.run(() => codeOf(far.net.dial({ address: deep.address, port: 1 })))).toBe('refused');
    // The first router does not know the deep network.
    expect(lab.run(() => codeOf(h1.net.dial({ address: deep.address, port: 1 }, { timeoutUs: 5 * SECOND_US })))).toBe(
      'timeout',
    );
  });

  it('cannot be made to pass packets round in circles', () => {
    const { lab, h1 } = routed();
    lab.network.addRouter({
      name: 'loop',
      ports: [
        { segment: 'lan', address: '10.0.0.253/24' },
        { segment: 'wan', address: '172.16.0.252/24' },
      ],
      routes: [{ destination: '1.1.1.0/24', gateway: '172.16.0.254' }],
    });
    const router = (lab.network as Network).liveKernel('router')!;
    router.settings.addRoute({ destination: '1.1.1.0/24', gateway: '172.16.0.252', link: 'eth1', metric: 0 });
    expect(lab.run(() => codeOf(h1.net.dial({ address: '1.1.1.1', port: 1 }, { timeoutUs: 5 * SECOND_US })))).toBe(
      'timeout',
    );
    const before = lab.scheduler.fired;
    lab.advance(100 * SECOND_US);
    expect(lab.scheduler.fired - before).toBeLessThan(200);
  });
});

describe('routes', () => {
  it('are chosen by the longest prefix, then the smallest metric, and follow changes', () => {
    const lab = new Lab({ hosts: 4 });
    const { net, kernel } = lab.host(1);
    const next = (target: string) => {
      const hop = kernel.routeTable.lookup(target, lab.network.bytesOf(target), kernel.links);
      return hop?.address;
    };
    const slow = { destination: '0.0.0.0/0', gateway: '10.0.0.2', link: 'eth0', metric: 2048 };
    net.addRoute(slow);
    net.addRoute({ destination: '0.0.0.0/0', gateway: '10.0.0.3', link: 'eth0', metric: 1024 });
    net.addRoute({ destination: '8.8.0.0/16', gateway: '10.0.0.4', link: 'eth0', metric: 4096 });
    net.addRoute(slow);
    expect(net.routes()).toHaveLength(3);
    expect([next('10.0.0.9'), next('8.8.1.1'), next('9.9.9.9')]).toEqual(['10.0.0.9', '10.0.0.4', '10.0.0.3']);
    net.removeRoute(net.routes()[1]!);
    expect(next('9.9.9.9')).toBe('10.0.0.2');
    net.addAddress('eth0', '10.0.0.200/32');
    expect(next('10.0.0.7')).toBe('10.0.0.7');
    net.setLinkUp('eth0', false);
    expect(next('9.9.9.9')).toBeUndefined();
    expect(() => net.addRoute({ destination: 'x', link: 'eth0', metric: 0 })).toThrow();
  });

  it('decide the source address: that of the network the next hop is in, not a /32 beside it', () => {
    const lab = new Lab();
    const { net } = lab.host(1);
    net.removeAddress('eth0', '10.0.0.1/24');
    net.addAddress('eth0', '10.0.0.200/32');
    net.addAddress('eth0', '10.0.0.1/24');
    lab.run(() => lab.host(2).net.listen({ address: '0.0.0.0', port: 1 }));
    const client = lab.run(() => net.dial({ address: '10.0.0.2', port: 1 }));
    expect(client.local.address).toBe('10.0.0.1');
    const bound = lab.run(() => net.dial({ address: '10.0.0.2', port: 1 }, { localAddress: '10.0.0.200' }));
    expect(bound.local.address).toBe('10.0.0.200');
    expect(lab.run(() => codeOf(net.dial({ address: '10.0.0.2', port: 1 }, { localAddress: '10.0.0.99' })))).toBe(
      'address-not-available',
    );
  });
});

describe('pods', () => {
  /** A pod on each host, routed by the hosts. */
  function pods() {
    const lab = new Lab();
    const nets: Net[] = [];
    const controls = lab.hosts.map((host, i) => {
      const control = host.kernel.addPod(`10.244.${i}.5`);
      nets.push(control.openProcess(lab.owner(`${host.name}/pod`)).net);
      const other = lab.hosts[1 - i]!;
      host.net.addRoute({ destination: `10.244.${1 - i}.0/24`, gateway: other.address, link: 'eth0', metric: 0 });
      return control;
    });
    return { lab, nets, controls };
  }

  it('have an address, ports and a loopback of their own', () => {
    const { lab, nets } = pods();
    const h1 = lab.host(1);
    const seen = lab.run(function* () {
      yield* h1.net.listen({ address: '0.0.0.0', port: 80 });
      const inPod = yield* nets[0]!.listen({ address: '0.0.0.0', port: 80 });
      yield* nets[0]!.listen({ address: '127.0.0.1', port: 81 });
      const codes = [
        yield* codeOf(h1.net.dial({ address: '127.0.0.1', port: 81 })),
        yield* codeOf(nets[0]!.dial({ address: '127.0.0.1', port: 81 })),
        yield* codeOf(h1.net.dial({ address: '10.244.0.5', port: 80 })),
      ];
      return [...codes, (yield* inPod.accept()).remote.address];
    });
    expect(seen).toEqual(['refused', 'none', 'none', '10.0.0.1']);
    expect(nets[0]!.links().map((link) => link.addresses)).toEqual([['127.0.0.1/8', '::1/128'], ['10.244.0.5/32']]);
  });

  it('reach pods of other machines and hosts, and are reached', () => {
    const { lab, nets } = pods();
    const seen = lab.run(function* () {
      const listener = yield* nets[1]!.listen({ address: '0.0.0.0', port: 1 });
      const client = yield* nets[0]!.dial({ address: '10.244.1.5', port: 1 });
      const server = yield* listener.accept();
      client.send(numbered(3));
      const number = numberOf(yield* server.receive());
      const hostCode = yield* codeOf(nets[0]!.dial({ address: '10.0.0.2', port: 2 }));
      return [server.remote.address, number, hostCode];
    });
    expect(seen).toEqual(['10.244.0.5', 3, 'refused']);
  });

  it('vanish with their sandbox; an address can be used again but not twice at once', () => {
    const { lab, nets, controls } = pods();
    const client = lab.run(function* () {
      yield* nets[1]!.listen({ address: '0.0.0.0', port: 1 });
      return yield* nets[0]!.dial({ address: '10.244.1.5', port: 1 });
    });
    expect(() => lab.host(2).kernel.addPod('10.244.1.5')).toThrow(expect.objectContaining({ code: 'address-in-use' }));
    controls[1]!.remove();
    client.send(numbered(0));
    lab.advance(SECOND_US);
    expect(client.unsentBytes()).toBe(100);
    lab.host(2).kernel.addPod('10.244.1.5');
    lab.advance(SECOND_US);
    expect(lab.run(() => codeOf(client.receive()))).toBe('reset');
  });
});

describe('dialling', () => {
  it('that is cancelled leaves nothing behind, and a late answer is reset', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const listener = lab.run(() => h2.net.listen({ address: '0.0.0.0', port: 1 }));
    lab.connect(h1, h2);
    const dial = lab.start(() => h1.net.dial({ address: h2.address, port: 1 }));
    lab.advance(300); // the SYN is there, the answer on its way back
    dial.cancel();
    lab.advance(MILLISECOND_US);
    const accepted = lab.start(() => listener.accept());
    lab.advance(SECOND_US);
    expect(accepted.settled).toBe(false);
    expect(h1.kernel.host.connectionCount).toBe(1);
    expect(h2.kernel.host.connectionCount).toBe(1);
  });

  it('survives a lost SYN, SYN-ACK and last acknowledgement', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const lab = new Lab({ seed });
      const [h1, h2] = [lab.host(1), lab.host(2)];
      lab.connect(h1, h2).client.abort(); // both know each other's MAC
      lab.network.faults.degrade('*', '*', { lossPpm: 300_000 });
      const { client, server } = lab.connect(h1, h2);
      server.send(numbered(seed));
      expect(numberOf(lab.run(() => client.receive()))).toBe(seed);
    }
  });

  it('finds a full backlog silent', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    lab.run(() => h2.net.listen({ address: '0.0.0.0', port: 1 }));
    lab.run(function* () {
      for (let i = 0; i < 4096; i++) yield* h1.net.dial({ address: h2.address, port: 1 });
    });
    expect(lab.run(() => codeOf(h1.net.dial({ address: h2.address, port: 1 }, { timeoutUs: 5 * SECOND_US })))).toBe(
      'timeout',
    );
  });

  it('reports what it did', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const { client } = lab.connect(h1, h2);
    lab.run(() => codeOf(h1.net.dial({ address: h2.address, port: 1 })));
    expect(lab.named('net.connection.opened').map((event) => [event.source, event.fields])).toEqual([
      ['h1', { local: `10.0.0.1:${client.local.port}`, remote: '10.0.0.2:7' }],
    ]);
    expect(lab.named('net.connection.refused').map((event) => event.fields)).toEqual([
      { remote: '10.0.0.2:1', reason: 'refused' },
    ]);
    expect(lab.named('net.address.added').map((event) => event.source)).toEqual(['h1', 'h2']);
  });
});

describe('keepalive', () => {
  it('sends nothing while the way is healthy and keeps the connection', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const keepalive = { idleUs: 30 * SECOND_US, intervalUs: 30 * SECOND_US, probes: 9 };
    const client = lab.run(function* () {
      yield* h2.net.listen({ address: '0.0.0.0', port: 1 });
      return yield* h1.net.dial({ address: h2.address, port: 1 }, { keepalive });
    });
    lab.advance(60 * SECOND_US);
    const before = lab.scheduler.fired;
    lab.advance(3000 * SECOND_US);
    expect(lab.scheduler.fired - before).toBeLessThan(450); // a timer each 30 s, ARP aging beside it
    expect(client.send(numbered(0))).toBe(true);
  });

  it('breaks the connection when probes stay unanswered, or at once when the peer’s kernel is a new one', () => {
    for (const reboots of [false, true]) {
      const lab = new Lab();
      const [h1, h2] = [lab.host(1), lab.host(2)];
      const keepalive = { idleUs: 10 * SECOND_US, intervalUs: 5 * SECOND_US, probes: 3 };
      lab.run(function* () {
        yield* h2.net.listen({ address: '0.0.0.0', port: 1 });
        const client = yield* h1.net.dial({ address: h2.address, port: 1 }, { keepalive });
        yield* lab.clock.sleep(MILLISECOND_US);
        h2.kernel.powerOff();
        if (reboots) lab.reboot(h2);
        const startUs = lab.clock.nowUs();
        expect(yield* codeOf(client.receive())).toBe(reboots ? 'reset' : 'timeout');
        expect(Math.round((lab.clock.nowUs() - startUs) / SECOND_US)).toBe(reboots ? 10 : 25);
      });
    }
  });
});
