import type { Slices } from '../lab/engine/slices.ts';

/** Does the work, and lets signals and keys in between its slices. Undefined when `isStopped` said so in between. */
export async function breathing<T>(slices: Slices<T>): Promise<T>;
export async function breathing<T>(slices: Slices<T>, isStopped: () => boolean): Promise<T | undefined>;
export async function breathing<T>(slices: Slices<T>, isStopped = () => false): Promise<T | undefined> {
  for (;;) {
    const next = slices.next();
    if (next.done === true) return next.value;
    await new Promise((resolve) => setImmediate(resolve));
    if (!isStopped()) continue;
    slices.return(undefined as T);
    return undefined;
  }
}
