import { NetError } from '../../platform/errors.ts';
import type { Connection, Endpoint } from '../../platform/net.ts';
import { dialErrorText, readErrorText } from '../go-text.ts';

/** A request that got no response; `message` is as Go's http.Client words it: `Get "http://…": dial tcp …`. */
export class HttpError extends Error {
  /** Without method and URL. */
  readonly reason: string;
  constructor(method: string, url: string, reason: string) {
    super(`${method.slice(0, 1)}${method.slice(1).toLowerCase()} "${url}": ${reason}`);
    this.name = 'HttpError';
    this.reason = reason;
  }
}

/** Why a dial failed, or undefined when `error` is not about the network. */
export function dialReasonOf(error: unknown, to: Endpoint): string | undefined {
  return error instanceof NetError ? dialErrorText(to, error, true) : undefined;
}

/** Why a connection ended before its response was complete. */
export function endReasonOf(connection: Connection, error: Error | undefined): string {
  return readErrorText(connection.local, connection.remote, error);
}
