import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { Notifier } from '../platform/signal.ts';
import { kernelLog } from './events.ts';

export interface KernelLine {
  readonly atUs: number;
  readonly facility: 'kern' | 'user';
  readonly text: string;
}

const KEPT = 2_000;

/** What the console and `talosctl dmesg` show. */
export class KernelLog {
  readonly printed = new Notifier();
  #clock: Clock;
  #log: Log;
  #lines: KernelLine[] = [];
  #dropped = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A line of machined: it shows up as `[talos] text`. */
  talos(text: string): void {
    this.#print('user', `[talos] ${text}`);
  }

  #print(facility: KernelLine['facility'], text: string): void {
    this.#lines.push({ atUs: this.#clock.nowUs(), facility, text });
    if (this.#lines.length > 2 * KEPT) {
      this.#dropped += this.#lines.length - KEPT;
      this.#lines = this.#lines.slice(-KEPT);
    }
    this.#log.event(kernelLog, { line: text });
    this.printed.notify();
  }

  get end(): number {
    return this.#dropped + this.#lines.length;
  }

  get start(): number {
    return this.#dropped;
  }

  at(position: number): KernelLine | undefined {
    return this.#lines[position - this.#dropped];
  }
}
