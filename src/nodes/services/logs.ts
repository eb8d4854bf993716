import { Notifier } from '../../platform/signal.ts';

const KEPT = 5_000;

/** Output of one service. */
export class ServiceLog {
  readonly written = new Notifier();
  #lines: string[] = [];
  #dropped = 0;

  write(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > 2 * KEPT) {
      this.#dropped += this.#lines.length - KEPT;
      this.#lines = this.#lines.slice(-KEPT);
    }
    this.written.notify();
  }

  get end(): number {
    return this.#dropped + this.#lines.length;
  }

  get start(): number {
    return this.#dropped;
  }

  at(position: number): string | undefined {
    return this.#lines[position - this.#dropped];
  }
}

/** Logs of services by id, kept from one run of a service to the next. */
export class ServiceLogs {
  #logs = new Map<string, ServiceLog>();

  of(id: string): ServiceLog {
    let log = this.#logs.get(id);
    if (log === undefined) {
      log = new ServiceLog();
      this.#logs.set(id, log);
    }
    return log;
  }

  find(id: string): ServiceLog | undefined {
    return this.#logs.get(id);
  }

  ids(): readonly string[] {
    return [...this.#logs.keys()].sort();
  }
}
