/** A kind of event, declared once in a layer's `events.ts`, the same on both platforms. `F` is the shape of its fields. */
export interface EventKind<F extends EventFields = EventFields> {
  readonly name: string;
  /** Only for the type. */
  readonly fields?: F;
}

export type EventValue = string | number | boolean | readonly string[];
export type EventFields = { readonly [name: string]: EventValue };

/** Declares an event kind; `name` is `layer.thing.happened`. */
export function eventKind<F extends EventFields>(name: string): EventKind<F> {
  return Object.freeze({ name });
}

/** The only thing checkers, reports and views may read. */
export interface Log {
  event<F extends EventFields>(kind: EventKind<F>, fields: F): void;
  /** A log whose events carry `name` as their source, below this one. */
  child(name: string): Log;
}
