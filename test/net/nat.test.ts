import { describe, expect, it } from 'vitest';
import { SECOND_US } from '../../src/platform/clock.ts';
import type { Endpoint } from '../../src/platform/net.ts';
import { codeOf, type Host, type Lab, numbered, numberOf } from './lab.ts';
import { sites } from './sites.ts';

/** Who a datagram that `from` sends from port 4000 seems to come from. */
function seenAs(lab: Lab, from: Host, to: Host): Endpoint {
  return lab.run(function* () {
    const server = yield* to.net.bindDatagram({ address: '0.0.0.0', port: 53 });
    const client = yield* from.net.bindDatagram({ address: '0.0.0.0', port: 4000 });
    client.send({ address: to.address, port: 53 }, numbered(4));
    const datagram = yield* server.receive();
    server.close();
    client.close();
    return datagram.from;
  });
}

describe('a router that translates', () => {
  it('shows who is inside under the public address, with the same port unless another has it towards that end', () => {
    const { lab, h1, h2, web } = sites();
    expect(seenAs(lab, h1, web)).toEqual({ address: '198.51.100.1', port: 4000 });
    expect(seenAs(lab, h2, web)).toEqual({ address: '198.51.100.1', port: 4001 });
    expect(seenAs(lab, h1, web)).toEqual({ address: '198.51.100.1', port: 4000 });
  });

  it('carries connections from inside, one event a segment once they stand', () => {
    const { lab, h1, web } = sites();
    const { client, server } = lab.connect(h1, web);
    expect(server.remote.address).toBe('198.51.100.1');
    const seen: number[] = [];
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      other.consume(
        (segment) => seen.push(numberOf(segment)),
        () => {},
      );
      end.send(numbered(0));
      lab.advance(SECOND_US);
      const before = lab.scheduler.fired;
      for (let i = 1; i <= 20; i++) end.send(numbered(i));
      // A change while they are under way: they arrive as packets.
      h1.net.addAddress('eth0', '10.0.0.99/32');
      lab.advance(SECOND_US);
      expect(lab.scheduler.fired - before).toBeLessThan(25);
    }
    expect(seen.length).toBe(42);
  });

  it('lets nobody in but by a forwarded port, and nobody reach an inner address or his own public one', () => {
    const forward = { protocol: 'tcp', port: 8080, to: { address: '10.0.0.2', port: 80 } } as const;
    const { lab, h1, h2, far, web } = sites([forward]);
    const dial = (from: Host, address: string, port: number) =>
      lab.run(() => codeOf(from.net.dial({ address, port }, { timeoutUs: 3 * SECOND_US })));
    lab.start(function* () {
      const listener = yield* h2.net.listen({ address: '0.0.0.0', port: 80 });
      for (;;) yield* listener.accept();
    });
    expect(dial(web, '198.51.100.1', 8080)).toBe('none');
    expect(dial(far, '198.51.100.1', 8080)).toBe('none');
    expect(dial(web, '198.51.100.1', 80)).toBe('timeout');
    web.net.addRoute({ destination: '0.0.0.0/0', gateway: '198.51.100.254', link: 'eth0', metric: 1024 });
    expect(dial(web, '10.0.0.2', 80)).toBe('timeout');
    expect(dial(far, '10.0.0.2', 80)).toBe('timeout');
    expect(dial(h1, '198.51.100.1', 8080)).toBe('timeout');
  });

  it('forgets a datagram that nobody answered after 30 s: a late answer finds no way in', () => {
    const { lab, h1, web } = sites();
    const answered = (afterUs: number): boolean => {
      let heard = false;
      lab.start(function* () {
        const client = yield* h1.net.bindDatagram({ address: '0.0.0.0', port: 4000 });
        client.send({ address: web.address, port: 53 }, numbered(1));
        yield* client.receive();
        heard = true;
        client.close();
      });
      lab.run(function* () {
        const server = yield* web.net.bindDatagram({ address: '0.0.0.0', port: 53 });
        const { from } = yield* server.receive();
        yield* lab.clock.sleep(afterUs);
        server.send(from, numbered(2));
        server.close();
      });
      lab.advance(SECOND_US);
      return heard;
    };
    expect(answered(29 * SECOND_US)).toBe(true);
    lab.advance(130 * SECOND_US);
    expect(answered(32 * SECOND_US)).toBe(false);
  });
});
