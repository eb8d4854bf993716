import { compareText } from '../../platform/bytes.ts';
import type { FileInfo, OpenOptions } from '../../platform/disk.ts';
import { DiskError } from '../../platform/errors.ts';
import type { Random } from '../../platform/random.ts';
import type { CrashMode } from './content.ts';
import { Journal } from './journal.ts';
import {
  bytesBelow,
  type DirectoryNode,
  eachFile,
  type FileNode,
  type Inode,
  namesOf,
  newDirectory,
  newFile,
  walk,
} from './tree.ts';

/**
 * One formatted partition: files and directories as the page cache has them, and what of it is durable. Everything here
 * is synchronous and takes no time; {@link SimDisk} adds latency, faults and the mount table.
 */
export class FileSystem {
  readonly sizeBytes: number;
  readonly #writebackUs: number;
  readonly #now: () => number;
  readonly #root: DirectoryNode = newDirectory();
  readonly #journal: Journal;
  #usedBytes = 0;
  /** Bytes that a fault keeps occupied. */
  reservedBytes = 0;

  /** `now` gives true time; changes older than `writebackUs` were written back by the kernel on its own. */
  constructor(sizeBytes: number, writebackUs: number, now: () => number) {
    this.sizeBytes = sizeBytes;
    this.#writebackUs = writebackUs;
    this.#now = now;
    this.#journal = new Journal(writebackUs);
  }

