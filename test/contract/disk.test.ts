import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Disk, parentOf, readWhole, writeDurably } from '../../src/platform/disk.ts';
import type { Task } from '../../src/platform/task.ts';
import type { Peer, RunningWorld } from './world.ts';
import { WORLDS } from './worlds.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

for (const world of WORLDS) {
  describe(`disk on ${world.name}`, () => {
    let running: RunningWorld;
    let peer: Peer;
    let disk: Disk;
    const run = <T>(body: () => Task<T>): Promise<T> => running.run(peer, body);

    beforeAll(async () => {
      running = await world.start({ peers: 1 });
      peer = running.peers[0]!;
      disk = peer.platform.disk;
      await run(() => disk.makeDirectory('/contract'));
    });
    afterAll(() => running.stop());

    /** The code of the DiskError, or `fine`. */
    async function codeOf(body: () => Task<unknown>): Promise<string> {
      try {
        await run(body);
      } catch (error) {
        return (error as { code?: string }).code ?? String(error);
      }
      return 'fine';
    }

    function* put(path: string, content: Uint8Array): Task<void> {
      const file = yield* disk.open(path, { create: true, truncate: true });
      yield* file.write(0, content);
      file.close();
    }

    it('reads what was written, at any place, across holes and at the end', async () => {
      const seen = await run(function* () {
        const file = yield* disk.open('/contract/file', { create: true });
        yield* file.write(0, bytes(1, 2, 3));
        yield* file.write(1, bytes(9));
        yield* file.append(bytes(4));
        yield* file.write(6, bytes(7));
        const reads = [
          yield* file.read(0, 100),
          yield* file.read(3, 2),
          yield* file.read(6, 5),
          yield* file.read(50, 5),
        ];
        const size = file.sizeBytes();
        yield* file.truncate(2);
        yield* file.truncate(4);
        reads.push(yield* file.read(0, 10));
        yield* file.sync();
        file.close();
        return { reads: reads.map((read) => [...read]), size };
      });
      expect(seen.size).toBe(7);
      expect(seen.reads).toEqual([[1, 9, 3, 4, 0, 0, 7], [4, 0], [7], [], [1, 9, 0, 0]]);
    });

    it('a large file comes back whole', async () => {
      const big = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31) & 0xff);
      await run(() => writeDurably(disk, '/contract/big', big));
      expect(await run(() => readWhole(disk, '/contract/big'))).toEqual(big);
    });

    it('two handles see one file; a handle outlives the name', async () => {
      const seen = await run(function* () {
        const first = yield* disk.open('/contract/shared', { create: true });
        const second = yield* disk.open('/contract/shared');
        yield* first.append(bytes(1));
        yield* second.append(bytes(2));
        yield* disk.remove('/contract/shared');
        const content = yield* first.read(0, 10);
        first.close();
        second.close();
        return [...content];
      });
      expect(seen).toEqual([1, 2]);
      expect(await run(() => readWhole(disk, '/contract/shared'))).toBe(undefined);
    });

    it('lists by name, tells kinds and sizes', async () => {
      const seen = await run(function* () {
        yield* disk.makeDirectory('/contract/list/b/deep');
        yield* disk.makeDirectory('/contract/list/b');
        yield* put('/contract/list/c', bytes(1, 2));
        yield* put('/contract/list/a', bytes());
        const entries = yield* disk.list('/contract/list');
        const stats = [yield* disk.stat('/contract/list/c'), yield* disk.stat('/contract/list/none')];
        return { entries: entries.map(({ name, kind }) => `${name} ${kind}`), stats };
      });
      expect(seen.entries).toEqual(['a file', 'b directory', 'c file']);
      expect(seen.stats).toEqual([{ name: 'c', kind: 'file', sizeBytes: 2 }, undefined]);
    });

    it('renames replace, also directories, and syncing the parent works', async () => {
      const seen = await run(function* () {
        yield* disk.makeDirectory('/contract/r/from/sub');
        yield* put('/contract/r/one', bytes(1));
        yield* put('/contract/r/two', bytes(2));
        yield* disk.rename('/contract/r/one', '/contract/r/two');
        yield* disk.rename('/contract/r/from', '/contract/r/to');
        yield* disk.syncDirectory(parentOf('/contract/r/two'));
        const names = (yield* disk.list('/contract/r')).map(({ name }) => name);
        return {
          names,
          content: [...((yield* readWhole(disk, '/contract/r/two')) ?? [])],
          sub: yield* disk.list('/contract/r/to'),
        };
      });
      expect(seen.names).toEqual(['to', 'two']);
      expect(seen.content).toEqual([1]);
      expect(seen.sub.map(({ name }) => name)).toEqual(['sub']);
    });

    it('removes files, empty directories and trees', async () => {
      await run(function* () {
        yield* disk.makeDirectory('/contract/t/a/b');
        yield* put('/contract/t/a/b/f', bytes(1));
        yield* put('/contract/t/f', bytes(1));
        yield* disk.remove('/contract/t/f');
      });
      expect(await codeOf(() => disk.remove('/contract/t/a'))).toBe('not-empty');
      expect(await codeOf(() => disk.removeTree('/contract/t'))).toBe('fine');
      expect(await codeOf(() => disk.removeTree('/contract/t'))).toBe('fine');
      expect(await run(() => disk.stat('/contract/t'))).toBe(undefined);
    });

    it('fails with the code that says why', async () => {
      await run(() => put('/contract/plain', bytes(1)));
      await run(() => disk.makeDirectory('/contract/dir'));
      expect(await codeOf(() => disk.open('/contract/missing'))).toBe('not-found');
      expect(await codeOf(() => disk.open('/contract/no/where', { create: true }))).toBe('not-found');
      expect(await codeOf(() => disk.open('/contract/plain', { create: true, exclusive: true }))).toBe('exists');
      expect(await codeOf(() => disk.open('/contract/dir'))).toBe('is-directory');
      expect(await codeOf(() => disk.open('/contract/plain/x', { create: true }))).toBe('not-directory');
      expect(await codeOf(() => disk.makeDirectory('/contract/plain/x'))).toBe('not-directory');
      expect(await codeOf(() => disk.list('/contract/missing'))).toBe('not-found');
      expect(await codeOf(() => disk.list('/contract/plain'))).toBe('not-directory');
      expect(await codeOf(() => disk.remove('/contract/missing'))).toBe('not-found');
      expect(await codeOf(() => disk.rename('/contract/missing', '/contract/x'))).toBe('not-found');
      expect(await codeOf(() => disk.syncDirectory('/contract/missing'))).toBe('not-found');
      const afterClose = await codeOf(function* () {
        const file = yield* disk.open('/contract/plain');
        file.close();
        file.close();
        yield* file.read(0, 1);
      });
      expect(afterClose).toBe('closed');
    });

    it('tells its size and use', async () => {
      const usage = await run(() => disk.usage());
      expect(usage.usedBytes).toBeGreaterThan(300_000);
      expect(usage.sizeBytes).toBeGreaterThan(usage.usedBytes);
    });

    describe.skipIf(!world.isSimulation)('in a simulation only: power cuts', () => {
      it('keep synced content under synced names and nothing else; a killed process loses nothing', async () => {
        const fresh = await world.start({ peers: 1 });
        const controls = fresh.simulation!;
        const [before] = fresh.peers;
        await fresh.run(before!, function* () {
          const store = before!.platform.disk;
          yield* writeDurably(store, '/kept', bytes(1));
          const unsynced = yield* store.open('/kept');
          yield* unsynced.append(bytes(2));
          const nameless = yield* store.open('/nameless', { create: true });
          yield* nameless.append(bytes(3));
          yield* nameless.sync();
          yield* store.open('/empty', { create: true });
        });
        const state = (peerNow: Peer) =>
          fresh.run(peerNow, function* () {
            const found: Record<string, number[]> = {};
            for (const { name } of yield* peerNow.platform.disk.list('/')) {
              found[name] = [...((yield* readWhole(peerNow.platform.disk, `/${name}`)) ?? [])];
            }
            return found;
          });
        const everything = await state(before!);
        expect(everything).toEqual({ kept: [1, 2], nameless: [3], empty: [] });
        controls.powerCut(before!);
        const rebooted = controls.powerOn(before!);
        expect(await state(rebooted)).toEqual({ kept: [1] });
        await fresh.run(rebooted, function* () {
          const file = yield* rebooted.platform.disk.open('/kept');
          yield* file.append(bytes(5));
        });
        controls.killProcess(rebooted);
        controls.powerCut(rebooted);
        expect(await state(controls.powerOn(rebooted))).toEqual({ kept: [1] });
        await fresh.stop();
      });
    });
  });
}
