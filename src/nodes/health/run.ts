import { isDefect } from '../../cosi/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { timeout } from '../../platform/combinators.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { toRpcError } from '../api/errors.ts';
import { NodeError } from '../errors.ts';
import { type HealthCheck, type HealthSubject, NotApplicable } from './check.ts';
import { KUBERNETES_CHECKS } from './kubernetes-checks.ts';
import { NODE_CHECKS } from './node-checks.ts';

/**
 * Runs all checks one after the other, each until it holds. `tell` gets every changed line
 * (`waiting for <what>: ...`, then the error, `OK` or `SKIP`). Ends with DeadlineExceeded when a check or the whole takes
 * too long.
 */
export function* runHealthChecks(
  clock: Clock,
  subject: HealthSubject,
  deadlineUs: number,
  tell: (line: string) => Task<void>,
): Task<void> {
  for (const check of [...NODE_CHECKS, ...KUBERNETES_CHECKS]) {
    const limitUs = Math.min(check.limitUs, deadlineUs - clock.monotonicUs());
    yield* runCheck(clock, check, subject, clock.monotonicUs() + limitUs, tell);
  }
}

function* runCheck(
  clock: Clock,
  check: HealthCheck,
  subject: HealthSubject,
  deadlineUs: number,
  tell: (line: string) => Task<void>,
): Task<void> {
  let said = '';
  const say = function* (state: string): Task<void> {
    if (state === said) return;
    said = state;
    yield* tell(`waiting for ${check.description}: ${state}`);
  };
  yield* say('...');
  for (;;) {
    const outcome = yield* attempt(clock, check, subject);
    yield* say(outcome.text);
    if (outcome.done) return;
    const nextUs = clock.monotonicUs() + check.intervalUs;
    if (nextUs >= deadlineUs) {
      yield* clock.sleep(Math.max(0, deadlineUs - clock.monotonicUs()));
      throw new RpcError('DeadlineExceeded', 'context deadline exceeded');
    }
    yield* clock.sleep(check.intervalUs);
  }
}

interface Outcome {
  readonly done: boolean;
  readonly text: string;
}

function* attempt(clock: Clock, check: HealthCheck, subject: HealthSubject): Task<Outcome> {
  try {
    yield* timeout(clock, check.intervalUs, check.run(subject));
    return { done: true, text: 'OK' };
  } catch (error) {
    if (error instanceof NotApplicable) return { done: true, text: 'SKIP' };
    if (isDefect(error)) throw error;
    return { done: false, text: textOf(error) };
  }
}

function textOf(error: unknown): string {
  if (error instanceof NodeError) return error.message;
  if (error instanceof RpcError) return error.describe();
  return toRpcError(error).message;
}
