/** One operation of one client on a key-value store, as the client saw it. Times only order; they need no unit. */
export interface Operation<I, O> {
  readonly client: string;
  readonly input: I;
  /** Undefined: the client never learned the outcome; the operation may take effect at any later time, or never. */
  readonly output: O | undefined;
  readonly invokedAt: number;
  /** Ignored when the output is undefined. */
  readonly returnedAt: number;
}

/** A sequential specification: what one operation does to a state. */
export interface Model<S, I, O> {
  readonly initial: S;
  /** True when `output` is what the operation gives in `state`; an unknown output fits always. */
  step(state: S, input: I, output: O | undefined): { readonly fits: boolean; readonly next: S };
  /** Equal states give equal texts. */
  key(state: S): string;
}
