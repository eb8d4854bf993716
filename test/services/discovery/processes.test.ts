import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostPlatform, hostPlatform } from '../../../src/host/platform.ts';
import type { Container } from '../../../src/platform/containers.ts';
import { loopbackNetwork } from '../../contract/worlds/loopback.ts';
import { onHost } from '../../support/on-host.ts';

const MS = 1_000;
const addressOf = loopbackNetwork();
const SERVICE = addressOf(41);
const LIMIT_MS = 20_000;

/** The same programs as in the simulation, each in a process of its own. */
describe('the discovery service as real processes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'talosim-discovery-'));
  const hosts: HostPlatform[] = [];
  let service: HostPlatform;

  const machine = (name: string, self: string): HostPlatform => {
    const host = hostPlatform({
      name,
      self,
      root: join(directory, name),
      images: {
        'discovery-service': { kind: 'built-in', name: 'discovery-service' },
        member: { kind: 'program', module: new URL('./member-program.ts', import.meta.url).href, export: 'member' },
      },
    });
    hosts.push(host);
    return host;
  };

  beforeAll(() => {
    service = machine('discovery', SERVICE);
  });
  afterAll(() => {
    for (const host of hosts) host.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (host: HostPlatform, image: string, args: readonly string[]): Promise<Container> =>
    onHost(host, function* () {
      yield* host.containers.pull(`${image}:v1`);
      return yield* host.containers.run({
        id: image,
        namespace: 'system',
        image: `${image}:v1`,
        args: [image, ...args],
        network: 'host',
      });
    });

  const startService = (): Promise<Container> => start(service, 'discovery-service', ['--addr=0.0.0.0:3000']);
  const sees = (container: Container): string | undefined => container.logTail(1)[0];

  const until = (condition: () => boolean): Promise<void> =>
    onHost(service, function* () {
      while (!condition()) yield* service.platform.clock.sleep(20 * MS);
    });

  it(
    'members find each other, also after the service was killed, stopped and continued',
    async () => {
      let server = await startService();
      const [a, b] = await Promise.all(
        ['a', 'b'].map((name, i) =>
          start(machine(name, addressOf(42 + i)), 'member', [SERVICE, '3000', 'cluster', name]),
        ),
      );
      await until(() => sees(a!) === 'sees b' && sees(b!) === 'sees a');

      server.signal('SIGKILL');
      expect(await onHost(service, () => server.wait())).toEqual({ code: 137, signal: 'SIGKILL' });
      const before = a!.logTail(1_000).length;
      server = await startService();
      await until(() => a!.logTail(1_000).length > before && sees(a!) === 'sees b' && sees(b!) === 'sees a');

      server.signal('SIGSTOP');
      const c = await start(machine('c', addressOf(44)), 'member', [SERVICE, '3000', 'cluster', 'c']);
      await onHost(service, () => service.platform.clock.sleep(1_000 * MS));
      expect([sees(a!), sees(b!), sees(c)]).toEqual(['sees b', 'sees a', undefined]);
      server.signal('SIGCONT');
      await until(() => sees(a!) === 'sees b c' && sees(b!) === 'sees a c' && sees(c) === 'sees a b');

      c.signal('SIGTERM');
      expect(await onHost(service, () => c.wait())).toEqual({ code: 0 });
      await until(() => sees(a!) === 'sees b' && sees(b!) === 'sees a');
      server.signal('SIGTERM');
      expect(await onHost(service, () => server.wait())).toEqual({ code: 0 });
    },
    LIMIT_MS,
  );

  it('a bad flag ends it with a reason', async () => {
    const bad = await start(service, 'discovery-service', ['--nope']);
    expect(await onHost(service, () => bad.wait())).toEqual({ code: 2 });
    expect(bad.logTail(1)).toEqual(['failed to start: flag provided but not defined: -nope']);
  });
});
