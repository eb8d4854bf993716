import { NetError } from '../platform/errors.ts';
import { type Endpoint, hostPort } from '../platform/net.ts';
import { goQuote } from '../platform/text/quote.ts';

/** Texts that operators know from Go programs, made from our typed errors. */

/** As Go's net package prints a failed dial: `dial tcp 10.0.0.10:50000: connect: connection refused`. */
export function dialErrorText(to: Endpoint, error: NetError, timeLimited: boolean): string {
  if (error.code === 'unknown-host') return `dial tcp: ${error.message}`;
  return `dial tcp ${hostPort(error.remote ?? to)}: ${dialReason(error, timeLimited)}`;
}

function dialReason(error: NetError, timeLimited: boolean): string {
  switch (error.code) {
    case 'refused':
      return 'connect: connection refused';
    case 'unreachable':
      return 'connect: no route to host';
    case 'timeout':
      return timeLimited ? 'i/o timeout' : 'connect: connection timed out';
    case 'reset':
      return 'connect: connection reset by peer';
    case 'address-not-available':
      return 'connect: cannot assign requested address';
    default:
      return error.message;
  }
}

/** As Go prints the end of a read: `EOF`, `read tcp 10.0.0.1:33000->10.0.0.2:2379: read: connection reset by peer`. */
export function readErrorText(local: Endpoint, remote: Endpoint, error: Error | undefined): string {
  if (error === undefined) return 'EOF';
  if (!(error instanceof NetError)) return error.message;
  const where = `read tcp ${hostPort(local)}->${hostPort(remote)}`;
  switch (error.code) {
    case 'reset':
      return `${where}: read: connection reset by peer`;
    case 'timeout':
      return `${where}: read: connection timed out`;
    case 'unreachable':
      return `${where}: read: no route to host`;
    case 'closed':
      return `${where}: use of closed network connection`;
    default:
      return `${where}: ${error.message}`;
  }
}

/** What grpc-go reports of a connection that did not come up: `connection error: desc = "…"`. */
export function connectionErrorText(description: string): string {
  return `connection error: desc = ${goQuote(description)}`;
}
