import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ImageMap } from '../../src/host/containers/images.ts';
import { launch } from '../../src/host/containers/launch.ts';
import { type HostPlatform, hostPlatform } from '../../src/host/platform.ts';
import type { Container } from '../../src/platform/containers.ts';
import type { Task } from '../../src/platform/task.ts';
import { loopbackNetwork } from '../contract/worlds/loopback.ts';
import { onHost } from '../support/on-host.ts';

const addressOf = loopbackNetwork();
const MODULE = new URL('./unruly-programs.ts', import.meta.url).href;
const BUILT_IN = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'discovery-service',
  'time-server',
  'load-balancer',
] as const;

describe('processes that run programs', () => {
  const directory = mkdtempSync(join(tmpdir(), 'talosim-processes-'));
  const events: string[] = [];
  const programs = ['flood', 'chatter', 'stray', 'broken', 'missing'].map((name) => [
    name,
    { kind: 'program', module: MODULE, export: name } as const,
  ]);
  const builtIn = BUILT_IN.map((name) => [name, { kind: 'built-in', name } as const]);
  const host: HostPlatform = hostPlatform({
    name: 'machine',
    self: addressOf(61),
    root: join(directory, 'machine'),
    images: {
      ...(Object.fromEntries([...programs, ...builtIn]) as ImageMap),
      nowhere: { kind: 'binary', path: join(directory, 'no such file') },
    },
    log: (line) => events.push(line),
  });
  afterAll(() => {
    host.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const run = <T>(body: () => Task<T>): Promise<T> => onHost(host, body);

  const start = (image: string, ...args: string[]): Promise<Container> =>
    run(function* () {
      yield* host.containers.pull(image);
      const spec = { id: image, namespace: 'system', image, args: [image, ...args], network: 'host' as const };
      return yield* host.containers.run(spec);
    });

  const ended = async (container: Container) => ({
    ...(await run(() => container.wait())),
    output: container.logTail(100).join('\n'),
  });

  it('loses nothing of what a program wrote before it ended, however much', async () => {
    const container = await start('flood', '20000');
    let further = 0;
    container.onLog(() => {
      further++;
    });
    expect(await run(() => container.wait())).toEqual({ code: 0 });
    expect(further).toBe(20_000);
    expect(container.logTail(1)[0]).toBe(`19999 ${'x'.repeat(300)}`);
    expect(events.length).toBe(20_000);
    expect(JSON.parse(events.at(-1)!)).toMatchObject({
      source: 'flood',
      kind: 'test.flooded',
      fields: { line: 19_999 },
    });
  });

  it('a bug ends a process with 70 and its stack, wherever it was thrown', async () => {
    const [stray, broken] = await Promise.all([start('stray'), start('broken')]);
    const ends = await Promise.all([ended(stray), ended(broken)]);
    expect(ends.map((end) => end.code)).toEqual([70, 70]);
    expect(ends[0]?.output).toMatch(/Error: thrown by a callback of Node\.js\n +at .*unruly-programs\.ts/);
    expect(ends[1]?.output).toMatch(/Error: a bug in a task\n +at broken .*unruly-programs\.ts/);
  });

  it('what cannot be started has ended, and says why', async () => {
    const [missing, nowhere] = await Promise.all([start('missing'), start('nowhere')]);
    const [first, second] = await Promise.all([ended(missing), ended(nowhere)]);
    expect(first).toMatchObject({ code: 1, output: expect.stringContaining('does not export missing') });
    expect(second).toMatchObject({ code: 127, output: expect.stringContaining('ENOENT') });
  });

  it('a program outlives whoever listened to it', async () => {
    const root = join(directory, 'outlives');
    const child = launch({
      source: { kind: 'program', module: MODULE, export: 'chatter' },
      name: 'chatter',
      tag: 'latest',
      argv: ['chatter'],
      env: {},
      self: addressOf(62),
      root,
      mounts: [],
    });
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    for (const pipe of child.stdio) pipe?.destroy();
    const file = join(root, 'alive');
    const alive = (): number => (existsSync(file) ? (readFileSync(file)[0] ?? 0) : 0);
    const before = alive();
    await run(function* () {
      for (let i = 0; i < 500 && alive() < before + 10; i++) yield* host.platform.clock.sleep(10_000);
    });
    expect(alive()).toBeGreaterThanOrEqual(before + 10);
    child.kill('SIGTERM');
    expect(await exit).toBe(7);
  });

  it('every built-in program starts by its name, and refuses flags that it does not know', async () => {
    for (let at = 0; at < BUILT_IN.length; at += 2) {
      const pair = BUILT_IN.slice(at, at + 2);
      const ends = await Promise.all(pair.map(async (name) => ended(await start(name, '--no-such-flag=1'))));
      for (const [i, end] of ends.entries()) {
        expect(end.output, pair[i]).toContain('no-such-flag');
        expect([1, 2], `${pair[i]}: ${end.output}`).toContain(end.code);
      }
    }
  });
});
