import type { Disk, File, OpenOptions } from '../../../platform/disk.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Task } from '../../../platform/task.ts';

/** The platform of a member with `--unsafe-no-fsync`: a sync returns at once and makes nothing durable. */
export function withoutFsync(platform: Platform): Platform {
  const { clock, random, net, rpc, disk, crypto, log, scope } = platform;
  return { clock, random, net, rpc, disk: disksWithoutSync(disk), crypto, log, scope };
}

function disksWithoutSync(disk: Disk): Disk {
  return {
    *open(path: string, options?: OpenOptions) {
      return new UnsyncedFile(yield* disk.open(path, options));
    },
    makeDirectory: (path) => disk.makeDirectory(path),
    list: (path) => disk.list(path),
    stat: (path) => disk.stat(path),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    removeTree: (path) => disk.removeTree(path),
    syncDirectory: nothing,
    usage: () => disk.usage(),
  };
}

class UnsyncedFile implements File {
  readonly path: string;
  readonly #file: File;

  constructor(file: File) {
    this.path = file.path;
    this.#file = file;
  }

  sizeBytes(): number {
    return this.#file.sizeBytes();
  }

  read(offset: number, lengthBytes: number): Task<Uint8Array> {
    return this.#file.read(offset, lengthBytes);
  }

  write(offset: number, bytes: Uint8Array): Task<void> {
    return this.#file.write(offset, bytes);
  }

  append(bytes: Uint8Array): Task<void> {
    return this.#file.append(bytes);
  }

  truncate(sizeBytes: number): Task<void> {
    return this.#file.truncate(sizeBytes);
  }

  sync(): Task<void> {
    return nothing();
  }

  close(): void {
    this.#file.close();
  }
}

function* nothing(): Task<void> {}
