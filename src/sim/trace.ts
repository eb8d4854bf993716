import { HASH_START, hashText } from '../platform/executor.ts';
import type { EventFields, EventKind, Log } from '../platform/log.ts';
import type { Engine } from './engine.ts';
import type { Gate } from './gate.ts';

/** One thing that happened, as checkers, reports and views see it. */
export interface TraceEvent {
  /** True simulation time. */
  readonly timeUs: number;
  /** Numbered from 1 in the order in which they happened. */
  readonly sequence: number;
  /** Who says so: `cp-1/etcd`. Stable over reboots. */
  readonly source: string;
  /** Name of the event kind: `layer.thing.happened`. */
  readonly kind: string;
  readonly fields: EventFields;
}

export type TraceListener = (event: TraceEvent) => void;

export interface TraceOptions {
  /** `full` folds names and values into the digest, `fast` only kind, source and time. */
  readonly digest: 'fast' | 'full';
  /** How many of the last notable events are kept. */
  readonly notableLimit: number;
  /** Which kinds are kept; default: none. */
  readonly notable: (kind: string) => boolean;
}

/** The numbered sequence of everything that was logged. Listeners are called in the middle of the slice that logs. */
export class Trace {
  readonly #engine: Engine;
  readonly #options: TraceOptions;
  /** Never changed in place, so that a listener may come or go while others are told. */
  #everything: readonly TraceListener[] = [];
  readonly #byKind = new Map<string, readonly TraceListener[]>();
  readonly #kindHash = new Map<string, number>();
  #notable: TraceEvent[] = [];
  #dropped = 0;
  #sequence = 0;

  constructor(engine: Engine, options: TraceOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  get count(): number {
    return this.#sequence;
  }

  /** The last notable events, oldest first, and how many older ones were let go. */
  get notable(): { readonly events: readonly TraceEvent[]; readonly dropped: number } {
    return { events: this.#notable, dropped: this.#dropped };
  }

  /** Calls `listener` for every event of a kind, or for every event. Returns how to stop. */
  on(kind: EventKind | undefined, listener: TraceListener): () => void {
    this.#setListeners(kind, [...this.#listenersOf(kind), listener]);
    return () => {
      const others = this.#listenersOf(kind).filter((other) => other !== listener);
      this.#setListeners(kind, others);
    };
  }

  #listenersOf(kind: EventKind | undefined): readonly TraceListener[] {
    return kind === undefined ? this.#everything : (this.#byKind.get(kind.name) ?? []);
  }

  #setListeners(kind: EventKind | undefined, listeners: readonly TraceListener[]): void {
    if (kind === undefined) this.#everything = listeners;
    else this.#byKind.set(kind.name, listeners);
  }

  record(source: string, sourceHash: number, kind: EventKind, fields: EventFields): void {
    const event: TraceEvent = {
      timeUs: this.#engine.nowUs,
      sequence: ++this.#sequence,
      source,
      kind: kind.name,
      fields,
    };
    const digest = this.#engine.digest;
    digest.foldWide(event.timeUs);
    digest.fold(sourceHash);
    digest.fold(this.#hashOf(kind.name));
    if (this.#options.digest === 'full') digest.foldFields(fields);
    if (this.#options.notable(kind.name)) this.#keep(event);
    this.#tell(this.#byKind.get(kind.name), event);
    this.#tell(this.#everything, event);
  }

  /** A listener that throws is a bug of ours and must not be caught by the node code that happened to log. */
  #tell(listeners: readonly TraceListener[] | undefined, event: TraceEvent): void {
    if (listeners === undefined) return;
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#engine.bug(`listener of ${event.kind}`, error);
      }
    }
  }

  #hashOf(kind: string): number {
    let hash = this.#kindHash.get(kind);
    if (hash === undefined) {
      hash = hashText(HASH_START, kind);
      this.#kindHash.set(kind, hash);
    }
    return hash;
  }

  #keep(event: TraceEvent): void {
    this.#notable.push(event);
    const limit = this.#options.notableLimit;
    if (this.#notable.length <= 2 * limit) return;
    this.#dropped += this.#notable.length - limit;
    this.#notable = this.#notable.slice(-limit);
  }
}

/** What one source says. A source whose gate is closed must be silent: anything else breaks the epoch guard. */
export class TraceLog implements Log {
  readonly #trace: Trace;
  readonly #source: string;
  readonly #sourceHash: number;
  readonly #gate: Gate | undefined;

  constructor(trace: Trace, source: string, gate?: Gate) {
    this.#trace = trace;
    this.#source = source;
    this.#sourceHash = hashText(HASH_START, source);
    this.#gate = gate;
  }

  event<F extends EventFields>(kind: EventKind<F>, fields: F): void {
    const gate = this.#gate;
    if (gate?.closed === true)
      gate.engine.bug(this.#source, new Error(`${kind.name} was logged after its process died`));
    else this.#trace.record(this.#source, this.#sourceHash, kind, fields);
  }

  child(name: string): Log {
    return new TraceLog(this.#trace, `${this.#source}/${name}`, this.#gate);
  }
}
