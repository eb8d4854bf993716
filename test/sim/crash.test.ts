import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DiskError } from '../../src/platform/errors.ts';
import type { CrashMode } from '../../src/sim/disk/content.ts';
import { FileSystem } from '../../src/sim/disk/file-system.ts';
import type { FileNode } from '../../src/sim/disk/tree.ts';
import { KeyedRandom } from '../../src/sim/random.ts';
import { byTier } from '../support/tier.ts';

const RUNS = byTier(400, 10_000, 10_000);
const FOREVER = Number.MAX_SAFE_INTEGER;

/** What a directory entry leads to, seen twice: now, and after a power cut. Written apart from the code under test. */
type ModelNode =
  | { readonly kind: 'file'; now: number[]; durable: number[] }
  | { readonly kind: 'directory'; now: Map<string, ModelNode>; durable: Map<string, ModelNode> };
type ModelDirectory = Extract<ModelNode, { kind: 'directory' }>;

class Model {
  readonly root: ModelDirectory = { kind: 'directory', now: new Map(), durable: new Map() };

  find(path: string): ModelNode | undefined {
    let node: ModelNode | undefined = this.root;
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (node?.kind !== 'directory') return undefined;
      node = node.now.get(name);
    }
    return node;
  }

  directory(path: string): ModelDirectory | undefined {
    const node = this.find(path);
    return node?.kind === 'directory' ? node : undefined;
  }

  crash(node: ModelNode = this.root): void {
    if (node.kind === 'file') {
      node.now = [...node.durable];
      return;
    }
    node.now = new Map(node.durable);
    for (const child of node.now.values()) this.crash(child);
  }

  /** Everything visible, as text. */
  dump(node: ModelNode = this.root, path = ''): string[] {
    if (node.kind === 'file') return [`${path} ${node.now.join(',')}`];
    const lines = [`${path}/`];
    for (const [name, child] of node.now) lines.push(...this.dump(child, `${path}/${name}`));
    return lines.sort();
  }
}

function dumpReal(fileSystem: FileSystem, path = ''): string[] {
  const lines = [`${path}/`];
  for (const entry of fileSystem.list(path === '' ? '/' : path)) {
    const at = `${path}/${entry.name}`;
    if (entry.kind === 'directory') lines.push(...dumpReal(fileSystem, at));
    else lines.push(`${at} ${[...contentOf(fileSystem, at)].join(',')}`);
  }
  return lines.sort();
}

function contentOf(fileSystem: FileSystem, path: string): Uint8Array {
  const node = fileSystem.lookup(path) as FileNode;
  return node.content.read(0, node.content.size);
}

