import type { Blame } from '../../../src/lab/checkers/etcd/commit-order.ts';
import type { Model, Operation } from '../../../src/lab/checkers/linearizable/history.ts';
import { searchLinearization } from '../../../src/lab/checkers/linearizable/search.ts';

/** What a client does to one key that holds a text or nothing. */
export type RegisterInput =
  | { readonly kind: 'put'; readonly value: string }
  | { readonly kind: 'get' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'swap'; readonly from: string; readonly to: string };

/** Value read (empty: absent), or what was there before, or whether a swap succeeded. */
export type RegisterOutput = string | boolean;

export type RegisterOperation = Operation<RegisterInput, RegisterOutput>;

/** One key as the search sees it: no revisions, no leases, nothing of the other checkers' model. */
export const REGISTER: Model<string, RegisterInput, RegisterOutput> = {
  initial: '',
  step(state, input, output) {
    const fits = (right: RegisterOutput): boolean => output === undefined || output === right;
    if (input.kind === 'get') return { fits: fits(state), next: state };
    if (input.kind === 'put') return { fits: fits(state), next: input.value };
    if (input.kind === 'delete') return { fits: fits(state), next: '' };
    const swaps = state === input.from;
    return { fits: fits(swaps), next: swaps ? input.to : state };
  },
  key: (state) => state,
};

/** Operations on a key after which its history is searched no further: searching is exponential at worst. */
export const SHORT = 24;
const BUDGET = 20_000;

/** Histories of single keys, searched for a linearization independently of what the servers tell. */
export class ShortHistories {
  readonly #blame: Blame;
  readonly #histories = new Map<string, RegisterOperation[]>();
  searched = 0;

  constructor(blame: Blame) {
    this.#blame = blame;
  }

  add(key: string, operation: RegisterOperation): void {
    const known = this.#histories.get(key);
    if (known === undefined) this.#histories.set(key, [operation]);
    else known.push(operation);
  }

  search(): void {
    for (const [key, history] of this.#histories) {
      const verdict = searchLinearization(REGISTER, history, BUDGET);
      if (verdict.kind !== 'undecided') this.searched++;
      if (verdict.kind === 'violation') {
        this.#blame('linearizable, by search', `no order explains the ${history.length} operations on ${key}`);
      }
    }
  }
}
