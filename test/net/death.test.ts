import { describe, expect, it } from 'vitest';
import { MILLISECOND_US, SECOND_US } from '../../src/platform/clock.ts';
import { codeOf, Lab, numbered, numberOf } from './lab.ts';

function connected() {
  const lab = new Lab();
  const [h1, h2] = [lab.host(1), lab.host(2)];
  return { lab, h1, h2, ...lab.connect(h1, h2) };
}

describe('power cut', () => {
  it('leaves the peer with a half-open connection that looks healthy while idle', () => {
    const { lab, h2, client } = connected();
    h2.kernel.powerOff();
    const reader = lab.start(() => client.receive());
    lab.advance(3600 * SECOND_US);
    expect(reader.settled).toBe(false);
  });

  it('is noticed by the peer as a reset when it sends after the reboot', () => {
    const { lab, h2, client } = connected();
    h2.kernel.powerOff();
    lab.advance(5 * SECOND_US);
    lab.reboot(h2);
    client.send(numbered(0));
    expect(lab.run(() => codeOf(client.receive()))).toBe('reset');
    expect(lab.named('net.connection.broken').map((event) => event.fields.reason)).toEqual(['reset']);
  });

  it('is noticed as a timeout when the machine stays off', () => {
    const lab = new Lab();
    const [h1, h2] = [lab.host(1), lab.host(2)];
    const startUs = lab.run(function* () {
      const listener = yield* h2.net.listen({ address: '0.0.0.0', port: 1 });
      const client = yield* h1.net.dial({ address: h2.address, port: 1 }, { userTimeoutUs: 30 * SECOND_US });
      yield* listener.accept();
      h2.kernel.powerOff();
      const start = lab.clock.nowUs();
      client.send(numbered(0));
      expect(yield* codeOf(client.drained(0))).toBe('timeout');
      return start;
    });
    expect(lab.clock.nowUs() - startUs).toBe(30 * SECOND_US);
  });

  it('lets nothing run on the machine that lost power', () => {
    const { lab, h1, client, server } = connected();
    let woken = false;
    lab.start(function* () {
      yield* codeOf(client.receive());
      woken = true;
    });
    client.consume(
      () => {
        woken = true;
      },
      () => {
        woken = true;
      },
    );
    lab.advance(1);
    h1.kernel.powerOff();
    server.send(numbered(0));
    server.abort();
    lab.advance(2000 * SECOND_US);
    expect(woken).toBe(false);
  });

  it('while a segment is under way: the segment arrives nowhere', () => {
    const { lab, h2, client, server } = connected();
    let seen = 0;
    server.consume(
      () => {
        seen++;
      },
      () => {},
    );
    client.send(numbered(0));
    h2.kernel.powerOff();
    lab.reboot(h2);
    lab.advance(SECOND_US);
    expect(seen).toBe(0);
    expect(lab.run(() => codeOf(client.receive()))).toBe('reset');
  });

  it('a segment already on the wire arrives although its sender is gone', () => {
    const { lab, h1, client, server } = connected();
    client.send(numbered(7));
    h1.kernel.powerOff();
    expect(numberOf(lab.run(() => server.receive()))).toBe(7);
  });
});

describe('process end', () => {
  it('closes what the process held with FIN, and listeners refuse', () => {
    const { lab, h1, h2, client } = connected();
    lab.run(() => h2.net.listen({ address: '0.0.0.0', port: 80 }));
    h2.process.exit();
    lab.run(function* () {
      expect(yield* client.receive()).toBeUndefined();
      expect(yield* codeOf(h1.net.dial({ address: h2.address, port: 80 }))).toBe('refused');
    });
  });

  it('still delivers what the process had sent', () => {
    const { lab, h1, client, server } = connected();
    for (let i = 0; i < 3; i++) client.send(numbered(i));
    h1.process.exit();
    const seen = lab.run(function* () {
      const numbers: unknown[] = [];
      for (let i = 0; i < 3; i++) numbers.push(numberOf(yield* server.receive()));
      numbers.push(yield* server.receive());
      return numbers;
    });
    expect(seen).toEqual([0, 1, 2, undefined]);
  });

  it('resets where data was unread', () => {
    const { lab, h2, client } = connected();
    client.send(numbered(0));
    lab.advance(MILLISECOND_US);
    h2.process.exit();
    expect(lab.run(() => codeOf(client.receive()))).toBe('reset');
  });

  it('gives up a connection whose peer is unreachable after the orphan limit', () => {
    const { lab, h1, client } = connected();
    lab.network.faults.partition(['h1'], ['h2']);
    client.send(numbered(0));
    h1.process.exit();
    lab.advance(90 * SECOND_US);
    expect(h1.kernel.host.connectionCount).toBe(1);
    lab.advance(30 * SECOND_US);
    expect(h1.kernel.host.connectionCount).toBe(0);
  });
});

