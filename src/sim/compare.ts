import type { Simulation } from './simulation.ts';
import type { TraceEvent } from './trace.ts';

/** Where two runs that should be one part ways. */
export interface Difference {
  /** How many events and slices they agree on. */
  readonly step: number;
  /** Simulation time of each at that point. */
  readonly timesUs: readonly [number, number];
  /** The first event of each that the other does not have; undefined when they differ in order or timing only. */
  readonly events: readonly [TraceEvent | undefined, TraceEvent | undefined];
  /** The last event that both have. */
  readonly lastCommon: TraceEvent | undefined;
}

/** The events of one run, those not yet matched with the other's. */
class Recorder {
  readonly simulation: Simulation;
  readonly events: TraceEvent[] = [];

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    simulation.on(undefined, (event) => this.events.push(event));
  }

  /** One event or slice; false when nothing happens any more before `untilUs`. */
  step(untilUs: number): boolean {
    return this.simulation.runUntil(untilUs, { maxEvents: 1 }) === 'budget';
  }
}

/** How many slices after the digests part are still run to find an event to name. */
const SEARCH_STEPS = 100_000;

/**
 * Runs two simulations side by side until `untilUs` and finds the first point at which they differ; undefined when they
 * are one run. Both are made by the caller and should be fresh, with the digest `full`.
 */
export function compareRuns(first: Simulation, second: Simulation, untilUs: number): Difference | undefined {
  const a = new Recorder(first);
  const b = new Recorder(second);
  let lastCommon: TraceEvent | undefined;
  for (let step = 0; ; step++) {
    if (first.digest() !== second.digest()) return describe(a, b, step, untilUs, lastCommon);
    lastCommon = a.events.pop() ?? lastCommon;
    a.events.length = 0;
    b.events.length = 0;
    const more = a.step(untilUs);
    if (b.step(untilUs) !== more) return describe(a, b, step + 1, untilUs, lastCommon);
    if (!more) return undefined;
  }
}

/** The digests differ: goes on until the traces do too, so that the report can name an event. */
function describe(
  a: Recorder,
  b: Recorder,
  step: number,
  untilUs: number,
  lastCommon: TraceEvent | undefined,
): Difference {
  const timesUs = [a.simulation.nowUs, b.simulation.nowUs] as const;
  let common = lastCommon;
  let index = 0;
  for (let i = 0; i < SEARCH_STEPS; i++) {
    while (index < a.events.length && index < b.events.length) {
      const left = a.events[index]!;
      const right = b.events[index]!;
      if (!sameEvent(left, right)) return { step, timesUs, events: [left, right], lastCommon: common };
      common = left;
      index++;
    }
    const moved = [a.step(untilUs), b.step(untilUs)];
    if (!moved[0] && !moved[1]) break;
  }
  return { step, timesUs, events: [a.events[index], b.events[index]], lastCommon: common };
}

function sameEvent(a: TraceEvent, b: TraceEvent): boolean {
  return a.timeUs === b.timeUs && a.source === b.source && a.kind === b.kind && sameFields(a, b);
}

function sameFields(a: TraceEvent, b: TraceEvent): boolean {
  return JSON.stringify(a.fields) === JSON.stringify(b.fields);
}

/** One event on one line, for reports. */
export function eventLine(event: TraceEvent): string {
  const fields = Object.entries(event.fields).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : value}`,
  );
  return `${event.timeUs} us #${event.sequence} ${event.source} ${event.kind} ${fields.join(' ')}`.trimEnd();
}
