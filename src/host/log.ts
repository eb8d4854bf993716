import type { EventFields, EventKind, Log } from '../platform/log.ts';

/** Takes one line of JSON, without the line break. */
export type LineSink = (line: string) => void;

/** Events as lines of JSON: `time` in microseconds since the Unix epoch, `source`, `kind`, `fields`. */
export class HostLog implements Log {
  readonly #source: string;
  readonly #nowUs: () => number;
  readonly #sink: LineSink;

  constructor(source: string, nowUs: () => number, sink: LineSink) {
    this.#source = source;
    this.#nowUs = nowUs;
    this.#sink = sink;
  }

  event<F extends EventFields>(kind: EventKind<F>, fields: F): void {
    this.#sink(JSON.stringify({ time: this.#nowUs(), source: this.#source, kind: kind.name, fields }));
  }

  child(name: string): Log {
    return new HostLog(`${this.#source}/${name}`, this.#nowUs, this.#sink);
  }
}
