import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Container, ContainerSpec, Containers } from '../../src/platform/containers.ts';
import { readWhole } from '../../src/platform/disk.ts';
import type { Task } from '../../src/platform/task.ts';
import { PROGRAMS } from './programs.ts';
import type { Peer, RunningWorld } from './world.ts';
import { WORLDS } from './worlds.ts';

const MS = 1_000;

function spec(name: string, id: string, extra: Partial<ContainerSpec> = {}): ContainerSpec {
  return { id, namespace: 'system', image: `contract/${name}:v1`, args: [`/${name}`], network: 'host', ...extra };
}

for (const world of WORLDS) {
  describe(`containers on ${world.name}`, () => {
    let running: RunningWorld;
    let peer: Peer;
    let containers: Containers;
    const run = <T>(body: () => Task<T>): Promise<T> => running.run(peer, body);

    beforeAll(async () => {
      running = await world.start({ peers: 1, programs: PROGRAMS });
      peer = running.peers[0]!;
      containers = peer.containers;
      await run(function* () {
        for (const { image } of PROGRAMS) yield* containers.pull(image);
      });
    });
    afterAll(() => running.stop());

    const start = (wanted: ContainerSpec): Promise<Container> => run(() => containers.run(wanted));

    async function codeOf(body: () => Task<unknown>): Promise<string> {
      try {
        await run(body);
      } catch (error) {
        return (error as { code?: string }).code ?? String(error);
      }
      return 'fine';
    }

    /** Waits until the container has printed a line; fails after 10 s. */
    function* printed(container: Container, line: string): Task<void> {
      for (let i = 0; i < 1_000 && !container.logTail(100).includes(line); i++)
        yield* peer.platform.clock.sleep(10 * MS);
      if (!container.logTail(100).includes(line)) throw new Error(`${line} was not printed`);
    }

    it('runs a program with its arguments and environment and tells its exit code and output', async () => {
      const container = await start(
        spec('echo', 'echo', { args: ['/echo', '--flag=a b', '3'], env: { GREETING: 'hello' } }),
      );
      expect(await run(() => container.wait())).toEqual({ code: 3 });
      expect(container.logTail(10)).toEqual(['/echo', '--flag=a b', '3', 'hello']);
      expect(container.logTail(2)).toEqual(['3', 'hello']);
      expect(container.info.state).toBe('exited');
      expect(container.info.exit).toEqual({ code: 3 });
      expect(await run(() => container.wait())).toEqual({ code: 3 });
    });

    it('hands signals to the program; SIGKILL ends it without asking', async () => {
      const container = await start(spec('signals', 'signals'));
      await run(() => printed(container, 'ready'));
      expect(container.info.state).toBe('running');
      expect(container.info.pid).toBeGreaterThan(0);
      container.signal('SIGHUP');
      await run(() => printed(container, 'SIGHUP'));
      container.signal('SIGTERM');
      expect(await run(() => container.wait())).toEqual({ code: 5 });
      const again = await start(spec('signals', 'signals'));
      await run(() => printed(again, 'ready'));
      again.signal('SIGKILL');
      expect(await run(() => again.wait())).toEqual({ code: 137, signal: 'SIGKILL' });
      again.signal('SIGTERM');
    });

    it('a modelled panic ends with 2 and its text; ExitProcess ends with its code', async () => {
      const panics = await start(spec('panics', 'panics'));
      expect(await run(() => panics.wait())).toEqual({ code: 2 });
      expect(panics.logTail(100)).toContain('panic: something is very wrong');
      const exits = await start(spec('exits', 'exits'));
      expect(await run(() => exits.wait())).toEqual({ code: 9 });
    });

    it('stops and continues a process without its knowing', async () => {
      const container = await start(spec('ticker', 'ticker'));
      await run(() => printed(container, '2'));
      container.signal('SIGSTOP');
      await run(() => peer.platform.clock.sleep(60 * MS));
      const stoppedAt = container.logTail(1);
      expect(container.info.state).toBe('paused');
      await run(() => peer.platform.clock.sleep(100 * MS));
      expect(container.logTail(1)).toEqual(stoppedAt);
      container.signal('SIGCONT');
      await run(() => printed(container, String(Number(stoppedAt[0]) + 3)));
      container.signal('SIGKILL');
      await run(() => container.wait());
    });

    it('tells further lines to listeners until they leave', async () => {
      const container = await start(spec('ticker', 'lines'));
      const heard: string[] = [];
      const leave = container.onLog((line) => heard.push(line));
      await run(() => printed(container, '3'));
      leave();
      const count = heard.length;
      expect(count).toBeGreaterThan(1);
      await run(() => printed(container, '6'));
      expect(heard.length).toBe(count);
      container.signal('SIGKILL');
      await run(() => container.wait());
    });

    it('shows directories of the machine; what a killed process wrote stays', async () => {
      await run(() => peer.platform.disk.makeDirectory('/srv/data'));
      const mounts = [{ source: '/srv/data', destination: '/data' }];
      for (const value of [7, 8]) {
        const container = await start(spec('writer', 'writer', { args: ['/writer', String(value)], mounts }));
        await run(() => printed(container, 'written'));
        container.signal('SIGKILL');
        await run(() => container.wait());
      }
      const log = await run(() => readWhole(peer.platform.disk, '/srv/data/log'));
      expect([...(log ?? [])]).toEqual([7, 8]);
    });

    it('keeps names apart by namespace and finds containers by them', async () => {
      const one = await start(spec('signals', 'same'));
      const other = await start(spec('signals', 'same', { namespace: 'k8s.io' }));
      expect(await codeOf(() => containers.run(spec('signals', 'same')))).toBe('exists');
      expect(containers.find('k8s.io', 'same')?.info.pid).toBe(other.info.pid);
      expect(containers.find('system', 'none')).toBe(undefined);
      expect(containers.list('k8s.io').map(({ id, state }) => `${id} ${state}`)).toEqual(['same running']);
      expect(containers.list().filter(({ id }) => id === 'same').length).toBe(2);
      for (const container of [one, other]) container.signal('SIGKILL');
      await run(() => one.wait());
      await run(() => other.wait());
      const again = await start(spec('signals', 'same'));
      again.signal('SIGKILL');
      await run(() => again.wait());
    });

    it('runs only what was pulled, and pulls only what exists', async () => {
      expect(containers.hasImage('contract/echo:v1')).toBe(true);
      expect(containers.images()).toContain('contract/echo:v1');
      expect(containers.hasImage('contract/none:v1')).toBe(false);
      expect(await codeOf(() => containers.pull('contract/none:v1'))).toBe('image-not-found');
      expect(await codeOf(() => containers.run(spec('none', 'none')))).toBe('image-not-found');
    });
  });
}
