import type { Random } from '../../platform/random.ts';
import type { CrashMode } from './content.ts';
import type { DirectoryNode, Inode } from './tree.ts';

/** One name in one directory changes. */
export interface NameChange {
  readonly directory: DirectoryNode;
  readonly name: string;
  readonly before: Inode | undefined;
  readonly after: Inode | undefined;
}

/** Name changes that become durable together: one, or the two of a rename. */
interface Entry {
  readonly changes: readonly NameChange[];
  readonly position: number;
  readonly atUs: number;
}

const FIRST_PRUNE = 64;

/**
 * Changes of directory entries that are not durable yet, oldest first. Syncing a directory makes its changes durable,
 * and what an atomic rename ties to them; other directories stay as they were.
 */
export class Journal {
  #entries: Entry[] = [];
  #position = 0;
  #pruneAt = FIRST_PRUNE;
  readonly #writebackUs: number;

  constructor(writebackUs: number) {
    this.#writebackUs = writebackUs;
  }

  get mark(): number {
    return this.#position;
  }

  apply(changes: readonly NameChange[], nowUs: number): void {
    for (const change of changes) set(change.directory, change.name, change.after);
    this.#entries.push({ changes, position: this.#position++, atUs: nowUs });
    if (this.#entries.length < this.#pruneAt) return;
    this.#prune(nowUs);
    this.#pruneAt = Math.max(FIRST_PRUNE, this.#entries.length * 2);
  }

  /**
   * Makes durable what touched `directory` before `mark`. A rename between two directories carries along what happened
   * earlier in the other one, since a later change cannot be on disk without the earlier ones it stands on.
   */
  commit(directory: DirectoryNode, mark: number): void {
    const directories = new Set([directory]);
    const kept: Entry[] = [];
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!;
      const durable = entry.position < mark && entry.changes.some((change) => directories.has(change.directory));
      if (!durable) kept.push(entry);
      else for (const change of entry.changes) directories.add(change.directory);
    }
    this.#entries = kept.reverse();
  }

  commitAll(): void {
    this.#entries = [];
  }

  crash(nowUs: number, mode: CrashMode, random: Random): void {
    this.#prune(nowUs);
    const lost = this.#entries;
    this.#entries = [];
    // Journals replay in order, so names keep a prefix in every mode but the strict one.
    const kept = mode === 'drop' ? 0 : random.int(0, lost.length);
    for (let i = lost.length - 1; i >= kept; i--) {
      const changes = lost[i]!.changes;
      for (let j = changes.length - 1; j >= 0; j--) set(changes[j]!.directory, changes[j]!.name, changes[j]!.before);
    }
  }

  #prune(nowUs: number): void {
    let old = 0;
    while (old < this.#entries.length && nowUs - this.#entries[old]!.atUs >= this.#writebackUs) old++;
    if (old > 0) this.#entries.splice(0, old);
  }
}

function set(directory: DirectoryNode, name: string, node: Inode | undefined): void {
  if (node === undefined) directory.entries.delete(name);
  else directory.entries.set(name, node);
}
