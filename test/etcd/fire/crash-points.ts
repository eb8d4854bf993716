import type { Process, Program } from '../../../src/platform/containers.ts';
import type { Disk, File, OpenOptions } from '../../../src/platform/disk.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { type Task, wait } from '../../../src/platform/task.ts';

export type PointKind = 'write' | 'sync';

/** Told before every operation that changes a member's disk; true: the power goes now, and the operation never ends. */
export type CrashPoint = (member: string, kind: PointKind, path: string) => 'go on' | 'crash before' | 'crash after';

/** A program whose member may lose its power at any single write or sync. */
export function crashable(
  program: Program,
  member: string,
  decide: CrashPoint,
  crash: (member: string) => void,
): Program {
  return (process: Process): Task<number> => {
    const { platform } = process;
    const points = new Points(member, decide, crash);
    return program({ ...process, platform: withDisk(platform, new CrashableDisk(platform.disk, points)) });
  };
}

function withDisk(platform: Platform, disk: Disk): Platform {
  const { clock, random, net, rpc, crypto, log, scope } = platform;
  return { clock, random, net, rpc, disk, crypto, log, scope };
}

class Points {
  readonly #member: string;
  readonly #decide: CrashPoint;
  readonly #crash: (member: string) => void;

  constructor(member: string, decide: CrashPoint, crash: (member: string) => void) {
    this.#member = member;
    this.#decide = decide;
    this.#crash = crash;
  }

  *at<T>(kind: PointKind, path: string, operation: Task<T>): Task<T> {
    const fate = this.#decide(this.#member, kind, path);
    if (fate === 'go on') return yield* operation;
    if (fate === 'crash after') yield* operation;
    this.#crash(this.#member);
    return yield* wait<never>(() => () => {});
  }
}

class CrashableDisk implements Disk {
  readonly #disk: Disk;
  readonly #points: Points;

  constructor(disk: Disk, points: Points) {
    this.#disk = disk;
    this.#points = points;
  }

  *open(path: string, options?: OpenOptions): Task<File> {
    const opening = this.#disk.open(path, options);
    const writes = options?.create === true || options?.truncate === true;
    const file = writes ? yield* this.#points.at('write', path, opening) : yield* opening;
    return new CrashableFile(file, this.#points);
  }

  makeDirectory(path: string): Task<void> {
    return this.#points.at('write', path, this.#disk.makeDirectory(path));
  }

  list(path: string): ReturnType<Disk['list']> {
    return this.#disk.list(path);
  }

  stat(path: string): ReturnType<Disk['stat']> {
    return this.#disk.stat(path);
  }

  rename(from: string, to: string): Task<void> {
    return this.#points.at('write', from, this.#disk.rename(from, to));
  }

  remove(path: string): Task<void> {
    return this.#points.at('write', path, this.#disk.remove(path));
  }

  removeTree(path: string): Task<void> {
    return this.#points.at('write', path, this.#disk.removeTree(path));
  }

  syncDirectory(path: string): Task<void> {
    return this.#points.at('sync', path, this.#disk.syncDirectory(path));
  }

  usage(): ReturnType<Disk['usage']> {
    return this.#disk.usage();
  }
}

class CrashableFile implements File {
  readonly path: string;
  readonly #file: File;
  readonly #points: Points;

  constructor(file: File, points: Points) {
    this.path = file.path;
    this.#file = file;
    this.#points = points;
  }

  sizeBytes(): number {
    return this.#file.sizeBytes();
  }

  read(offset: number, lengthBytes: number): Task<Uint8Array> {
    return this.#file.read(offset, lengthBytes);
  }

  write(offset: number, bytes: Uint8Array): Task<void> {
    return this.#points.at('write', this.path, this.#file.write(offset, bytes));
  }

  append(bytes: Uint8Array): Task<void> {
    return this.#points.at('write', this.path, this.#file.append(bytes));
  }

  truncate(sizeBytes: number): Task<void> {
    return this.#points.at('write', this.path, this.#file.truncate(sizeBytes));
  }

  sync(): Task<void> {
    return this.#points.at('sync', this.path, this.#file.sync());
  }

  close(): void {
    this.#file.close();
  }
}
