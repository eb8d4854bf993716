import type { Task } from '../../platform/task.ts';

export type SequenceName =
  | 'initialize'
  | 'install'
  | 'boot'
  | 'reboot'
  | 'shutdown'
  | 'reset'
  | 'upgrade'
  | 'stageUpgrade'
  | 'maintenanceUpgrade';

/** One task of a phase; the tasks of a phase run side by side. */
export interface SequenceTask {
  readonly name: string;
  run(): Task<void>;
}

export interface Phase {
  readonly name: string;
  readonly tasks: readonly SequenceTask[];
  /** Asked when the phase is reached; false skips it, counted all the same. */
  readonly when?: () => boolean;
  /** Errors are logged and do not end the sequence. */
  readonly tolerant?: boolean;
}

/** What may replace a running sequence without being forced to (reference/v1.11.3.md 6.3). */
export const TAKE_OVER: Readonly<Record<SequenceName, readonly SequenceName[]>> = Object.freeze({
  initialize: ['maintenanceUpgrade'],
  install: [],
  boot: ['reboot', 'reset', 'upgrade'],
  reboot: ['reboot'],
  shutdown: [],
  reset: ['reboot'],
  upgrade: [],
  stageUpgrade: [],
  maintenanceUpgrade: [],
});

export function phase(name: string, ...tasks: readonly SequenceTask[]): Phase {
  return { name, tasks };
}

export function task(name: string, run: () => Task<void>): SequenceTask {
  return { name, run };
}
