import { describe, expect, it } from 'vitest';
import { MILLISECOND_US, SECOND_US } from '../../src/platform/clock.ts';
import type { Host } from './lab.ts';
import { codeOf, Lab, numbered } from './lab.ts';

function entry(host: Host, address: string) {
  return host.kernel.settings
    .link('eth0')
    .neighbours()
    .find((candidate) => candidate.address === address);
}

function macOf(host: Host): string {
  return host.kernel.settings.link('eth0').nic.mac;
}

const VIP = '10.0.0.200';

/** h1 and h2 may hold the VIP, h3 is a client of it. */
function vipLab(seed = 1) {
  const lab = new Lab({ hosts: 3, seed });
  const [h1, h2, h3] = [lab.host(1), lab.host(2), lab.host(3)];
  for (const host of [h1, h2]) lab.run(() => host.net.listen({ address: '0.0.0.0', port: 6443 }));
  const dial = () => codeOf(h3.net.dial({ address: VIP, port: 6443 }, { timeoutUs: 15 * SECOND_US }));
  return { lab, h1, h2, h3, dial };
}

describe('ARP', () => {
  it('costs a question and an answer before the first packet, and nothing after', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    lab.connect(h1, h2);
    expect(entry(h1, h2.address)?.mac).toBe(macOf(h2));
    expect(entry(h2, h1.address)?.mac).toBe(macOf(h1)); // learned from the question
    expect(lab.named('net.neighbour.learned')).toHaveLength(2);
    lab.connect(h1, h2, 8);
    expect(lab.named('net.neighbour.learned')).toHaveLength(2);
  });

  it('asks three times before the address is unreachable, and again for the next packet', () => {
    const lab = new Lab();
    const h1 = lab.host(1);
    const dial = () => codeOf(h1.net.dial({ address: '10.0.0.9', port: 1 }));
    for (let i = 0; i < 2; i++) {
      const startUs = lab.clock.nowUs();
      expect(lab.run(dial)).toBe('unreachable');
      expect(lab.clock.nowUs() - startUs).toBe(3 * SECOND_US);
    }
    expect(lab.named('net.neighbour.failed')).toHaveLength(2);
  });

  it('finds an owner that appears while it asks', () => {
    const { lab, h1, dial } = vipLab();
    const seen = lab.start(dial);
    lab.advance(2500 * MILLISECOND_US);
    h1.net.addAddress('eth0', `${VIP}/32`);
    expect(lab.run(() => seen.join())).toBe('unreachable'); // the third question was asked at 2 s
    expect(lab.run(dial)).toBe('none');
  });

  it('resolves at once when the new owner announces itself while it asks', () => {
    const { lab, h1, dial } = vipLab();
    const seen = lab.start(dial);
    lab.advance(2500 * MILLISECOND_US);
    h1.net.addAddress('eth0', `${VIP}/32`);
    h1.net.announce('eth0', VIP);
    expect(lab.run(() => seen.join())).toBe('none');
    expect(lab.clock.nowUs()).toBeLessThan(2510 * MILLISECOND_US);
  });

  it('follows an announcement where there is an entry, and creates none where there is not', () => {
    const { lab, h1, h2, h3, dial } = vipLab();
    h1.net.addAddress('eth0', `${VIP}/32`);
    lab.run(dial);
    h1.net.removeAddress('eth0', `${VIP}/32`);
    h2.net.addAddress('eth0', `${VIP}/32`);
    h2.net.announce('eth0', VIP);
    lab.advance(MILLISECOND_US);
    expect(entry(h3, VIP)?.mac).toBe(macOf(h2));
    expect(entry(h1, VIP)).toBeUndefined();
    expect(lab.run(dial)).toBe('none');
  });

  it('keeps sending to the old owner when the announcement is lost, until the entry was probed', () => {
    const { lab, h1, h2, h3, dial } = vipLab();
    h1.net.addAddress('eth0', `${VIP}/32`);
    lab.run(dial);
    const deaf = lab.network.faults.loseAnnouncements(h3.name);
    h1.kernel.powerOff();
    h2.net.addAddress('eth0', `${VIP}/32`);
    h2.net.announce('eth0', VIP);
    deaf.heal();
    const startUs = lab.clock.nowUs();
    const outcomes = new Set<string>();
    for (let i = 0; i < 10; i++) {
      const outcome = lab.run(dial);
      outcomes.add(outcome);
      if (outcome === 'none') break;
      lab.advance(SECOND_US);
    }
    const tookUs = lab.clock.nowUs() - startUs;
    expect([...outcomes]).toEqual(['timeout', 'none']);
    // Reachable for 15 to 45 s, 5 s until the first probe, 3 s of probes; dials last 15 s and start every 16 s.
    expect(tookUs).toBeGreaterThan(20 * SECOND_US);
    expect(tookUs).toBeLessThan(70 * SECOND_US);
    expect(entry(h3, VIP)?.mac).toBe(macOf(h2));
  });

  it('gives an address held twice to whoever answers first, and either may', () => {
    const winners = new Set<string>();
    for (let seed = 1; seed <= 12; seed++) {
      const { lab, h1, h2, h3, dial } = vipLab(seed);
      h1.net.addAddress('eth0', `${VIP}/32`);
      h2.net.addAddress('eth0', `${VIP}/32`);
      lab.run(dial);
      lab.advance(SECOND_US);
      const mac = entry(h3, VIP)!.mac;
      const learned = lab
        .named('net.neighbour.learned')
        .filter((event) => event.source === 'h3' && event.fields.address === VIP);
      expect(learned.map((event) => event.fields.mac)).toEqual([mac]); // the second answer changed nothing
      expect([macOf(h1), macOf(h2)]).toContain(mac);
      winners.add(mac === macOf(h1) ? 'h1' : 'h2');
      // Sticky: neither the second answer nor the next dial changes it.
      lab.run(dial);
      expect(entry(h3, VIP)!.mac).toBe(mac);
    }
    expect([...winners].sort()).toEqual(['h1', 'h2']);
  });

  it('lets a stranger who holds an address too refuse what is meant for its owner', () => {
    const { lab, h1, dial } = vipLab();
    h1.net.addAddress('eth0', `${VIP}/32`);
    expect(lab.run(dial)).toBe('none');
    const stranger = lab.network.faults.addressHeldTwice('lan', VIP, { announce: true });
    lab.advance(MILLISECOND_US);
    expect(lab.run(dial)).toBe('refused');
    stranger.heal();
    h1.net.announce('eth0', VIP);
    lab.advance(MILLISECOND_US);
    expect(lab.run(dial)).toBe('none');
  });

  it('does not age entries that acknowledged traffic confirms, without a single event for it', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const { client, server } = lab.connect(h1, h2);
    server.consume(
      () => {},
      () => {},
    );
    client.send(numbered(0));
    lab.advance(10 * SECOND_US); // h2 learned of h1 by hearsay and looks after 5 s whether that was confirmed
    const before = lab.scheduler.fired;
    for (let i = 0; i < 100; i++) {
      client.send(numbered(i));
      lab.advance(10 * SECOND_US);
    }
    expect(lab.scheduler.fired - before).toBe(100);
    expect(entry(h1, h2.address)?.state).toBe('reachable');
  });

  it('probes an entry that was not confirmed with one question to its card', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const probe = lab.run(() => h1.net.bindDatagram({ address: '0.0.0.0', port: 0 }));
    probe.send({ address: h2.address, port: 9 }, numbered(1));
    lab.advance(50 * SECOND_US);
    probe.send({ address: h2.address, port: 9 }, numbered(2));
    expect(entry(h1, h2.address)?.state).toBe('delay');
    lab.advance(5 * SECOND_US + 1);
    expect(entry(h1, h2.address)?.state).toBe('probe');
    lab.advance(MILLISECOND_US);
    expect(entry(h1, h2.address)?.state).toBe('reachable');
  });

  it('keeps a stale entry as it is while that fault lasts', () => {
    const { lab, h1, h2, h3, dial } = vipLab();
    h1.net.addAddress('eth0', `${VIP}/32`);
    lab.run(dial);
    const stale = lab.network.faults.staleNeighbour(h3.name, VIP);
    h1.net.removeAddress('eth0', `${VIP}/32`);
    h2.net.addAddress('eth0', `${VIP}/32`);
    h2.net.announce('eth0', VIP);
    lab.advance(200 * SECOND_US);
    expect(lab.run(dial)).toBe('timeout');
    stale.heal();
    h2.net.announce('eth0', VIP);
    lab.advance(MILLISECOND_US);
    expect(lab.run(dial)).toBe('none');
  });

  it('forgets everything when the carrier goes', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    lab.connect(h1, h2);
    const unplugged = lab.network.faults.unplug(h1.name, 'eth0');
    expect(h1.net.links()[1]!.up).toBe(false);
    expect(h1.kernel.settings.link('eth0').neighbours()).toEqual([]);
    expect(lab.run(() => codeOf(h1.net.dial({ address: h2.address, port: 9 })))).toBe('unreachable');
    unplugged.heal();
    expect(lab.run(() => codeOf(h1.net.dial({ address: h2.address, port: 9 })))).toBe('refused');
  });
});
