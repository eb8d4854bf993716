import { type Endpoint, parseHostPort } from '../../platform/net.ts';
import type { TlsClient } from '../../platform/rpc.ts';
import { goQuote } from '../../platform/text/quote.ts';

const DEFAULT_PORT = 2379;
const MAX_PORT = 65_535;

/** A text that names no endpoint: it is neither dialled nor replaced by another. */
export class EndpointError extends Error {
  constructor(text: string) {
    super(`invalid endpoint ${goQuote(text)}: it must be host:port or http(s)://host:port`);
    this.name = 'EndpointError';
  }
}

/** An endpoint as users write it: `10.0.0.10:2379`, `https://10.0.0.10:2379`, `[fd00::1]:2379`. Throws EndpointError. */
export function parseEndpoint(text: string): Endpoint {
  const endpoint = parseHostPort(text.replace(/^https?:\/\//, '').replace(/\/+$/, ''), DEFAULT_PORT);
  if (endpoint === null || !/^[^/\s]+$/.test(endpoint.address) || endpoint.port > MAX_PORT) {
    throw new EndpointError(text);
  }
  return endpoint.address === 'localhost' ? { ...endpoint, address: '127.0.0.1' } : endpoint;
}

const SYSTEM_ROOTS: TlsClient = Object.freeze({});

/**
 * How a connection is secured whose first endpoint is this: `http://` is plain whatever the client was given, `https://` is
 * TLS even with nothing given, and an address alone is as the client was configured. The first endpoint decides for all
 * (etcd's client: `credentialsForEndpoint`).
 */
export function tlsForEndpoint(text: string | undefined, configured: TlsClient | undefined): TlsClient | undefined {
  if (text?.startsWith('http://') === true) return undefined;
  return text?.startsWith('https://') === true ? (configured ?? SYSTEM_ROOTS) : configured;
}
