import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, type DiscoveredAffiliate } from '../../../src/api/discovery.ts';
import type { Container } from '../../../src/platform/containers.ts';
import { writeDurably } from '../../../src/platform/disk.ts';
import type { CallOptions, RpcChannel, RpcError } from '../../../src/platform/rpc.ts';
import type { Task } from '../../../src/platform/task.ts';
import { Duration } from '../../../src/rpc/well-known.ts';
import { discoveryService } from '../../../src/services/discovery/program.ts';
import { publicWeb } from '../../../src/world/public-web.ts';
import type { Peer, RunningWorld } from '../../contract/world.ts';
import { WORLDS } from '../../contract/worlds.ts';

const MS = 1_000;
const IMAGE = 'services/discovery:v1';
const MODULE = new URL('../../../src/services/discovery/program.ts', import.meta.url).href;
const TTL = Duration.of({ seconds: 1_800 });

for (const world of WORLDS) {
  describe(`the discovery service on ${world.name}`, () => {
    let running: RunningWorld;
    let server: Peer;
    let client: Peer;
    let service: Container;
    let channel: RpcChannel;

    beforeAll(async () => {
      const program = { image: IMAGE, program: discoveryService, module: MODULE, export: 'discoveryService' };
      running = await world.start({ peers: 2, programs: [program] });
      [server, client] = running.peers as [Peer, Peer];
      await running.run(server, function* () {
        yield* server.containers.pull(IMAGE);
        yield* server.platform.disk.makeDirectory('/var/state');
      });
      service = await launch('discovery', '--redirect-endpoint=10.9.9.9:443');
      channel = client.platform.rpc.channel([{ address: server.address, port: 3_000 }]);
      await running.run(client, () =>
        channel.unary(Cluster.List, { clusterId: 'c' }, { waitForReady: true, timeoutUs: 10_000 * MS }),
      );
    });
    afterAll(async () => {
      channel.close();
      service.signal('SIGTERM');
      expect(await running.run(server, () => service.wait())).toEqual({ code: 0 });
      await running.stop();
    });

    const launch = (id: string, ...flags: readonly string[]): Promise<Container> =>
      running.run(server, () =>
        server.containers.run({
          id,
          namespace: 'system',
          image: IMAGE,
          args: ['discovery-service', ...flags],
          mounts: [{ source: '/var/state', destination: '/state' }],
          network: 'host',
        }),
      );

    const call = <T>(body: () => Task<T>): Promise<T> => running.run(client, body);
    const update = (affiliateId: string, data: readonly number[] | null, endpoints: readonly number[][] = []) =>
      channel.unary(Cluster.AffiliateUpdate, {
        clusterId: 'c',
        affiliateId,
        affiliateData: data === null ? null : Uint8Array.from(data),
        affiliateEndpoints: endpoints.map((endpoint) => Uint8Array.from(endpoint)),
        ttl: TTL,
      });

    const failure = async (body: () => Task<unknown>): Promise<string> => {
      try {
        await call(body);
      } catch (error) {
        return (error as RpcError).describe();
      }
      return 'none';
    };

    it('says who calls, and where to go instead', async () => {
      const hello = await call(() => channel.unary(Cluster.Hello, { clusterId: 'c', clientVersion: 'v1' }));
      expect([...hello.clientIp].join('.')).toBe(client.address);
      expect(hello.redirect?.endpoint).toBe('10.9.9.9:443');
      const metadata = { 'x-forwarded-for': '192.0.2.7, 10.0.0.1' };
      const behind = await call(() =>
        channel.unary(Cluster.Hello, { clusterId: 'c', clientVersion: 'v1' }, { metadata }),
      );
      expect([...behind.clientIp]).toEqual([192, 0, 2, 7]);
    });

    it('updates, lists, watches, deletes; clusters know nothing of each other', async () => {
      await call(() => update('a', [1], [[9]]));
      const seen = await call(function* () {
        const watch = channel.stream(Cluster.Watch);
        watch.send({ clusterId: 'c' });
        const messages: string[] = [];
        const told = ({ id, data, endpoints }: DiscoveredAffiliate): string =>
          `${id}[${data.join()}]${endpoints.map((endpoint) => `@${endpoint.join()}`).join('')}`;
        const next = function* (): Task<void> {
          const message = yield* watch.receive();
          messages.push(`${message?.deleted ? '-' : '+'} ${message?.affiliates.map(told).join(' ')}`);
        };
        yield* next();
        yield* update('b', [2]);
        yield* next();
        yield* update('a', null, [[9], [8]]);
        yield* next();
        yield* channel.unary(Cluster.AffiliateDelete, { clusterId: 'c', affiliateId: 'b' });
        yield* next();
        watch.cancel();
        return messages;
      });
      expect(seen).toEqual(['+ a[1]@9', '+ b[2]', '+ a[1]@9@8', '- b[]']);
      const list = (clusterId: string) => call(() => channel.unary(Cluster.List, { clusterId }));
      expect((await list('c')).affiliates.map((affiliate) => affiliate.id)).toEqual(['a']);
      expect((await list('other')).affiliates).toEqual([]);
    });

    it('refuses what is out of bounds', async () => {
      const refused = (text: string): string => `rpc error: code = InvalidArgument desc = ${text}`;
      const list = (clusterId: string) => failure(() => channel.unary(Cluster.List, { clusterId }));
      expect(await list('')).toBe(refused("cluster ID can't be empty"));
      expect(await list('x'.repeat(257))).toBe(refused('cluster ID is too long'));
      expect(await failure(() => update('', [1]))).toBe(refused("affiliate ID can't be empty"));
      expect(await failure(() => update('a', Array(2_049).fill(1)))).toBe(refused('affiliate data is too big'));
      expect(await failure(() => update('a', [1], [Array(33).fill(1)]))).toBe(refused('affiliate endpoint is too big'));
      const ttl = Duration.of({ seconds: 1_800, nanos: 1_000 });
      const request = { clusterId: 'c', affiliateId: 'a', affiliateData: null, affiliateEndpoints: [], ttl };
      expect(await failure(() => channel.unary(Cluster.AffiliateUpdate, request))).toBe(refused('ttl is too large'));
      const emptyWatch = failure(function* () {
        const watch = channel.stream(Cluster.Watch);
        watch.closeSend();
        return yield* watch.receive();
      });
      expect(await emptyWatch).toBe(refused("cluster ID can't be empty"));
    });

    it('holds a client back that asks too often; one that cannot wait is refused', async () => {
      const options: CallOptions = { metadata: { 'x-real-ip': '192.0.2.99' }, timeoutUs: 1_000 * MS };
      const elapsedUs = await call(function* () {
        const { clock } = client.platform;
        const startUs = clock.monotonicUs();
        for (let i = 0; i < 65; i++) yield* channel.unary(Cluster.List, { clusterId: 'c' }, options);
        return clock.monotonicUs() - startUs;
      });
      // Sixty at once, then one each 66.7 ms; what came in meanwhile counts for the bucket.
      expect(elapsedUs).toBeGreaterThan(200 * MS);
      const impatient = { ...options, timeoutUs: 20 * MS };
      const hurried = Array.from(
        { length: 10 },
        () => () => channel.unary(Cluster.List, { clusterId: 'c' }, impatient),
      );
      const codes = await Promise.all(hurried.map(failure));
      expect(codes).toContain('rpc error: code = ResourceExhausted desc = rate limit exceeds request timeout');
    });

    it('does not start on a port in use or with a damaged snapshot, and says why', async () => {
      const outcome = async (id: string, ...flags: readonly string[]) => {
        const container = await launch(id, ...flags);
        const { code } = await running.run(server, () => container.wait());
        return [code, container.logTail(1)[0]];
      };
      expect(await outcome('second')).toEqual([
        1,
        'failed to start: listen tcp 0.0.0.0:3000: bind: address already in use',
      ]);
      await running.run(server, () =>
        writeDurably(server.platform.disk, '/var/state/damaged', Uint8Array.of(0x0a, 0xff)),
      );
      const damaged = ['--snapshots-enabled', '--snapshot-path=/state/damaged', '--addr=:3001'];
      expect(await outcome('damaged', ...damaged)).toEqual([1, expect.stringMatching(/^failed to start: .+/)]);
    });

    it('writes down what it knows when it is asked to end', async () => {
      const flags = ['--addr=:3002', '--snapshots-enabled', '--snapshot-path=/state/kept'];
      const to = [{ address: server.address, port: 3_002 }];
      const at = client.platform.rpc.channel(to, { backoffBaseUs: 20 * MS });
      const patient = { waitForReady: true, timeoutUs: 10_000 * MS };
      const first = await launch('kept', ...flags);
      await call(() =>
        at.unary(
          Cluster.AffiliateUpdate,
          { clusterId: 'k', affiliateId: 'a', affiliateData: Uint8Array.of(5), affiliateEndpoints: [], ttl: TTL },
          patient,
        ),
      );
      first.signal('SIGTERM');
      expect(await running.run(server, () => first.wait())).toEqual({ code: 0 });
      const second = await launch('kept', ...flags);
      const { affiliates } = await call(() => at.unary(Cluster.List, { clusterId: 'k' }, patient));
      expect(affiliates).toEqual([{ id: 'a', data: Uint8Array.of(5), endpoints: [] }]);
      at.close();
      second.signal('SIGTERM');
      await running.run(server, () => second.wait());
    });
  });
}

describe('the certificate of the discovery service', () => {
  it('is of an authority that is the same for a seed, and different for another', () => {
    expect(publicWeb('1').rootPem).toBe(publicWeb('1').rootPem);
    expect(publicWeb('1').rootPem).not.toBe(publicWeb('2').rootPem);
  });
});