  get usedBytes(): number {
    return Math.min(this.sizeBytes, this.#usedBytes + this.reservedBytes);
  }

  lookup(path: string): Inode | undefined {
    return walk(this.#root, namesOf(path), path);
  }

  stat(path: string): FileInfo | undefined {
    const names = namesOf(path);
    const node = walk(this.#root, names, path);
    if (node === undefined) return undefined;
    return describe(names[names.length - 1] ?? '/', node);
  }

  list(path: string): FileInfo[] {
    const entries = [...this.#directory(path).entries];
    return entries.map(([name, node]) => describe(name, node)).sort((a, b) => compareText(a.name, b.name));
  }

  open(path: string, options: OpenOptions): FileNode {
    const { directory, name } = this.#parent(path);
    const node = directory.entries.get(name);
    if (node?.kind === 'directory') throw new DiskError('is-directory', path, `${path}: is a directory`);
    if (node !== undefined) {
      if (options.create === true && options.exclusive === true)
        throw new DiskError('exists', path, `${path}: file exists`);
      if (options.truncate === true && node.content.size > 0) this.truncate(path, node, 0);
      return node;
    }
    if (options.create !== true) throw notFound(path);
    const file = newFile(this.#writebackUs);
    this.#change([{ directory, name, before: undefined, after: file }]);
    return file;
  }

  write(path: string, file: FileNode, offset: number, bytes: Uint8Array): void {
    this.#grow(path, file, Math.max(file.content.size, offset + bytes.length));
    file.content.write(offset, bytes, this.#now());
  }

  truncate(path: string, file: FileNode, size: number): void {
    this.#grow(path, file, size);
    file.content.truncate(size, this.#now());
  }

  makeDirectory(path: string): void {
    let directory = this.#root;
    for (const name of namesOf(path)) {
      let next = directory.entries.get(name);
      if (next === undefined) {
        next = newDirectory();
        this.#change([{ directory, name, before: undefined, after: next }]);
      }
      if (next.kind === 'file') throw new DiskError('not-directory', path, `${path}: not a directory`);
      directory = next;
    }
  }

  rename(from: string, to: string): void {
    const source = this.#parent(from);
    const target = this.#parent(to);
    const moved = source.directory.entries.get(source.name);
    if (moved === undefined) throw notFound(from);
    const replaced = target.directory.entries.get(target.name);
    if (moved === replaced) return;
    if (replaced !== undefined) checkReplace(moved, replaced, to);
    if (moved.kind === 'directory' && `${to}/`.startsWith(`${from}/`)) {
      throw new DiskError('busy', to, `${to}: cannot move a directory into itself`);
    }
    if (replaced !== undefined) this.#usedBytes -= bytesBelow(replaced);
    this.#change([
      { directory: source.directory, name: source.name, before: moved, after: undefined },
      { directory: target.directory, name: target.name, before: replaced, after: moved },
    ]);
  }

  remove(path: string): void {
    const { directory, name } = this.#parent(path);
    const node = directory.entries.get(name);
    if (node === undefined) throw notFound(path);
    if (node.kind === 'directory' && node.entries.size > 0) {
      throw new DiskError('not-empty', path, `${path}: directory not empty`);
    }
    this.#usedBytes -= bytesBelow(node);
    this.#change([{ directory, name, before: node, after: undefined }]);
  }

  removeTree(path: string): void {
    const node = this.lookup(path);
    if (node === undefined) return;
    if (node.kind === 'directory') {
      for (const name of [...node.entries.keys()]) this.removeTree(path === '/' ? `/${name}` : `${path}/${name}`);
    }
    if (path !== '/') this.remove(path);
  }

  /** Position after the last change of names: what a directory sync that starts now will cover. */
  get mark(): number {
    return this.#journal.mark;
  }

  directoryAt(path: string): DirectoryNode {
    return this.#directory(path);
  }

  /** The entries of one directory are durable as they were at `mark`. */
  commitDirectory(directory: DirectoryNode, mark: number): void {
    this.#journal.commit(directory, mark);
  }

  /** Everything is durable: `sync(2)`, or an unmount. */
  commitAll(): void {
    this.#journal.commitAll();
    this.eachFile((file) => file.content.commitAll());
  }

  /** The power went. */
  crash(mode: CrashMode, random: Random): void {
    const nowUs = this.#now();
    this.#journal.crash(nowUs, mode, random.stream('names'));
    // A file's draws hang on its place in the tree, so that they do not shift with the number of other files.
    this.eachFile((file, path) => file.content.crash(nowUs, mode, random.stream(path)));
    this.#usedBytes = bytesBelow(this.#root);
  }

  eachFile(visit: (file: FileNode, path: string) => void): void {
    eachFile(this.#root, visit);
  }

  #change(changes: Parameters<Journal['apply']>[0]): void {
    this.#journal.apply(changes, this.#now());
  }

  #grow(path: string, file: FileNode, size: number): void {
    const growth = size - file.content.size;
    if (growth > 0 && this.#usedBytes + this.reservedBytes + growth > this.sizeBytes) {
      throw new DiskError('no-space', path, `${path}: no space left on device`);
    }
    this.#usedBytes += growth;
  }

  #directory(path: string): DirectoryNode {
    const node = this.lookup(path);
    if (node === undefined) throw notFound(path);
    if (node.kind === 'file') throw new DiskError('not-directory', path, `${path}: not a directory`);
    return node;
  }

  #parent(path: string): { directory: DirectoryNode; name: string } {
    const names = namesOf(path);
    const name = names.pop();
    if (name === undefined) throw new DiskError('busy', path, `${path}: device or resource busy`);
    const directory = walk(this.#root, names, path);
    if (directory === undefined) throw notFound(path);
    if (directory.kind === 'file') throw new DiskError('not-directory', path, `${path}: not a directory`);
    return { directory, name };
  }
}

function describe(name: string, node: Inode): FileInfo {
  return { name, kind: node.kind, sizeBytes: node.kind === 'file' ? node.content.size : 0 };
}

function checkReplace(moved: Inode, replaced: Inode, path: string): void {
  if (replaced.kind === 'file') {
    if (moved.kind === 'directory') throw new DiskError('not-directory', path, `${path}: not a directory`);
    return;
  }
  if (moved.kind === 'file') throw new DiskError('is-directory', path, `${path}: is a directory`);
  if (replaced.entries.size > 0) throw new DiskError('not-empty', path, `${path}: directory not empty`);
}

function notFound(path: string): DiskError {
  return new DiskError('not-found', path, `${path}: no such file or directory`);
}
