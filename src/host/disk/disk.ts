import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { compareText } from '../../platform/bytes.ts';
import type { Disk, File, FileInfo, OpenOptions } from '../../platform/disk.ts';
import { DiskError } from '../../platform/errors.ts';
import { nothingToCancel, type Task, wait } from '../../platform/task.ts';
import type { HostExecutor } from '../executor.ts';
import { attempt, diskError } from './errors.ts';
import type { HostMounts, HostPath } from './mounts.ts';

/** The Disk port over real files. Only syncs leave the event loop free while they last; the page cache answers the rest. */
export class HostDisk implements Disk {
  readonly #mounts: HostMounts;
  readonly #executor: HostExecutor;

  constructor(mounts: HostMounts, executor: HostExecutor) {
    this.#mounts = mounts;
    this.#executor = executor;
  }

  *open(path: string, options: OpenOptions = {}): Task<File> {
    const writes = options.create === true || options.truncate === true;
    const at = this.#enter(path, writes);
    const access = at.readOnly ? constants.O_RDONLY : constants.O_RDWR;
    const create = options.create === true ? constants.O_CREAT : 0;
    const exclusive = options.create === true && options.exclusive === true ? constants.O_EXCL : 0;
    const truncate = options.truncate === true ? constants.O_TRUNC : 0;
    const descriptor = attempt(path, () => openSync(at.real, access | create | exclusive | truncate, 0o644));
    return new HostFile(path, descriptor, at.readOnly, this.#executor);
  }

  *makeDirectory(path: string): Task<void> {
    const { real } = this.#mounts.locate(path);
    if (attempt(path, () => infoOf(real, ''))?.kind === 'directory') return;
    this.#enter(path, true);
    try {
      mkdirSync(real, { recursive: true });
    } catch (error) {
      const inTheWay = (error as NodeJS.ErrnoException).code === 'EEXIST';
      throw inTheWay ? new DiskError('not-directory', path, `${path}: not a directory`) : diskError(error, path);
    }
  }

  *list(path: string): Task<readonly FileInfo[]> {
    const { real } = this.#enter(path, false);
    const names = attempt(path, () => readdirSync(real));
    return names.sort(compareText).flatMap((name) => infoOf(join(real, name), name) ?? []);
  }

  *stat(path: string): Task<FileInfo | undefined> {
    const { real } = this.#enter(path, false);
    return attempt(path, () => infoOf(real, path.slice(path.lastIndexOf('/') + 1)));
  }

  *rename(from: string, to: string): Task<void> {
    const source = this.#enter(from, true);
    const target = this.#enter(to, true);
    if (attempt(from, () => infoOf(source.real, '')) === undefined) {
      throw new DiskError('not-found', from, `${from}: no such file or directory`);
    }
    attempt(to, () => renameSync(source.real, target.real));
  }

  *remove(path: string): Task<void> {
    const { real } = this.#enter(path, true);
    attempt(path, () => {
      if (lstatSync(real).isDirectory()) rmdirSync(real);
      else unlinkSync(real);
    });
  }

  *removeTree(path: string): Task<void> {
    const { real } = this.#enter(path, true);
    attempt(path, () => {
      if (path !== '/') rmSync(real, { recursive: true, force: true });
      else for (const name of readdirSync(real)) rmSync(join(real, name), { recursive: true, force: true });
    });
  }

  *syncDirectory(path: string): Task<void> {
    const { real } = this.#enter(path, false);
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    const descriptor = attempt(path, () => openSync(real, flags));
    try {
      yield* flush(descriptor, path, this.#executor);
    } finally {
      closeSync(descriptor);
    }
  }

  *usage(): Task<{ readonly sizeBytes: number; readonly usedBytes: number }> {
    const { real } = this.#mounts.locate('/');
    const { bsize, blocks, bavail } = attempt('/', () => statfsSync(real));
    return { sizeBytes: bsize * blocks, usedBytes: bsize * (blocks - bavail) };
  }

  #enter(path: string, writes: boolean): HostPath {
    const at = this.#mounts.locate(path);
    if (writes && at.readOnly) throw new DiskError('read-only', path, `${path}: read-only file system`);
    return at;
  }
}

function infoOf(real: string, name: string): FileInfo | undefined {
  const info = lstatSync(real, { throwIfNoEntry: false });
  if (info === undefined) return undefined;
  const kind = info.isDirectory() ? 'directory' : 'file';
  return { name, kind, sizeBytes: kind === 'file' ? info.size : 0 };
}

/** Waits for the device; when the task is given up meanwhile, the system still finishes. */
function flush(descriptor: number, path: string, executor: HostExecutor): Task<void> {
  return wait<void>((resume, fail) => {
    fsync(descriptor, (error) => {
      executor.enter(() => {
        if (error === null) resume();
        else fail(diskError(error, path));
      });
    });
    return nothingToCancel;
  });
}

class HostFile implements File {
  readonly path: string;
  readonly #descriptor: number;
  readonly #readOnly: boolean;
  readonly #executor: HostExecutor;
  #open = true;
  #sizeAtClose = 0;

  constructor(path: string, descriptor: number, readOnly: boolean, executor: HostExecutor) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#readOnly = readOnly;
    this.#executor = executor;
  }

  sizeBytes(): number {
    return this.#open ? fstatSync(this.#descriptor).size : this.#sizeAtClose;
  }

  *read(offset: number, lengthBytes: number): Task<Uint8Array> {
    this.#enter(false);
    return attempt(this.path, () => {
      const available = Math.max(0, Math.min(lengthBytes, fstatSync(this.#descriptor).size - offset));
      const bytes = new Uint8Array(available);
      let done = 0;
      while (done < available) {
        const count = readSync(this.#descriptor, bytes, done, available - done, offset + done);
        if (count === 0) break;
        done += count;
      }
      return done === available ? bytes : bytes.slice(0, done);
    });
  }

  *write(offset: number, bytes: Uint8Array): Task<void> {
    this.#write(offset, bytes);
  }

  *append(bytes: Uint8Array): Task<void> {
    this.#write(this.sizeBytes(), bytes);
  }

  *truncate(sizeBytes: number): Task<void> {
    this.#enter(true);
    attempt(this.path, () => ftruncateSync(this.#descriptor, sizeBytes));
  }

  *sync(): Task<void> {
    this.#enter(false);
    yield* flush(this.#descriptor, this.path, this.#executor);
  }

  close(): void {
    if (!this.#open) return;
    this.#sizeAtClose = fstatSync(this.#descriptor).size;
    this.#open = false;
    closeSync(this.#descriptor);
  }

  #write(offset: number, bytes: Uint8Array): void {
    this.#enter(true);
    attempt(this.path, () => {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#descriptor, bytes, done, bytes.length - done, offset + done);
      }
    });
  }

  #enter(writes: boolean): void {
    if (!this.#open) throw new DiskError('closed', this.path, `${this.path}: file already closed`);
    if (writes && this.#readOnly) throw new DiskError('read-only', this.path, `${this.path}: read-only file system`);
  }
}
