import type { Task } from './task.ts';

/** What a directory entry is. */
export interface FileInfo {
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly sizeBytes: number;
}

/**
 * A mounted file system. Paths are absolute within it, `/`-separated. What was written survives a process that dies;
 * a power cut keeps only what was synced: file content by {@link File.sync}, directory entries (create, rename,
 * remove) by {@link Disk.syncDirectory} of the parent. Every call may fail with DiskError.
 */
export interface Disk {
  open(path: string, options?: OpenOptions): Task<File>;
  /** Creates the directory and its parents; existing ones are fine. */
  makeDirectory(path: string): Task<void>;
  list(path: string): Task<readonly FileInfo[]>;
  stat(path: string): Task<FileInfo | undefined>;
  /** Atomic replace of `to` in the page cache; durable after the parents are synced. */
  rename(from: string, to: string): Task<void>;
  remove(path: string): Task<void>;
  /** Removes a directory with everything below; a missing one is fine. */
  removeTree(path: string): Task<void>;
  syncDirectory(path: string): Task<void>;
  /** Size and use of the whole file system. */
  usage(): Task<{ readonly sizeBytes: number; readonly usedBytes: number }>;
}

export interface OpenOptions {
  /** Create when missing (default false: `not-found`). */
  readonly create?: boolean;
  /** With `create`: fail with `exists` when it is there. */
  readonly exclusive?: boolean;
  /** Cut to zero length. */
  readonly truncate?: boolean;
}

export interface File {
  readonly path: string;
  sizeBytes(): number;
  /** Up to `lengthBytes` from `offset`; shorter at the end of the file. */
  read(offset: number, lengthBytes: number): Task<Uint8Array>;
  /** Writes into the page cache; the file grows as needed. The caller must not change `bytes` afterwards. */
  write(offset: number, bytes: Uint8Array): Task<void>;
  append(bytes: Uint8Array): Task<void>;
  truncate(sizeBytes: number): Task<void>;
  /** Makes content and size durable (not the directory entry). */
  sync(): Task<void>;
  close(): void;
}

/** Reads a whole file; undefined when there is none. */
export function* readWhole(disk: Disk, path: string): Task<Uint8Array | undefined> {
  if ((yield* disk.stat(path)) === undefined) return undefined;
  const file = yield* disk.open(path);
  try {
    return yield* file.read(0, file.sizeBytes());
  } finally {
    file.close();
  }
}

/** Replaces a file so that after a power cut either the old or the new content is there. */
export function* writeDurably(disk: Disk, path: string, bytes: Uint8Array): Task<void> {
  const temporary = `${path}.tmp`;
  const file = yield* disk.open(temporary, { create: true, truncate: true });
  try {
    yield* file.write(0, bytes);
    yield* file.sync();
  } finally {
    file.close();
  }
  yield* disk.rename(temporary, path);
  yield* disk.syncDirectory(parentOf(path));
}

/** The directory that holds `path`. */
export function parentOf(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut <= 0 ? '/' : path.slice(0, cut);
}
