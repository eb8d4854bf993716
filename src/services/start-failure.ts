import type { Process } from '../platform/containers.ts';
import { NetError } from '../platform/errors.ts';
import { DecodeError } from '../rpc/wire.ts';
import { OptionError } from './flags.ts';

/**
 * Prints why a service did not start and gives its exit code: 2 for bad flags, 1 when it cannot listen or read what it
 * kept. Any other error is thrown on.
 */
export function startFailure(error: unknown, print: Process['print']): number {
  if (!(error instanceof OptionError || error instanceof NetError || error instanceof DecodeError)) throw error;
  print(`failed to start: ${error.message}`);
  return error instanceof OptionError ? 2 : 1;
}
