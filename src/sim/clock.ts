import type { Clock, Timer } from '../platform/clock.ts';
import { type Task, wait } from '../platform/task.ts';
import type { Engine } from './engine.ts';
import type { Gate } from './gate.ts';

const PARTS = 1_000_000;

/**
 * The oscillator and the wall clock of one machine. The monotonic clock runs from the start of the kernel at
 * (1 + drift) of true speed; the wall clock is the monotonic one plus an offset that can be stepped. The hardware clock
 * carries wall time over a power cut.
 */
export class MachineClock {
  readonly #engine: Engine;
  #driftPpm: number;
  /** Rate changes start a new line here. */
  #anchorTrueUs: number;
  #anchorLocalUs = 0;
  /** Wall time minus monotonic time. */
  #wallOffsetUs: number;

  /** `wallUs` is what the wall clock shows now, since the Unix epoch. */
  constructor(engine: Engine, wallUs: number, driftPpm: number) {
    this.#engine = engine;
    this.#anchorTrueUs = engine.nowUs;
    this.#wallOffsetUs = wallUs;
    this.#driftPpm = driftPpm;
  }

  get driftPpm(): number {
    return this.#driftPpm;
  }

  monotonicUs(): number {
    const elapsedUs = this.#engine.nowUs - this.#anchorTrueUs;
    return this.#anchorLocalUs + (this.#driftPpm === 0 ? elapsedUs : stretched(elapsedUs, this.#driftPpm));
  }

  wallUs(): number {
    return this.monotonicUs() + this.#wallOffsetUs;
  }

  /** Steps the wall clock; the monotonic one goes on undisturbed. */
  jump(byUs: number): void {
    this.#wallOffsetUs += byUs;
  }

  /** Changes the rate from now on; timers that are armed already keep their instant. */
  setDrift(driftPpm: number): void {
    this.#anchorLocalUs = this.monotonicUs();
    this.#anchorTrueUs = this.#engine.nowUs;
    this.#driftPpm = driftPpm;
  }

  /** True time that passes until `delayUs` of local time have passed. */
  trueDelayUs(delayUs: number): number {
    if (delayUs <= 0) return 0;
    const drift = this.#driftPpm;
    if (drift === 0) return delayUs;
    const elapsedUs = this.#engine.nowUs - this.#anchorTrueUs;
    const dueUs = stretched(elapsedUs, drift) + delayUs;
    let trueUs = elapsedUs + shrunk(delayUs, drift);
    while (stretched(trueUs, drift) < dueUs) trueUs++;
    while (trueUs > elapsedUs && stretched(trueUs - 1, drift) >= dueUs) trueUs--;
    return trueUs - elapsedUs;
  }
}

/** `us` × (1 + ppm / 10^6), rounded down, without leaving the safe integers. */
function stretched(us: number, ppm: number): number {
  const seconds = Math.floor(us / PARTS);
  return us + seconds * ppm + Math.floor(((us - seconds * PARTS) * ppm) / PARTS);
}

/** About `us` ÷ (1 + ppm / 10^6). */
function shrunk(us: number, ppm: number): number {
  const whole = PARTS + ppm;
  const parts = Math.floor(us / whole);
  return parts * PARTS + Math.floor(((us - parts * whole) * PARTS) / whole);
}

/** The clock as one process sees it: its timers die, and pause, with the process. */
export class ProcessClock implements Clock {
  readonly #machine: MachineClock;
  readonly #gate: Gate;

  constructor(machine: MachineClock, gate: Gate) {
    this.#machine = machine;
    this.#gate = gate;
  }

  nowUs(): number {
    return this.#machine.wallUs();
  }

  monotonicUs(): number {
    return this.#machine.monotonicUs();
  }

  after(delayUs: number, callback: () => void): Timer {
    const gate = this.#gate;
    // The epoch guard, seen from the other side: no line of a dead process runs, so none can ask for a timer.
    if (gate.closed) gate.engine.bug(gate.path, new Error('a process that died asked for a timer'));
    return gate.engine.scheduleIn(this.#machine.trueDelayUs(delayUs), callback, gate);
  }

  sleep(durationUs: number): Task<void> {
    return wait<void>((resume) => {
      const timer = this.after(durationUs, resume);
      return () => timer.cancel();
    });
  }
}
