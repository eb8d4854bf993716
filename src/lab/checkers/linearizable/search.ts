import type { Model, Operation } from './history.ts';

export type Verdict =
  | { readonly kind: 'linearizable' }
  | { readonly kind: 'violation'; readonly longest: readonly number[] }
  | { readonly kind: 'undecided' };

interface Entry {
  /** Index of the operation. */
  readonly op: number;
  readonly isReturn: boolean;
  /** For an invocation: its return. */
  match: Entry | undefined;
  previous: Entry | undefined;
  next: Entry | undefined;
}

/**
 * Searches for an order of the operations that respects real time and the model: Wing and Gong's algorithm with Lowe's
 * memoisation of (set of placed operations, state). Exponential at worst; `budget` bounds the placements tried.
 */
export function searchLinearization<S, I, O>(
  model: Model<S, I, O>,
  history: readonly Operation<I, O>[],
  budget = 1_000_000,
): Verdict {
  const head = buildList(history);
  const placed = new PlacedSet(history.length);
  const seen = new Set<string>();
  const stack: { entry: Entry; state: S }[] = [];
  let state = model.initial;
  let longest: readonly number[] = [];
  let left = budget;
  let current = head.next;
  while (head.next !== undefined) {
    if (left-- <= 0) return { kind: 'undecided' };
    if (current !== undefined && !current.isReturn) {
      const operation = history[current.op]!;
      const { fits, next } = model.step(state, operation.input, operation.output);
      const fresh = fits && remember(seen, placed.with(current.op), model.key(next));
      if (!fresh) {
        current = current.next;
        continue;
      }
      stack.push({ entry: current, state });
      if (stack.length > longest.length) longest = stack.map((step) => step.entry.op);
      placed.add(current.op);
      state = next;
      lift(current);
      current = head.next;
      continue;
    }
    // A return before its operation was placed, or the end of the list: the last placement was wrong.
    if (current === undefined && onlyUnknownLeft(head, history)) return { kind: 'linearizable' };
    const last = stack.pop();
    if (last === undefined) return { kind: 'violation', longest };
    placed.remove(last.entry.op);
    state = last.state;
    unlift(last.entry);
    current = last.entry.next;
  }
  return { kind: 'linearizable' };
}

function remember(seen: Set<string>, placed: string, state: string): boolean {
  const key = `${placed}|${state}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** Operations without a known outcome have no return in the list: they may be left out. */
function onlyUnknownLeft<I, O>(head: Entry, history: readonly Operation<I, O>[]): boolean {
  for (let entry = head.next; entry !== undefined; entry = entry.next) {
    if (entry.isReturn || history[entry.op]!.output !== undefined) return false;
  }
  return true;
}

function buildList<I, O>(history: readonly Operation<I, O>[]): Entry {
  const marks: { at: number; entry: Entry }[] = [];
  history.forEach((operation, op) => {
    const invocation: Entry = { op, isReturn: false, match: undefined, previous: undefined, next: undefined };
    marks.push({ at: operation.invokedAt, entry: invocation });
    if (operation.output === undefined) return;
    invocation.match = { op, isReturn: true, match: undefined, previous: undefined, next: undefined };
    marks.push({ at: operation.returnedAt, entry: invocation.match });
  });
  // At equal times invocations go first: operations that touch in time count as concurrent.
  marks.sort((a, b) => a.at - b.at || Number(a.entry.isReturn) - Number(b.entry.isReturn));
  const head: Entry = { op: -1, isReturn: false, match: undefined, previous: undefined, next: undefined };
  let last = head;
  for (const { entry } of marks) {
    entry.previous = last;
    last.next = entry;
    last = entry;
  }
  return head;
}

function lift(entry: Entry): void {
  unlink(entry);
  if (entry.match !== undefined) unlink(entry.match);
}

function unlift(entry: Entry): void {
  if (entry.match !== undefined) relink(entry.match);
  relink(entry);
}

function unlink(entry: Entry): void {
  entry.previous!.next = entry.next;
  if (entry.next !== undefined) entry.next.previous = entry.previous;
}

function relink(entry: Entry): void {
  entry.previous!.next = entry;
  if (entry.next !== undefined) entry.next.previous = entry;
}

/** Which operations are placed, as bits. */
class PlacedSet {
  #words: number[];

  constructor(size: number) {
    this.#words = new Array<number>(Math.ceil(size / 32)).fill(0);
  }

  add(op: number): void {
    this.#words[op >>> 5]! |= 1 << (op & 31);
  }

  remove(op: number): void {
    this.#words[op >>> 5]! &= ~(1 << (op & 31));
  }

  /** The set with one more, as text. */
  with(op: number): string {
    const words = [...this.#words];
    words[op >>> 5]! |= 1 << (op & 31);
    return words.join(',');
  }
}