describe('stopped process', () => {
  it('is acknowledged for by its kernel until the buffer is full, and gets everything when it goes on', () => {
    const { lab, h2, client, server } = connected();
    const seen: number[] = [];
    server.consume(
      (segment) => seen.push(numberOf(segment)),
      () => seen.push(-1),
    );
    h2.process.stop();
    for (let i = 0; i < 8; i++) client.send(numbered(i, 1_000_000));
    client.close();
    lab.advance(SECOND_US);
    expect(seen).toEqual([]);
    h2.process.continue();
    lab.advance(SECOND_US);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, -1]);
  });
});

describe('frozen machine', () => {
  it('answers nothing, loses what arrives, and goes on where it was', () => {
    const { lab, h1, h2, client, server } = connected();
    const seen: number[] = [];
    server.consume(
      (segment) => seen.push(numberOf(segment)),
      () => {},
    );
    h2.kernel.freeze();
    client.send(numbered(0));
    expect(lab.run(() => codeOf(h1.net.dial({ address: h2.address, port: 1 }, { timeoutUs: 2 * SECOND_US })))).toBe(
      'timeout',
    );
    expect(seen).toEqual([]);
    h2.kernel.thaw();
    lab.advance(10 * SECOND_US);
    expect(seen).toEqual([0]);
  });

  it('keeps its own timers waiting', () => {
    const { lab, h1, h2, client } = connected();
    h2.kernel.powerOff();
    client.send(numbered(0));
    lab.advance(MILLISECOND_US);
    h1.kernel.freeze();
    lab.advance(2000 * SECOND_US);
    expect(client.unsentBytes()).toBe(100);
    lab.reboot(h2);
    h1.kernel.thaw();
    const reader = lab.start(() => codeOf(client.receive()));
    lab.advance(5 * SECOND_US);
    expect(reader.settled).toBe(true);
  });
});

describe('addresses that move', () => {
  it('send nothing from an address that was removed, and go on when it is back', () => {
    const { lab, h1, client, server } = connected();
    h1.net.removeAddress('eth0', '10.0.0.1/24');
    h1.net.addAddress('eth0', '10.0.0.200/24');
    client.send(numbered(3));
    const reader = lab.start(() => server.receive());
    lab.advance(2 * SECOND_US);
    expect(reader.settled).toBe(false);
    h1.net.addAddress('eth0', '10.0.0.1/24');
    lab.advance(5 * SECOND_US);
    expect(numberOf(lab.run(() => reader.join()))).toBe(3);
  });

  it('leave connections to them hanging when removed, and reset them when the new owner is asked', () => {
    const lab = new Lab({ hosts: 3 });
    const [h1, h2, h3] = [lab.host(1), lab.host(2), lab.host(3)];
    const vip = '10.0.0.200';
    h1.net.addAddress('eth0', `${vip}/32`);
    const client = lab.run(function* () {
      yield* h1.net.listen({ address: '0.0.0.0', port: 1 });
      return yield* h3.net.dial({ address: vip, port: 1 });
    });
    h1.net.removeAddress('eth0', `${vip}/32`);
    client.send(numbered(0));
    lab.advance(3 * SECOND_US);
    expect(client.unsentBytes()).toBe(100);
    h2.net.addAddress('eth0', `${vip}/32`);
    h2.net.announce('eth0', vip);
    expect(lab.run(() => codeOf(client.receive()))).toBe('reset');
  });
});
