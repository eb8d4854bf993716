import type { Process } from '../../platform/containers.ts';
import { civilTime } from '../../platform/x509/time.ts';

/** What a member prints: etcd's structured log, one JSON object a line. */
export class Console {
  readonly #process: Process;

  constructor(process: Process) {
    this.#process = process;
  }

  info(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#print('info', message, fields);
  }

  warn(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#print('warn', message, fields);
  }

  /** The last line of a process that gives up. */
  fatal(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#print('fatal', message, fields);
  }

  #print(level: string, msg: string, fields: Readonly<Record<string, unknown>>): void {
    const ts = timestamp(this.#process.platform.clock.nowUs());
    this.#process.print(JSON.stringify({ level, ts, msg, ...fields }));
  }
}

/** `2025-10-01T00:00:00.000000Z`. */
function timestamp(unixUs: number): string {
  const time = civilTime(Math.floor(unixUs / 1_000_000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const micros = String(unixUs % 1_000_000).padStart(6, '0');
  return `${time.year}-${two(time.month)}-${two(time.day)}T${two(time.hour)}:${two(time.minute)}:${two(time.second)}.${micros}Z`;
}
