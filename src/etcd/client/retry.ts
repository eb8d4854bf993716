import { EtcdError, isEtcdError } from '../../api/etcd/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { type CallOptions, type Method, type RpcChannel, RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';

/** Most attempts at one call, and the pause before every quorum-th one, ±10 % (reference/etcd.md E4). */
const MAX_ATTEMPTS = 100;
const PAUSE_US = 25_000;

/**
 * `repeatable`: asking twice does no harm, so every Unavailable is tried again. `once`: only when the request certainly
 * never reached a server.
 */
export type RetryClass = 'repeatable' | 'once';

export interface RetryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly channel: RpcChannel;
  readonly endpointCount: () => number;
}

/** A unary call as etcd's client makes it: waits for a connection, one endpoint after the other, and tries again by class. */
export function* callWithRetry<Req, Res>(
  deps: RetryDeps,
  method: Method<Req, Res>,
  request: Req,
  retries: RetryClass,
  options: CallOptions,
): Task<Res> {
  const deadlineUs =
    options.timeoutUs === undefined ? Number.POSITIVE_INFINITY : deps.clock.monotonicUs() + options.timeoutUs;
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) yield* pause(deps, attempt);
    const leftUs = deadlineUs - deps.clock.monotonicUs();
    if (leftUs <= 0) throw deadlineExceeded();
    const { timeoutUs: _limit, ...rest } = options;
    const limit = leftUs === Number.POSITIVE_INFINITY ? {} : { timeoutUs: leftUs };
    try {
      return yield* deps.channel.unary(method, request, { waitForReady: true, ...rest, ...limit });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      // Whatever the transport says of it, the caller's own limit is a deadline.
      if (error.status === 'DeadlineExceeded') throw deadlineExceeded();
      if (attempt + 1 >= MAX_ATTEMPTS) throw error;
      if (!isRetryable(error, retries, deps.endpointCount())) throw error;
    }
  }
}

function deadlineExceeded(): RpcError {
  return new RpcError('DeadlineExceeded', 'context deadline exceeded');
}

function* pause(deps: RetryDeps, attempt: number): Task<void> {
  const quorum = Math.floor(deps.endpointCount() / 2) + 1;
  if (attempt % quorum !== 0) return;
  yield* deps.clock.sleep(PAUSE_US - 2_500 + deps.random.int(0, 5_000));
}

/** Whether a failed attempt is worth another. */
export function isRetryable(error: RpcError, retries: RetryClass, endpoints: number): boolean {
  if (isEtcdError(error, EtcdError.NotSupportedForLearner)) return endpoints > 1;
  if (error.status !== 'Unavailable') return false;
  if (retries === 'repeatable') return true;
  return error.message === 'there is no address available' || error.message === 'there is no connection available';
}
