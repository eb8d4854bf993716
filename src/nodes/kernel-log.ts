import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { kernelLog } from './events.ts';
import { Kept } from './kept.ts';

export interface KernelLine {
  readonly atUs: number;
  readonly facility: 'kern' | 'user';
  readonly text: string;
}

const KEPT = 2_000;

/** What the console and `talosctl dmesg` show. */
export class KernelLog extends Kept<KernelLine> {
  #clock: Clock;
  #log: Log;

  constructor(clock: Clock, log: Log) {
    super(KEPT);
    this.#clock = clock;
    this.#log = log;
  }

  /** A line of machined: it shows up as `[talos] text`. */
  talos(text: string): void {
    const line = `[talos] ${text}`;
    this.#log.event(kernelLog, { line });
    this.add({ atUs: this.#clock.nowUs(), facility: 'user', text: line });
  }
}
