import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeReply, encodeRequest } from '../../src/api/os/sntp.ts';
import type { Container } from '../../src/platform/containers.ts';
import { timeServer } from '../../src/services/time/server.ts';
import type { Peer, RunningWorld } from '../contract/world.ts';
import { WORLDS } from '../contract/worlds.ts';

const MS = 1_000;
const IMAGE = 'services/time:v1';
const MODULE = new URL('../../src/services/time/server.ts', import.meta.url).href;

for (const world of WORLDS) {
  describe(`time server on ${world.name}`, () => {
    let running: RunningWorld;
    let server: Peer;
    let client: Peer;

    beforeAll(async () => {
      const program = { image: IMAGE, program: timeServer, module: MODULE, export: 'timeServer' };
      running = await world.start({ peers: 2, programs: [program] });
      [server, client] = running.peers as [Peer, Peer];
      await running.run(server, () => server.containers.pull(IMAGE));
    });
    afterAll(() => running.stop());

    const launch = (flags: readonly string[]): Promise<Container> =>
      running.run(server, () =>
        server.containers.run({
          id: 'time',
          namespace: 'system',
          image: IMAGE,
          args: ['ntpd', ...flags],
          network: 'host',
        }),
      );

    it('answers requests and nothing else, and ends at SIGTERM', async () => {
      const container = await launch(['--listen=:1123']);
      const reply = await running.run(client, function* () {
        const { net, clock } = client.platform;
        const socket = yield* net.bindDatagram({ address: '0.0.0.0', port: 0 });
        const to = { address: server.address, port: 1_123 };
        yield* clock.sleep(100 * MS);
        socket.send(to, Uint8Array.of(1, 2, 3));
        const originUs = clock.nowUs();
        socket.send(to, encodeRequest(originUs));
        const { from, payload } = yield* socket.receive();
        socket.close();
        const decoded = decodeReply(payload as Uint8Array)!;
        return { from, decoded, originUs, nowUs: clock.nowUs() };
      });
      expect(reply.from).toEqual({ address: server.address, port: 1_123 });
      expect(reply.decoded).toMatchObject({ originUs: reply.originUs, stratum: 2 });
      expect(Math.abs(reply.decoded.receivedUs - reply.nowUs)).toBeLessThan(5_000 * MS);
      expect(reply.decoded.transmittedUs).toBeGreaterThanOrEqual(reply.decoded.receivedUs);
      container.signal('SIGTERM');
      expect(await running.run(server, () => container.wait())).toEqual({ code: 0 });
    });

    it('refuses bad flags', async () => {
      const bad = await launch(['--pool=x']);
      expect(await running.run(server, () => bad.wait())).toEqual({ code: 2 });
      expect(bad.logTail(1)).toEqual(['failed to start: flag provided but not defined: -pool']);
    });
  });
}
