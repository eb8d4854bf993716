import type { Process } from '../../platform/containers.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';

type ConsoleProcess = Pick<Process, 'platform' | 'print'>;

/** What a member prints: etcd's structured log, one JSON object a line. */
export class Console {
  readonly #process: ConsoleProcess;

  constructor(process: ConsoleProcess) {
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
    const ts = rfc3339(this.#process.platform.clock.nowUs(), true);
    this.#process.print(JSON.stringify({ level, ts, msg, ...fields }));
  }
}
