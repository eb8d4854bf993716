import type { Endpoint } from '../../platform/net.ts';
import { goQuote } from '../../platform/text/quote.ts';
import { parseUrl, type Url, urlHostname, urlPort } from '../../platform/text/url.ts';
import { KubectlFailure } from './session.ts';

/** Where an API server is asked, from what a kubeconfig or `--server` says. */
export interface ApiServer {
  /** Host and port as they were written: `10.0.0.5:6443`. */
  readonly shown: string;
  readonly endpoint: Endpoint;
  readonly isTls: boolean;
}

const MAX_PORT = 65_535;

/**
 * Reads a URL, or a host with or without a port, which is asked over TLS. An empty host is this one, as Go's dialer has it.
 * Throws KubectlFailure in client-go's words (`rest.DefaultServerURL`).
 */
export function readApiServer(text: string): ApiServer {
  const whole = parseUrl(text);
  const url = isWhole(whole) ? whole : parseUrl(`https://${text}`);
  if (typeof url === 'string') {
    throw new KubectlFailure(`Unable to connect to the server: ${url.slice(url.lastIndexOf('": ') + '": '.length)}`);
  }
  if (!isWhole(whole) && url.path !== '' && url.path !== '/') {
    throw new KubectlFailure(`error: host must be a URL or a host:port pair: ${goQuote(text)}`);
  }
  const isTls = url.scheme !== 'http';
  const port = Number(urlPort(url) === '' ? (isTls ? 443 : 80) : urlPort(url));
  if (port > MAX_PORT)
    throw new KubectlFailure(`Unable to connect to the server: dial tcp: address ${port}: invalid port`);
  return { shown: url.host, endpoint: { address: urlHostname(url) || '127.0.0.1', port }, isTls };
}

function isWhole(url: Url | string): url is Url {
  return typeof url !== 'string' && url.scheme !== '' && url.host !== '';
}
