import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { type Disk, parentOf, readWhole, writeDurably } from '../../platform/disk.ts';
import type { Task } from '../../platform/task.ts';

/** Small text files of the machine's own tree. */
export class FileStore {
  readonly disk: Disk;

  constructor(disk: Disk) {
    this.disk = disk;
  }

  /** Replaces a file and makes the directories above it. Not synced: for what is rendered anew at each boot. */
  *write(path: string, text: string): Task<void> {
    yield* this.disk.makeDirectory(parentOf(path));
    const temporary = `${path}.tmp`;
    const file = yield* this.disk.open(temporary, { create: true, truncate: true });
    try {
      yield* file.write(0, utf8Encode(text));
    } finally {
      file.close();
    }
    yield* this.disk.rename(temporary, path);
  }

  /** Replaces a file so that a power cut leaves the old or the new text. */
  *writeDurably(path: string, text: string): Task<void> {
    yield* this.disk.makeDirectory(parentOf(path));
    yield* writeDurably(this.disk, path, utf8Encode(text));
  }

  *read(path: string): Task<string | undefined> {
    const bytes = yield* readWhole(this.disk, path);
    return bytes === undefined ? undefined : utf8Decode(bytes);
  }

  *exists(path: string): Task<boolean> {
    return (yield* this.disk.stat(path)) !== undefined;
  }

  /** Whether a directory has entries; a missing one has none. */
  *isEmptyDirectory(path: string): Task<boolean> {
    if ((yield* this.disk.stat(path)) === undefined) return true;
    return (yield* this.disk.list(path)).length === 0;
  }
}
