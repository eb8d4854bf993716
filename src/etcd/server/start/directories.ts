import { type Disk, parentOf } from '../../../platform/disk.ts';
import type { Task } from '../../../platform/task.ts';

/** Makes a directory with its parents so that a power cut leaves it there: every new entry's parent is synced. */
export function* makeDirectoryDurably(disk: Disk, path: string): Task<void> {
  const missing: string[] = [];
  for (let at = path; at !== '/' && (yield* disk.stat(at)) === undefined; at = parentOf(at)) missing.push(at);
  if (missing.length === 0) return;
  yield* disk.makeDirectory(path);
  for (const made of missing.reverse()) yield* disk.syncDirectory(parentOf(made));
}
