import type { Distribution } from '../distribution.ts';
import type { CrashMode } from './content.ts';

export type DiskOperation = 'read' | 'write' | 'sync';

/** What is wrong with a disk. A plan sets and clears these at will; they survive reboots, as the hardware does. */
export interface DiskFaults {
  /** What a power cut does with what was not synced (default `drop`). */
  crashMode: CrashMode;
  /** Operations that fail with `io`, each with this chance in millionths. */
  readonly errorPpm: { read: number; write: number; sync: number };
  /** Errors hit only paths that begin with this (default: all). */
  errorPathPrefix: string;
  /** Added to the latency of every sync. */
  slowSync: Distribution | undefined;
  /** Syncs report success and make nothing durable. */
  lyingSync: boolean;
  /** Writes fail with `read-only`. */
  readOnly: boolean;
  /** Writes that need room fail with `no-space`, as if something else had filled the disk. */
  full: boolean;
  /** The next writes that a program makes land at another place of the same file; the program is not told. */
  misdirectedWrites: number;
}

export function noDiskFaults(): DiskFaults {
  return {
    crashMode: 'drop',
    errorPpm: { read: 0, write: 0, sync: 0 },
    errorPathPrefix: '',
    slowSync: undefined,
    lyingSync: false,
    readOnly: false,
    full: false,
    misdirectedWrites: 0,
  };
}