const directories = fc.constantFrom('/', '/a', '/b', '/a/c');
const names = fc.constantFrom('x', 'y', 'z');
const step = fc.oneof(
  fc.record({ do: fc.constant('mkdir' as const), dir: directories }),
  fc.record({ do: fc.constant('write' as const), dir: directories, name: names, at: fc.nat(40), size: fc.nat(30) }),
  fc.record({ do: fc.constant('truncate' as const), dir: directories, name: names, size: fc.nat(40) }),
  fc.record({ do: fc.constant('sync' as const), dir: directories, name: names }),
  fc.record({ do: fc.constant('sync-dir' as const), dir: directories }),
  fc.record({ do: fc.constant('rename' as const), dir: directories, name: names, to: names }),
  fc.record({ do: fc.constant('remove' as const), dir: directories, name: names }),
  fc.record({ do: fc.constant('crash' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function applyToModel(model: Model, action: Step, data: number[]): void {
  if (action.do === 'crash') {
    model.crash();
    return;
  }
  if (action.do === 'mkdir') {
    let directory = model.root;
    for (const name of action.dir.split('/').filter((part) => part !== '')) {
      const next = directory.now.get(name) ?? { kind: 'directory', now: new Map(), durable: new Map() };
      directory.now.set(name, next);
      directory = next as ModelDirectory;
    }
    return;
  }
  const directory = model.directory(action.dir);
  if (directory === undefined) return;
  if (action.do === 'sync-dir') {
    directory.durable = new Map(directory.now);
    return;
  }
  const node = directory.now.get(action.name);
  if (action.do === 'remove') {
    directory.now.delete(action.name);
  } else if (action.do === 'rename') {
    if (node === undefined || action.name === action.to) return;
    directory.now.delete(action.name);
    directory.now.set(action.to, node);
  } else {
    const file = (node ?? { kind: 'file', now: [], durable: [] }) as Extract<ModelNode, { kind: 'file' }>;
    if (action.do !== 'sync') directory.now.set(action.name, file);
    else file.durable = [...file.now];
    if (action.do === 'truncate') {
      file.now = Array.from({ length: action.size }, (_, i) => file.now[i] ?? 0);
    } else if (action.do === 'write') {
      const length = Math.max(file.now.length, data.length === 0 ? action.at : action.at + data.length);
      file.now = Array.from({ length }, (_, i) => data[i - action.at] ?? file.now[i] ?? 0);
    }
  }
}

function applyToReal(fileSystem: FileSystem, action: Step, data: number[]): void {
  if (action.do === 'crash') {
    fileSystem.crash('drop', new KeyedRandom('1', 'crash'));
    return;
  }
  if (action.do === 'mkdir') {
    fileSystem.makeDirectory(action.dir);
    return;
  }
  if (action.do === 'sync-dir') {
    fileSystem.commitDirectory(fileSystem.directoryAt(action.dir), fileSystem.mark);
    return;
  }
  const path = action.dir === '/' ? `/${action.name}` : `${action.dir}/${action.name}`;
  if (action.do === 'remove') fileSystem.remove(path);
  else if (action.do === 'rename') fileSystem.rename(path, path.slice(0, -1) + action.to);
  else {
    const file = fileSystem.open(path, { create: action.do !== 'sync' });
    if (action.do === 'truncate') fileSystem.truncate(path, file, action.size);
    else if (action.do === 'write') fileSystem.write(path, file, action.at, Uint8Array.from(data));
    else file.content.commitAll();
  }
}

function newFileSystem(now: () => number = () => 0, writebackUs = FOREVER): FileSystem {
  return new FileSystem(1_000_000, writebackUs, now);
}

describe('a file system and power cuts', () => {
  it('agrees with a model that keeps what is now and what is durable apart', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const model = new Model();
        const real = newFileSystem();
        let value = 0;
        for (const action of [...steps, { do: 'crash' as const }]) {
          value = (value + 1) % 256;
          const data = action.do === 'write' ? Array.from({ length: action.size }, () => value) : [];
          applyToModel(model, action, data);
          try {
            applyToReal(real, action, data);
          } catch (error) {
            expect((error as DiskError).code).toBe('not-found');
          }
          expect(dumpReal(real)).toEqual(model.dump());
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('counts used bytes as the sum of what is there, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const real = newFileSystem();
        for (const action of steps) {
          try {
            applyToReal(real, action, action.do === 'write' ? new Array(action.size).fill(7) : []);
          } catch (error) {
            expect(error).toBeInstanceOf(DiskError);
          }
          let sum = 0;
          real.eachFile((file) => {
            sum += file.content.size;
          });
          expect(real.usedBytes).toBe(sum);
        }
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('in every mode keeps what was synced and of an append-only file a prefix of whole or torn records', () => {
    const modes = fc.constantFrom<CrashMode>('drop', 'prefix', 'torn');
    fc.assert(
      fc.property(
        modes,
        fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 20 }),
        fc.nat(20),
        fc.nat(),
        (mode, sizes, synced, seed) => {
          const real = newFileSystem();
          const file = real.open('/wal', { create: true });
          real.commitDirectory(real.directoryAt('/'), real.mark);
          const all: number[] = [];
          let durable = 0;
          sizes.forEach((size, index) => {
            const record = new Array(size).fill((index % 255) + 1);
            real.write('/wal', file, all.length, Uint8Array.from(record));
            all.push(...record);
            if (index + 1 === synced) {
              file.content.commitAll();
              durable = all.length;
            }
          });
          real.crash(mode, new KeyedRandom(`s${seed}`, 'torn'));
          const left = [...contentOf(real, '/wal')];
          expect(left.length).toBeGreaterThanOrEqual(durable);
          expect(left).toEqual(all.slice(0, left.length));
          if (mode === 'drop') expect(left.length).toBe(durable);
          const ends = new Set([0]);
          let end = 0;
          for (const size of sizes) {
            end += size;
            ends.add(end);
          }
          if (mode === 'prefix') expect(ends.has(left.length)).toBe(true);
          if (mode === 'torn') expect(ends.has(left.length) || left.length % 512 === 0).toBe(true);
        },
      ),
      { numRuns: RUNS / 4 },
    );
  });

  it('in mode subset each unsynced write is there or not, for itself', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 60; i++) {
      const real = newFileSystem();
      const file = real.open('/f', { create: true });
      real.write('/f', file, 0, Uint8Array.of(1, 1, 1));
      file.content.commitAll();
      real.commitDirectory(real.directoryAt('/'), real.mark);
      real.write('/f', file, 0, Uint8Array.of(2));
      real.write('/f', file, 2, Uint8Array.of(3));
      real.crash('subset', new KeyedRandom('1', `subset/${i}`));
      seen.add([...contentOf(real, '/f')].join());
    }
    expect([...seen].sort()).toEqual(['1,1,1', '1,1,3', '2,1,1', '2,1,3']);
  });

  it('a rename between directories is whole: both sides or neither, with what came before it', () => {
    const real = newFileSystem();
    real.makeDirectory('/a');
    real.makeDirectory('/b');
    real.commitAll();
    const file = real.open('/a/f', { create: true });
    real.write('/a/f', file, 0, Uint8Array.of(1));
    file.content.commitAll();
    real.rename('/a/f', '/b/g');
    real.crash('drop', new KeyedRandom('1', 'x'));
    expect(dumpReal(real)).toEqual(['/', '/a/', '/b/']);
    const again = real.open('/a/f', { create: true });
    real.rename('/a/f', '/b/g');
    real.commitDirectory(real.directoryAt('/b'), real.mark);
    real.crash('drop', new KeyedRandom('1', 'y'));
    expect(dumpReal(real)).toEqual(['/', '/a/', '/b/', '/b/g ']);
    expect(real.lookup('/b/g')).toBe(again);
  });

  it('a rename carries along what happened before in the other directory', () => {
    const real = newFileSystem();
    real.makeDirectory('/a');
    real.makeDirectory('/b');
    real.open('/a/f', { create: true });
    real.commitAll();
    real.open('/b/g', { create: true });
    real.open('/b/other', { create: true });
    real.rename('/a/f', '/b/g');
    real.open('/b/later', { create: true });
    real.commitDirectory(real.directoryAt('/a'), real.mark);
    real.crash('drop', new KeyedRandom('1', 'x'));
    expect(dumpReal(real)).toEqual(['/', '/a/', '/b/', '/b/g ', '/b/other ']);
  });

  it('a sync covers what was there when it began, and a later one the rest', () => {
    const real = newFileSystem();
    const file = real.open('/f', { create: true });
    const put = (value: number) => real.write('/f', file, file.content.size, Uint8Array.of(value));
    put(1);
    const [mark, names] = [file.content.mark, real.mark];
    put(2);
    real.open('/g', { create: true });
    const second = file.content.mark;
    put(3);
    file.content.commit(mark);
    real.commitDirectory(real.directoryAt('/'), names);
    put(4);
    file.content.commit(second);
    file.content.commit(mark);
    real.crash('drop', new KeyedRandom('1', 'x'));
    expect(dumpReal(real)).toEqual(['/', '/f 1,2']);
  });

  it('what is old enough was written back by the kernel', () => {
    let nowUs = 0;
    const real = newFileSystem(() => nowUs, 30);
    const file = real.open('/f', { create: true });
    real.write('/f', file, 0, Uint8Array.of(1));
    nowUs = 29;
    real.write('/f', file, 1, Uint8Array.of(2));
    nowUs = 31;
    real.crash('drop', new KeyedRandom('1', 'x'));
    expect(dumpReal(real)).toEqual(['/', '/f 1']);
  });

  it('an undo log does not grow with time: only with what is written between writebacks', () => {
    let nowUs = 0;
    const real = newFileSystem(() => nowUs, 1_000);
    const file = real.open('/f', { create: true });
    for (let i = 0; i < 20_000; i++) {
      nowUs += 10;
      real.write('/f', file, i % 7, Uint8Array.of(i & 0xff));
    }
    expect(file.content.dirtyBytes()).toBeLessThan(400);
  });

  it('a large hole costs nothing and reads as zeros', () => {
    const real = new FileSystem(10_000_000_000, FOREVER, () => 0);
    const file = real.open('/wal', { create: true });
    real.truncate('/wal', file, 6_000_000_000);
    real.write('/wal', file, 5_000_000_000, Uint8Array.of(9));
    expect([...file.content.read(4_999_999_999, 3)]).toEqual([0, 9, 0]);
    real.truncate('/wal', file, 5_000_000_000);
    real.truncate('/wal', file, 5_000_000_002);
    expect([...file.content.read(5_000_000_000, 3)]).toEqual([0, 0]);
  });
});

describe('names', () => {
  const failing = (body: () => unknown): string => {
    try {
      body();
    } catch (error) {
      return (error as DiskError).code;
    }
    return 'fine';
  };

  it('fail as a kernel fails', () => {
    const real = newFileSystem();
    real.makeDirectory('/d/e');
    const file = real.open('/f', { create: true });
    expect(failing(() => real.open('/missing', {}))).toBe('not-found');
    expect(failing(() => real.open('/no/f', { create: true }))).toBe('not-found');
    expect(failing(() => real.open('/f', { create: true, exclusive: true }))).toBe('exists');
    expect(failing(() => real.open('/d', {}))).toBe('is-directory');
    expect(failing(() => real.open('/f/g', { create: true }))).toBe('not-directory');
    expect(failing(() => real.makeDirectory('/f/g'))).toBe('not-directory');
    expect(failing(() => real.list('/f'))).toBe('not-directory');
    expect(failing(() => real.remove('/d'))).toBe('not-empty');
    expect(failing(() => real.remove('/'))).toBe('busy');
    expect(failing(() => real.rename('/f', '/d'))).toBe('is-directory');
    expect(failing(() => real.rename('/d', '/f'))).toBe('not-directory');
    expect(failing(() => real.rename('/d', '/d/e/x'))).toBe('busy');
    expect(failing(() => real.rename('/nope', '/x'))).toBe('not-found');
    expect(failing(() => real.open('relative', {}))).toBe('not-found');
    expect(failing(() => real.open('/../x', {}))).toBe('not-found');
    expect(failing(() => real.write('/f', file, 999_990, new Uint8Array(11)))).toBe('no-space');
    real.reservedBytes = 999_999;
    expect(failing(() => real.write('/f', file, 0, new Uint8Array(2)))).toBe('no-space');
    expect(failing(() => real.write('/f', file, 0, new Uint8Array(1)))).toBe('fine');
    expect(failing(() => real.removeTree('/d'))).toBe('fine');
    expect(failing(() => real.removeTree('/d'))).toBe('fine');
  });
});
