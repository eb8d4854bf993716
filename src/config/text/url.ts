/** What configs ask of URLs beside what Go's parser does. */
import { formatUrl, parseUrl, urlHostname, urlPort } from '../../platform/text/url.ts';

/** Canonical text of a URL, in the form codecs return. */
export function normalizeUrl(text: string): { readonly value: string } | { readonly error: string } {
  const url = parseUrl(text);
  return typeof url === 'string' ? { error: url } : { value: formatUrl(url) };
}

/** The stricter endpoint check of the `siderolabs/net` library; undefined when it passes. */
export function endpointProblem(text: string): string | undefined {
  const url = parseUrl(text);
  if (typeof url === 'string') {
    return url;
  }
  const colons = url.host.split(':').length - 1;
  if (colons > 2 && !(url.host.includes('[') && url.host.includes(']'))) {
    return 'IPv6 addresses MUST be enclosed by square brackets';
  }
  if (urlHostname(url) === '') {
    return 'hostname must not be blank';
  }
  const port = urlPort(url);
  if (port !== '' && (Number(port) < 1 || Number(port) > 65535)) {
    return 'port number must be between 1 and 65535';
  }
  return undefined;
}
