import { Kept } from '../kept.ts';

const KEPT = 5_000;

/** Logs of services by id, kept from one run of a service to the next. */
export class ServiceLogs {
  #logs = new Map<string, Kept<string>>();

  of(id: string): Kept<string> {
    let log = this.#logs.get(id);
    if (log === undefined) {
      log = new Kept(KEPT);
      this.#logs.set(id, log);
    }
    return log;
  }

  find(id: string): Kept<string> | undefined {
    return this.#logs.get(id);
  }

  ids(): readonly string[] {
    return [...this.#logs.keys()].sort();
  }
}
