import type { Endpoint } from '../../../platform/net.ts';
import { parseUrl } from '../config/urls.ts';

/** Where a URL leads; null when it is none that can be dialled. Host names are not resolved, except `localhost`. */
export function endpointOf(url: string): Endpoint | null {
  const parsed = parseUrl(url);
  if (typeof parsed === 'string' || parsed.scheme === 'unix' || parsed.scheme === 'unixs') return null;
  return { address: parsed.host === 'localhost' || parsed.host === '' ? '127.0.0.1' : parsed.host, port: parsed.port };
}
