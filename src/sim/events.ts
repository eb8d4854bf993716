import { eventKind } from '../platform/log.ts';

/** Power was switched on; the firmware runs. */
export const poweredOn = eventKind<{ boot: number }>('sim.machine.powered-on');
/** A kernel runs: `slot` is empty when the installation medium was booted. */
export const booted = eventKind<{ boot: number; slot: string; version: string }>('sim.machine.booted');
/** The machine came to a halt while starting: it stays so until somebody resets it. */
export const bootHung = eventKind<{ boot: number; slot: string; reason: string }>('sim.machine.boot-hung');
/** The kernel panicked; it restarts by itself after a while. */
export const panicked = eventKind<{ reason: string }>('sim.machine.panicked');
/** The kernel ended: `cut`, `reboot` or `shutdown`. */
export const kernelEnded = eventKind<{ how: string }>('sim.machine.kernel-ended');
export const frozen = eventKind<Record<string, never>>('sim.machine.frozen');
export const thawed = eventKind<Record<string, never>>('sim.machine.thawed');
/** Somebody stepped the clock: a fault, or time synchronisation. */
export const clockStepped = eventKind<{ byUs: number; by: 'fault' | 'node' }>('sim.clock.stepped');

export const processStarted = eventKind<{ pid: number; argv: readonly string[] }>('sim.process.started');
/** `signal` is empty when it ended by itself. */
export const processExited = eventKind<{ pid: number; code: number; signal: string; outOfMemory: boolean }>(
  'sim.process.exited',
);
export const processStopped = eventKind<{ pid: number }>('sim.process.stopped');
export const processContinued = eventKind<{ pid: number }>('sim.process.continued');
/** A modelled panic; the text is on the process's log too. */
export const processPanicked = eventKind<{ pid: number; text: string }>('sim.process.panicked');

export const imagePulled = eventKind<{ image: string; tookUs: number }>('sim.image.pulled');
export const imagePullFailed = eventKind<{ image: string; reason: string }>('sim.image.pull-failed');
