import type { Disk, File, FileInfo, OpenOptions } from '../../platform/disk.ts';
import { DiskError } from '../../platform/errors.ts';
import { nothingToCancel, type Task, wait } from '../../platform/task.ts';
import type { Located, Namespace } from './namespace.ts';
import type { FileNode } from './tree.ts';
import type { CompleteIo, Volume } from './volume.ts';

/** The Disk port over a mount table. Reads and writes settle at once; only syncs take time. */
export class SimDisk implements Disk {
  readonly #namespace: Namespace;
  readonly #completeIo: CompleteIo;

  constructor(namespace: Namespace, completeIo: CompleteIo) {
    this.#namespace = namespace;
    this.#completeIo = completeIo;
  }

  *open(path: string, options: OpenOptions = {}): Task<File> {
    const writes = options.create === true || options.truncate === true;
    const at = this.#enter(writes ? 'write' : 'read', path);
    return new SimFile(path, at, at.volume.fileSystem.open(at.path, options), this.#completeIo);
  }

  *makeDirectory(path: string): Task<void> {
    const at = this.#namespace.locate(path);
    if (at.volume.fileSystem.lookup(at.path)?.kind === 'directory') return;
    this.#enter('write', path);
    at.volume.fileSystem.makeDirectory(at.path);
  }

  *list(path: string): Task<readonly FileInfo[]> {
    const at = this.#enter('read', path);
    return at.volume.fileSystem.list(at.path);
  }

  *stat(path: string): Task<FileInfo | undefined> {
    const at = this.#enter('read', path);
    const info = at.volume.fileSystem.stat(at.path);
    return info === undefined ? undefined : { ...info, name: path.slice(path.lastIndexOf('/') + 1) };
  }

  *rename(from: string, to: string): Task<void> {
    const source = this.#enter('write', from);
    const target = this.#enter('write', to);
    if (source.volume !== target.volume) throw new DiskError('io', to, `${to}: invalid cross-device link`);
    source.volume.fileSystem.rename(source.path, target.path);
  }

  *remove(path: string): Task<void> {
    const at = this.#enter('write', path);
    at.volume.fileSystem.remove(at.path);
  }

  *removeTree(path: string): Task<void> {
    const at = this.#enter('write', path);
    at.volume.fileSystem.removeTree(at.path);
  }

  *syncDirectory(path: string): Task<void> {
    const at = this.#enter('sync', path);
    const fileSystem = at.volume.fileSystem;
    const directory = fileSystem.directoryAt(at.path);
    const mark = fileSystem.mark;
    yield* sync(at.volume, 0, this.#completeIo, () => fileSystem.commitDirectory(directory, mark));
  }

  *usage(): Task<{ readonly sizeBytes: number; readonly usedBytes: number }> {
    const fileSystem = this.#namespace.locate('/').volume.fileSystem;
    return { sizeBytes: fileSystem.sizeBytes, usedBytes: fileSystem.usedBytes };
  }

  #enter(operation: 'read' | 'write' | 'sync', path: string): Located {
    const at = this.#namespace.locate(path);
    if (at.readOnly && operation === 'write') throw new DiskError('read-only', path, `${path}: read-only file system`);
    at.volume.enter(operation, path, 0);
    return at;
  }
}

class SimFile implements File {
  readonly path: string;
  readonly #at: Located;
  readonly #node: FileNode;
  readonly #completeIo: CompleteIo;
  #open = true;

  constructor(path: string, at: Located, node: FileNode, completeIo: CompleteIo) {
    this.path = path;
    this.#at = at;
    this.#node = node;
    this.#completeIo = completeIo;
  }

  sizeBytes(): number {
    return this.#node.content.size;
  }

  *read(offset: number, lengthBytes: number): Task<Uint8Array> {
    this.#enter('read', lengthBytes);
    return this.#node.content.read(offset, lengthBytes);
  }

  *write(offset: number, bytes: Uint8Array): Task<void> {
    this.#write(offset, bytes);
  }

  *append(bytes: Uint8Array): Task<void> {
    this.#write(this.#node.content.size, bytes);
  }

  *truncate(sizeBytes: number): Task<void> {
    this.#enter('write', 0);
    this.#at.volume.fileSystem.truncate(this.path, this.#node, sizeBytes);
  }

  *sync(): Task<void> {
    this.#enter('sync', 0);
    const content = this.#node.content;
    const mark = content.mark;
    yield* sync(this.#at.volume, content.dirtyBytes(), this.#completeIo, () => content.commit(mark));
  }

  close(): void {
    this.#open = false;
  }

  #write(offset: number, bytes: Uint8Array): void {
    this.#enter('write', bytes.length);
    const volume = this.#at.volume;
    volume.fileSystem.write(this.path, this.#node, volume.landing(this.#node, offset, bytes.length), bytes);
  }

  #enter(operation: 'read' | 'write' | 'sync', sizeBytes: number): void {
    if (!this.#open) throw new DiskError('closed', this.path, `${this.path}: file already closed`);
    if (operation === 'write' && this.#at.readOnly) {
      throw new DiskError('read-only', this.path, `${this.path}: read-only file system`);
    }
    this.#at.volume.enter(operation, this.path, sizeBytes);
  }
}

/**
 * Waits for the device. What is durable then is decided when the answer comes, and also for a process that died while it
 * waited: the kernel finishes the write.
 */
function* sync(volume: Volume, dirtyBytes: number, completeIo: CompleteIo, commit: () => void): Task<void> {
  if (volume.inMemory) {
    commit();
    return;
  }
  const latencyUs = volume.syncLatencyUs(dirtyBytes);
  yield* wait<void>((resume) => {
    completeIo(latencyUs, () => {
      if (!volume.syncLies) commit();
      resume();
    });
    return nothingToCancel;
  });
}
