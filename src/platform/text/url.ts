/** URLs as Go's `net/url` parses and prints them, as far as they are needed. */
import { goQuote } from './quote.ts';

export interface Url {
  /** Lower case, empty when absent. */
  readonly scheme: string;
  readonly user: string;
  /** Host with brackets and port, as written. */
  readonly host: string;
  readonly path: string;
  /** `?…` and `#…` as written. */
  readonly tail: string;
  /** What follows the scheme when it is not a path, e.g. `mailto:x`. */
  readonly opaque: string;
}

/** Parses, or says what is wrong in Go's words (`parse "…": …`). */
export function parseUrl(text: string): Url | string {
  const problem = urlProblem(text);
  if (problem !== undefined) {
    return `parse ${goQuote(text)}: ${problem}`;
  }
  const tailAt = text.search(/[?#]/);
  const body = tailAt === -1 ? text : text.slice(0, tailAt);
  const tail = tailAt === -1 ? '' : text.slice(tailAt);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(body)?.[1] ?? '';
  const rest = scheme === '' ? body : body.slice(scheme.length + 1);
  const base = { scheme: scheme.toLowerCase(), user: '', host: '', path: '', tail, opaque: '' };
  if (scheme !== '' && rest !== '' && !rest.startsWith('/')) {
    return { ...base, opaque: rest };
  }
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) {
    return { ...base, path: rest };
  }
  const slash = rest.indexOf('/', 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  const at = authority.lastIndexOf('@');
  return {
    ...base,
    user: at === -1 ? '' : authority.slice(0, at),
    host: at === -1 ? authority : authority.slice(at + 1),
    path: slash === -1 ? '' : rest.slice(slash),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what Go refuses
const CONTROL = /[\u0000-\u001F\u007F]/;

function urlProblem(text: string): string | undefined {
  if (CONTROL.test(text)) {
    return 'net/url: invalid control character in URL';
  }
  const badEscape = /%(?![0-9A-Fa-f]{2})(.{0,2})/.exec(text.replace(/\?[^#]*/, ''));
  if (badEscape !== null) {
    return `invalid URL escape ${goQuote(`%${badEscape[1]}`)}`;
  }
  if (text.startsWith(':')) {
    return 'missing protocol scheme';
  }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  const rest = scheme === null ? text : text.slice(scheme[0].length);
  if (scheme === null && /^[^/?#]*:/.test(rest)) {
    return 'first path segment in URL cannot contain colon';
  }
  return rest.startsWith('//') ? hostProblem(/^\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(rest)![1]!) : undefined;
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end === -1) {
      return "missing ']' in host";
    }
    return portProblem(host.slice(end + 1));
  }
  const bad = /[ "<>\\^`{|}]/.exec(host);
  if (bad !== null) {
    return `invalid character ${goQuote(bad[0])} in host name`;
  }
  const colon = host.lastIndexOf(':');
  return colon === -1 ? undefined : portProblem(host.slice(colon));
}

function portProblem(text: string): string | undefined {
  return /^(:[0-9]*)?$/.test(text) ? undefined : `invalid port ${goQuote(text)} after host`;
}

/** Text of a parsed URL. */
export function formatUrl(url: Url): string {
  const scheme = url.scheme === '' ? '' : `${url.scheme}:`;
  if (url.opaque !== '') {
    return `${scheme}${url.opaque}${url.tail}`;
  }
  const user = url.user === '' ? '' : `${url.user}@`;
  const authority = url.host === '' && url.user === '' ? '' : `//${user}${url.host}`;
  const slashes = authority === '' && url.scheme !== '' && url.path.startsWith('/') ? '//' : '';
  return `${scheme}${authority}${slashes}${url.path}${url.tail}`;
}

/** Host name without brackets and port. */
export function urlHostname(url: Url): string {
  return splitHost(url.host)[0];
}

/** Port digits, empty when absent. */
export function urlPort(url: Url): string {
  return splitHost(url.host)[1];
}

function splitHost(host: string): readonly [string, string] {
  const port = /:([0-9]*)$/.exec(host);
  const end = host.lastIndexOf(']');
  const hasPort = port !== null && port.index > end && (end !== -1 || !host.slice(0, port.index).includes(']'));
  const name = hasPort ? host.slice(0, port.index) : host;
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return [bare, hasPort ? port[1]! : ''];
}
