/** The check of the cluster endpoint on the command line (reference/lifecycle-api-cli.md F.4 `gen config`). */

import { goQuote } from '../../../platform/text/quote.ts';
import { parseUrl, type Url, urlPort } from '../../../platform/text/url.ts';
import { endpointProblem } from '../../text/url.ts';
import { CommandError } from './workstation.ts';

const DEFAULT_PORT = '6443';

/** Throws `CommandError` unless the endpoint is `https://host[:port]`. */
export function checkEndpoint(endpoint: string): void {
  const url = parseEndpoint(endpoint);
  const hint = `\ntry: ${goQuote(suggestion(url))}`;
  if (url.scheme === '') {
    const missing = urlPort(url) === '' ? 'no scheme and port specified' : 'no scheme specified';
    throw new CommandError(`${missing} for the cluster endpoint URL${hint}`);
  }
  if (url.scheme !== 'https') {
    throw new CommandError(`the control plane endpoint URL should have scheme https://${hint}`);
  }
  const problem = endpointProblem(endpoint);
  if (problem !== undefined) throw new CommandError(`error validating the cluster endpoint URL: ${problem}`);
}

/** `host:port` without slashes is no URL for Go where the host is an address; it is taken for the host then. */
function parseEndpoint(endpoint: string): Url {
  const url = parseUrl(endpoint);
  if (typeof url !== 'string') return url;
  if (endpoint.includes('/')) throw new CommandError(`failed to parse the cluster endpoint URL: ${url}`);
  return { scheme: '', user: '', host: endpoint, path: '', tail: '', opaque: '' };
}

/** The endpoint with scheme and port; what stood in the wrong place (`host:6443` reads as a scheme) stays there. */
function suggestion(url: Url): string {
  if (url.opaque !== '') return `https:${url.opaque}`;
  const isBareHost = url.scheme === '' && url.host === '' && url.path !== '';
  const host = isBareHost ? url.path : url.host;
  const path = isBareHost ? '' : url.path;
  const port = /:\d+$/.test(host) ? '' : `:${DEFAULT_PORT}`;
  return `https://${host}${port}${path}${url.tail}`;
}
