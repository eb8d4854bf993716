import { describe, expect, it } from 'vitest';
import { SECOND_US } from '../../src/platform/clock.ts';
import { codeOf, type Host, type Lab, numbered, numberOf } from './lab.ts';
import { peer, sites, tunnel, ulaOf, WG, WG_PORT } from './sites.ts';

const FORWARD = (to: string) => [{ protocol: 'udp', port: WG_PORT, to: { address: to, port: WG_PORT } }] as const;

function stateOf(host: Host, of: Host) {
  return host.net.wireguardPeers(WG).find(({ publicKey }) => publicKey === of.name)!;
}

/** Handshakes that a host saw the end of, by second. */
function handshakes(lab: Lab, host: Host): number[] {
  return lab
    .named('net.wireguard.handshake')
    .filter(({ source }) => source === host.name)
    .map(({ atUs }) => Math.floor(atUs / SECOND_US));
}

/** h1 at home, whose port is forwarded, and far, which alone can begin. */
function joined() {
  const world = sites(FORWARD('10.0.0.1'));
  const { h1, far } = world;
  tunnel(h1, peer(far, null));
  tunnel(far, peer(h1, '198.51.100.1'));
  return world;
}

describe('a WireGuard link', () => {
  it('carries connections both ways between sites that have no route to each other', () => {
    const { lab, h1, far } = joined();
    lab.advance(SECOND_US);
    for (const [from, to] of [
      [far, h1],
      [h1, far],
    ] as const) {
      const { client, server } = lab.connect(from, to);
      expect(server.remote.address).toBe(from.address);
      client.send(numbered(7));
      server.send(numbered(8));
      expect(numberOf(lab.run(() => server.receive()))).toBe(7);
      expect(numberOf(lab.run(() => client.receive()))).toBe(8);
    }
    // Addresses of the link itself, too.
    const answer = lab.run(function* () {
      const listener = yield* h1.net.listen({ address: '::', port: 9 });
      const client = yield* far.net.dial({ address: ulaOf(h1), port: 9 });
      listener.close();
      return client.local.address;
    });
    expect(answer).toBe(ulaOf(far));
    expect(stateOf(h1, far)).toMatchObject({ endpoint: { address: '198.51.100.2', port: WG_PORT } });
  });

  it('without it a dial goes nowhere', () => {
    const { lab, h1, far } = sites(FORWARD('10.0.0.1'));
    const dial = () => codeOf(far.net.dial({ address: h1.address, port: 7 }, { timeoutUs: 15 * SECOND_US }));
    expect(lab.run(dial)).toBe('timeout');
  });

  it('keeps the way open every 25 s and the keys fresh every 120 s, with few events', () => {
    const { lab, h1, far } = joined();
    lab.advance(10 * SECOND_US);
    const before = lab.scheduler.fired;
    lab.advance(590 * SECOND_US);
    // Keepalives of a second end put those of the first off; the first to speak after 120 s begins the next handshake.
    expect(handshakes(lab, h1)).toEqual(handshakes(lab, far));
    const gaps = handshakes(lab, far).map((second, index, all) => second - (all[index - 1] ?? 0));
    expect(gaps.slice(1).every((gap) => gap > 120 && gap < 150)).toBe(true);
    expect(gaps.length).toBe(5);
    expect(stateOf(far, h1).sentBytes).toBe(stateOf(h1, far).receivedBytes);
    expect(lab.scheduler.fired - before).toBeLessThan(400);
  });

  it('hears nothing while the way is cut, begins again for ever, and finds itself when the way is back', () => {
    const { lab, h1, far } = joined();
    const { client, server } = lab.connect(far, h1);
    const cut = lab.network.faults.partition(['far'], ['router']);
    lab.advance(600 * SECOND_US);
    expect(stateOf(h1, far).handshakeAgeUs).toBeGreaterThan(590 * SECOND_US);
    cut.heal();
    lab.advance(40 * SECOND_US);
    expect(stateOf(h1, far).handshakeAgeUs).toBeLessThan(40 * SECOND_US);
    client.send(numbered(1));
    expect(numberOf(lab.run(() => server.receive()))).toBe(1);
  });

  it('punches through two NATs that keep the port, when both ends begin', () => {
    const { lab, h1, far } = sites();
    tunnel(h1, peer(far, '198.51.100.2'));
    tunnel(far, peer(h1, '198.51.100.1'));
    lab.advance(20 * SECOND_US);
    expect(stateOf(h1, far).handshakeAgeUs).toBeLessThan(20 * SECOND_US);
    expect(lab.connect(h1, far).server.remote.address).toBe(h1.address);
  });

  it('agrees with nobody whose shared key is another, and lets nothing in from networks that are not of the peer', () => {
    const { lab, h1, far } = sites(FORWARD('10.0.0.1'));
    tunnel(h1, peer(far, null, { presharedKey: 'other' }));
    tunnel(far, peer(h1, '198.51.100.1'));
    lab.advance(20 * SECOND_US);
    expect([stateOf(far, h1).handshakeAgeUs, stateOf(h1, far).handshakeAgeUs]).toEqual([null, null]);

    const { lab: other, h1: near, far: away } = sites(FORWARD('10.0.0.1'));
    tunnel(near, peer(away, null, { allowedIps: ['172.16.0.77/32'] }));
    tunnel(away, peer(near, '198.51.100.1'));
    other.advance(SECOND_US);
    expect(stateOf(near, away).handshakeAgeUs).not.toBeNull();
    const dial = () => codeOf(away.net.dial({ address: near.address, port: 7 }, { timeoutUs: 15 * SECOND_US }));
    expect(other.run(dial)).toBe('timeout');
  });

  it('takes from a peer only what is from its own networks, not from those of another peer', () => {
    const { lab, h1, h2, far } = sites(FORWARD('10.0.0.1'));
    const theirs = '10.77.0.1';
    tunnel(h1, peer(far, null), peer(h2, null, { allowedIps: [`${theirs}/32`] }));
    tunnel(far, peer(h1, '198.51.100.1'));
    far.net.addAddress('eth0', `${theirs}/32`);
    const heard: string[] = [];
    lab.start(function* () {
      const server = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 53 });
      for (;;) heard.push((yield* server.receive()).from.address);
    });
    for (const address of [far.address, theirs]) {
      lab.run(function* () {
        const client = yield* far.net.bindDatagram({ address, port: 0 });
        client.send({ address: h1.address, port: 53 }, numbered(1));
      });
    }
    lab.advance(5 * SECOND_US);
    expect(heard).toEqual([far.address]);
  });

  it('takes everything that is for the peer, on one segment too, but its own datagrams', () => {
    const { lab, h1, h2 } = sites();
    tunnel(h1, peer(h2, h2.address));
    tunnel(h2, peer(h1, h1.address));
    const { client, server } = lab.connect(h1, h2);
    lab.advance(SECOND_US);
    const before = stateOf(h1, h2).sentBytes;
    client.send(numbered(1, 100_000));
    expect(numberOf(lab.run(() => server.receive()))).toBe(1);
    expect(stateOf(h1, h2).sentBytes - before).toBeGreaterThan(100_000);
  });

  it('begins a handshake that nobody answers 20 times, then waits for the next packet', () => {
    const { lab, h1, far } = sites();
    tunnel(h1, peer(far, '198.51.100.2', { keepaliveUs: 0 }));
    const send = () =>
      lab.run(function* () {
        const socket = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 0 });
        socket.send({ address: far.address, port: 7 }, numbered(1));
        socket.close();
      });
    send();
    const initiations = () => stateOf(h1, far).sentBytes / 148;
    lab.advance(3 * SECOND_US);
    send();
    lab.advance(SECOND_US);
    expect(initiations()).toBe(1);
    lab.advance(300 * SECOND_US);
    expect(initiations()).toBe(20);
    send();
    expect(initiations()).toBe(21);
  });

  it('hands on each datagram once, however often it arrives', () => {
    const { lab, h1, far } = joined();
    lab.advance(SECOND_US);
    lab.network.faults.degrade(['far'], ['router'], { duplicatePpm: 1_000_000 });
    let seen = 0;
    lab.start(function* () {
      const server = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 53 });
      for (;;) {
        yield* server.receive();
        seen++;
      }
    });
    lab.run(function* () {
      const client = yield* far.net.bindDatagram({ address: '0.0.0.0', port: 0 });
      for (let i = 0; i < 5; i++) client.send({ address: h1.address, port: 53 }, numbered(i));
    });
    lab.advance(SECOND_US);
    expect(seen).toBe(5);
  });

  it('goes through loss and doubles, each packet once', () => {
    const { lab, h1, far } = joined();
    const { client, server } = lab.connect(far, h1);
    lab.network.faults.degrade(['far'], ['router'], { lossPpm: 100_000, duplicatePpm: 300_000 });
    const seen: number[] = [];
    server.consume(
      (segment) => seen.push(numberOf(segment)),
      () => {},
    );
    for (let i = 0; i < 100; i++) client.send(numbered(i));
    lab.advance(120 * SECOND_US);
    expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  it('is gone with its addresses when it is taken away: its peers are reached by the routes again', () => {
    const { lab, h1, h2 } = sites();
    tunnel(h1, peer(h2, null));
    const dial = () => codeOf(h1.net.dial({ address: h2.address, port: 7 }, { timeoutUs: SECOND_US }));
    expect(lab.run(dial)).toBe('timeout');
    expect(h1.net.links().map(({ name }) => name)).toEqual(['lo', 'eth0', WG]);
    h1.net.setWireguard(WG, undefined);
    expect(h1.net.links().map(({ name }) => name)).toEqual(['lo', 'eth0']);
    expect(lab.run(dial)).toBe('refused');
  });
});
