import { beforeEach, describe, expect, it } from 'vitest';
import { Channel } from '../../src/platform/channel.ts';
import { SECOND_US } from '../../src/platform/clock.ts';
import type { Process, Signal } from '../../src/platform/containers.ts';
import { decodeQuestion, encodeAnswer, ResponseCode } from '../../src/platform/dns/message.ts';
import { nameServer } from '../../src/services/dns/server.ts';
import { type Host, Lab } from './lab.ts';

/** h1 asks; h2 and h3 are name servers; h4 to h6 are hosts with names. */
describe('names', () => {
  let lab: Lab;
  let client: Host;
  const zone = new Map<string, readonly string[]>();

  beforeEach(() => {
    lab = new Lab({ hosts: 6 });
    client = lab.host(1);
    zone.clear();
    zone.set('api.demo.example', ['10.0.0.4', '10.0.0.5', '10.0.0.6']);
    zone.set(
      'big.demo.example',
      Array.from({ length: 60 }, (_unused, index) => `10.0.1.${index}`),
    );
    for (const server of [2, 3]) lab.network.names.addServer(lab.host(server).address);
    client.net.setNameservers(['10.0.0.2', '10.0.0.3']);
  });

  function serve(number: number): void {
    const { net } = lab.host(number);
    const process = {
      argv: ['named'],
      platform: { net, scope: lab.scope },
      signals: new Channel<Signal>(),
      print: () => {},
    };
    lab.start(() => nameServer(zone)(process as unknown as Process), `named-${number}`);
    lab.advance(0);
  }

  /** What a look-up gives or says, and how many seconds it took. */
  function lookup(name: string): { found: unknown; seconds: number } {
    const startUs = lab.scheduler.nowUs();
    const found = lab.run(function* () {
      try {
        return yield* client.net.lookup(name);
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message}`;
      }
    });
    return { found, seconds: Math.floor((lab.scheduler.nowUs() - startUs) / SECOND_US) };
  }

  it('addresses and localhost are known without asking', () => {
    expect(lookup('10.0.0.4')).toEqual({ found: ['10.0.0.4'], seconds: 0 });
    expect(lookup('localhost')).toEqual({ found: ['127.0.0.1'], seconds: 0 });
  });

  it('come from the first server that answers, whose addresses take turns', () => {
    serve(2);
    expect(lookup('api.demo.example')).toEqual({ found: ['10.0.0.4', '10.0.0.5', '10.0.0.6'], seconds: 0 });
    expect(lookup('api.demo.example')).toEqual({ found: ['10.0.0.5', '10.0.0.6', '10.0.0.4'], seconds: 0 });
    zone.set('api.demo.example', ['10.0.0.9']);
    expect(lookup('api.demo.example').found).toEqual(['10.0.0.9']);
  });

  it('a silent server costs five seconds; one that knows of no such name ends it', () => {
    serve(3);
    expect(lookup('api.demo.example')).toEqual({ found: ['10.0.0.4', '10.0.0.5', '10.0.0.6'], seconds: 5 });
    expect(lookup('nobody.demo.example')).toEqual({
      found: 'unknown-host: lookup nobody.demo.example on 10.0.0.3:53: no such host',
      seconds: 5,
    });
  });

  it('what can be no name is not asked for', () => {
    for (const name of ['', 'a..b', 'a b', '-a.example', '1.2.3', 'a'.repeat(64)])
      expect(lookup(name), name).toEqual({ found: `unknown-host: lookup ${name}: no such host`, seconds: 0 });
    serve(2);
    expect(lookup('x_y').found).toBe('unknown-host: lookup x_y on 10.0.0.2:53: no such host');
    expect(lookup('API.Demo.example.').found).toEqual(['10.0.0.4', '10.0.0.5', '10.0.0.6']);
  });

  it('all servers silent: two rounds, and the last word of the last', () => {
    const { found, seconds } = lookup('api.demo.example');
    expect(seconds).toBe(20);
    expect(found).toMatch(
      /^unknown-host: lookup api\.demo\.example on 10\.0\.0\.3:53: read udp 10\.0\.0\.1:\d+->10\.0\.0\.3:53: i\/o timeout$/,
    );
  });

  it('a server that fails is no better than a silent one', () => {
    lab.start(function* () {
      const socket = yield* lab.host(2).net.bindDatagram({ address: '0.0.0.0', port: 53 });
      for (;;) {
        const { from, payload } = yield* socket.receive();
        const question = decodeQuestion(payload as Uint8Array)!;
        socket.send(from, encodeAnswer({ ...question, code: ResponseCode.ServerFailure, records: [] }, 512));
      }
    });
    serve(3);
    expect(lookup('api.demo.example').found).toHaveLength(3);
    client.net.setNameservers(['10.0.0.2']);
    expect(lookup('api.demo.example').found).toBe(
      'unknown-host: lookup api.demo.example on 10.0.0.2:53: server misbehaving',
    );
  });

  it('what does not fit into a datagram is asked for again over a connection', () => {
    serve(2);
    expect(lookup('big.demo.example').found).toHaveLength(60);
    expect(lab.named('net.connection.opened').filter(({ source }) => source === 'h1')).toHaveLength(1);
  });

  it('without a route there is nobody to ask', () => {
    client.net.removeAddress('eth0', '10.0.0.1/24');
    expect(lookup('api.demo.example')).toEqual({
      found:
        'unknown-host: lookup api.demo.example on 10.0.0.3:53: dial udp 10.0.0.3:53: connect: network is unreachable',
      seconds: 0,
    });
  });

  it('servers that are no hosts here know the names of the outside', () => {
    lab.network.names.setOutside({ 'time.example': ['203.0.113.20'] });
    client.net.setNameservers(['9.9.9.9']);
    expect(lookup('time.example').found).toEqual(['203.0.113.20']);
    expect(lookup('api.demo.example').found).toBe('unknown-host: lookup api.demo.example: no such host');
  });

  it('a dial tries the addresses in order, and fails with the error of the first', () => {
    serve(2);
    const dial = (timeoutUs?: number): string | readonly unknown[] =>
      lab.run(function* () {
        try {
          const to = { address: 'api.demo.example', port: 6443 };
          return (yield* client.net.dial(to, timeoutUs === undefined ? {} : { timeoutUs })).remote.address;
        } catch (error) {
          return [(error as { code: string }).code, (error as { remote: unknown }).remote];
        }
      });
    // h4 refuses, h5 is not there at all, h6 listens.
    lab.host(5).kernel.powerOff();
    lab.run(() => lab.host(6).net.listen({ address: '0.0.0.0', port: 6443 }));
    for (let turn = 0; turn < 3; turn++) expect(dial()).toBe('10.0.0.6');
    zone.set('api.demo.example', ['10.0.0.4', '10.0.0.5']);
    expect(dial()).toEqual(['unreachable', { address: '10.0.0.5', port: 6443 }]);
    expect(dial()).toEqual(['refused', { address: '10.0.0.4', port: 6443 }]);
    // The limit is that of the whole, and the look-up counts.
    lab.host(2).process.exit();
    expect(dial(3 * SECOND_US)[0]).toBe('unknown-host');
  });
});
