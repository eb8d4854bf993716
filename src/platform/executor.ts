/** A task that can go on. Ordering keys are stable, so that an owner's order does not depend on what others exist. */
export interface Runnable {
  readonly path: string;
  /** Hash of the task's path: half of the key that orders tasks ready at one instant. */
  readonly pathHash: number;
  /** How often this task became ready before: the other half. */
  readonly wakeOrdinal: number;
  run(): void;
}

/** Runs tasks that became ready. The simulation orders by hash(seed, path, ordinal); a host runs first come, first served. */
export interface Executor {
  ready(runnable: Runnable): void;
  /** The error that escaped a task without anybody to receive it. */
  escaped(path: string, error: unknown): void;
}

/** 32-bit FNV-1a over UTF-16 units, continued from `seed`. */
export function hashText(seed: number, text: string): number {
  let h = seed;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/** Start value for {@link hashText}. */
export const HASH_START = 0x811c9dc5;

/** Avalanche of two 32-bit integers into one. */
export function mixHash(a: number, b: number): number {
  let h = (a ^ Math.imul(b, 0x9e3779b1)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
