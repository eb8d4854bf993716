import { isDefect } from '../../cosi/index.ts';
import { TimeoutError } from '../../platform/errors.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { errorText } from '../errors.ts';

/** What a handler's error becomes for the caller: a status stays, everything else is Unknown (reference/controllers.md D.1). */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof TimeoutError) return new RpcError('DeadlineExceeded', 'context deadline exceeded');
  return new RpcError('Unknown', errorText(error));
}

/** Runs a handler; its modelled failures become statuses, defects of ours stay what they are. */
export function* asStatus<T>(body: Task<T>): Task<T> {
  try {
    return yield* body;
  } catch (error) {
    if (isDefect(error)) throw error;
    throw toRpcError(error);
  }
}

export function unimplemented(text: string): RpcError {
  return new RpcError('Unimplemented', text);
}

export function failedPrecondition(text: string): RpcError {
  return new RpcError('FailedPrecondition', text);
}

export function invalidArgument(text: string): RpcError {
  return new RpcError('InvalidArgument', text);
}
