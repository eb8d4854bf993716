import type { Task } from '../../platform/task.ts';
import type { StoredValue } from '../objects/stored.ts';

export interface StoredChange {
  readonly key: string;
  /** Undefined: deleted. */
  readonly value: Uint8Array | undefined;
  readonly previous: Uint8Array | undefined;
  readonly revision: number;
}

/** What became of a conditional write: its revision, or what stands under the key instead (undefined: nothing). */
export type WriteOutcome = { readonly revision: number } | { readonly current: StoredValue | undefined };

/** What the API server needs of etcd. Fails with KubeError `ServiceUnavailable`, `Timeout` or `InternalError`. */
export interface Backend {
  get(key: string): Task<{ readonly found: StoredValue | undefined; readonly revision: number }>;
  list(prefix: string): Task<{ readonly items: readonly StoredValue[]; readonly revision: number }>;
  /** Writes when the key is absent; undefined when it is not. */
  create(key: string, value: Uint8Array): Task<number | undefined>;
  /** Writes when the key's mod revision is `expected`. */
  put(key: string, value: Uint8Array, expected: number): Task<WriteOutcome>;
  /** Deletes when the key's mod revision is `expected`. */
  remove(key: string, expected: number): Task<WriteOutcome>;
  /**
   * Calls `onChange` for each change after `afterRevision`, in order, until the calling task is cancelled. Returns when the
   * watch was lost and must be started anew with a list.
   */
  watch(prefix: string, afterRevision: number, onChange: (change: StoredChange) => void): Task<void>;
}
