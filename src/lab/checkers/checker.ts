import type { TraceEvent } from '../../sim/trace.ts';

/** Reports that a guarantee does not hold, with what shows it. */
export type Report = (detail: string) => void;

/** Watches one guarantee online; told of every event in order. */
export interface Checker {
  /** Name of the guarantee, as scenarios declare it: `one-etcd-birth`. */
  readonly guarantee: string;
  /** The guarantee in words. */
  readonly about: string;
  take(event: TraceEvent, report: Report): void;
  /** At the end of the run. */
  finish?(report: Report): void;
}

/** Makes a fresh checker for one run. */
export type CheckerFactory = () => Checker;

/** The machine (or station) that an event comes from. */
export function machineOf(source: string): string {
  const slash = source.indexOf('/');
  return slash < 0 ? source : source.slice(0, slash);
}
