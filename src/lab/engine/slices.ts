import type { RunEnd, RunLimits, Simulation } from '../../sim/simulation.ts';

/**
 * Work on a simulation that comes up for breath: it yields after some tenths of a second of real time, so that whoever
 * drives it can look at a keyboard or a signal. Ending it early with `return()` gives the work up.
 */
export type Slices<T> = Generator<void, T, undefined>;

const SLICE_EVENTS = 10_000;

/** {@link Simulation.runUntil} in slices. */
export function* runInSlices(
  simulation: Simulation,
  goal: number | (() => boolean),
  { maxEvents = Number.MAX_SAFE_INTEGER, ...limits }: RunLimits = {},
): Slices<RunEnd> {
  const lastEvent = simulation.eventsProcessed + maxEvents;
  for (;;) {
    const left = lastEvent - simulation.eventsProcessed;
    const end = simulation.runUntil(goal, { ...limits, maxEvents: Math.min(SLICE_EVENTS, left) });
    if (end !== 'budget' || left <= SLICE_EVENTS) return end;
    yield;
  }
}

/** Does the work in one go. */
export function finished<T>(slices: Slices<T>): T {
  for (;;) {
    const next = slices.next();
    if (next.done === true) return next.value;
  }
}
