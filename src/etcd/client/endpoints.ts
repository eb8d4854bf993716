import { type Endpoint, parseHostPort } from '../../platform/net.ts';
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
