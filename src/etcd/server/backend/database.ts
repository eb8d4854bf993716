import { type Disk, type File, parentOf } from '../../../platform/disk.ts';
import type { Task } from '../../../platform/task.ts';
import { FastCrc32c } from '../wal/crc.ts';
import type { BackendFrame } from './frame.ts';
import { encodeFrame, headerPage } from './frame.ts';

/**
 * The database file: a header page and the commits since. It takes the place of etcd's bbolt file and keeps its promise:
 * after a crash the state is that of the last commit that completed, never a part of one (docs/etcd.md).
 */
export class Database {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #sums = new FastCrc32c();
  #file: File;
  #sizeBytes: number;

  private constructor(disk: Disk, path: string, file: File) {
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
    this.#sizeBytes = file.sizeBytes();
  }

  /** Makes an empty database. */
  static *create(disk: Disk, path: string): Task<Database> {
    yield* replaceFile(disk, path, [headerPage()]);
    return new Database(disk, path, yield* disk.open(path));
  }

  /** Opens one that was read; what follows `validBytes` never completed and is cut off. */
  static *open(disk: Disk, path: string, validBytes: number): Task<Database> {
    const file = yield* disk.open(path);
    if (file.sizeBytes() !== validBytes) {
      yield* file.truncate(validBytes);
      yield* file.sync();
    }
    return new Database(disk, path, file);
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Appends one commit and makes it durable. */
  *commit(frame: BackendFrame): Task<void> {
    const bytes = encodeFrame(frame, this.#sums);
    yield* this.#file.append(bytes);
    this.#sizeBytes += bytes.length;
    yield* this.#file.sync();
  }

  /** Replaces the whole content; after a crash either the old or the new one is there. */
  *replace(parts: readonly Uint8Array[]): Task<void> {
    yield* replaceFile(this.#disk, this.#path, parts);
    this.#file.close();
    this.#file = yield* this.#disk.open(this.#path);
    this.#sizeBytes = this.#file.sizeBytes();
  }

  close(): void {
    this.#file.close();
  }
}

/** Writes a file under a temporary name, syncs it, renames it and syncs the directory. */
export function* replaceFile(disk: Disk, path: string, parts: readonly Uint8Array[]): Task<void> {
  const temporary = `${path}.tmp`;
  const file = yield* disk.open(temporary, { create: true, truncate: true });
  for (const part of parts) yield* file.append(part);
  yield* file.sync();
  file.close();
  yield* disk.rename(temporary, path);
  yield* disk.syncDirectory(parentOf(path));
}
