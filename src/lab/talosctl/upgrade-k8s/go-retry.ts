import { KubeError } from '../../../kube/objects/errors.ts';
import { type Clock, SECOND_US } from '../../../platform/clock.ts';
import type { Task } from '../../../platform/task.ts';
import { errorSet } from '../../../platform/text/error-set.ts';
import { HttpError } from '../../../rpc/http/errors.ts';
import { CommandFailure } from '../run.ts';
import { apiErrorText } from './run.ts';

const UNIT_US = 10 * SECOND_US;

/** What is not so yet, but may become so. */
export class NotYet extends Error {}

/**
 * go-retry's constant one: every ten seconds until success, an error that another try cannot mend, or the limit. It tells
 * of every error that it met. Throws CommandFailure.
 */
export function* everyTenSeconds<T>(
  clock: Clock,
  limitUs: number,
  attempt: () => Task<T>,
  mayMend: (error: unknown) => boolean = isRetryable,
): Task<T> {
  const deadlineUs = clock.monotonicUs() + limitUs;
  const seen: string[] = [];
  for (;;) {
    try {
      return yield* attempt();
    } catch (error) {
      const text = error instanceof NotYet ? error.message : apiErrorText(error);
      if (text === undefined) throw error;
      seen.push(text);
      if (!(error instanceof NotYet) && !mayMend(error)) throw new CommandFailure(errorSet(seen));
    }
    if (clock.monotonicUs() + UNIT_US > deadlineUs) {
      yield* clock.sleep(Math.max(0, deadlineUs - clock.monotonicUs()));
      throw new CommandFailure(errorSet([...seen, 'timeout']));
    }
    yield* clock.sleep(UNIT_US);
  }
}

/** Errors of the network, and those with which an API server says that it is not well. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof HttpError) return true;
  return error instanceof KubeError && ['Timeout', 'InternalError', ''].includes(error.reason);
}
