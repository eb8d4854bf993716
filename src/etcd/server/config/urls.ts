import { parseUrl as parseGoUrl } from '../../../platform/text/url.ts';

/** A parsed URL of a flag, e.g. `https://10.0.0.10:2380`. */
export interface EtcdUrl {
  readonly scheme: 'http' | 'https' | 'unix' | 'unixs';
  /** Without brackets around IPv6. */
  readonly host: string;
  readonly port: number;
  readonly text: string;
}

/** Parses one URL; the error's text otherwise (the texts of Go and of etcd's flag parser). */
export function parseUrl(input: string): EtcdUrl | string {
  const text = input.trim();
  const url = parseGoUrl(text);
  if (typeof url === 'string') return url;
  const { scheme } = url;
  if (!isScheme(scheme)) return `URL scheme must be http, https, unix, or unixs: ${text}`;
  const user = url.user === '' ? '' : `${url.user}@`;
  const whole = `${scheme}:${url.opaque}${url.opaque === '' ? '//' : ''}${user}${url.host}${url.path}${url.tail}`;
  if (scheme === 'unix' || scheme === 'unixs') return { scheme, host: url.host, port: 0, text: whole };
  const address = splitHostPort(url.host);
  if (address === null) return `URL address does not have the form "host:port": ${text}`;
  if (url.path !== '') return `URL must not contain a path: ${text}`;
  return { scheme, host: address.host, port: address.port, text: whole };
}

function isScheme(text: string): text is EtcdUrl['scheme'] {
  return text === 'http' || text === 'https' || text === 'unix' || text === 'unixs';
}

/** Splits `host:port` or `[v6]:port`; null when it is neither. */
function splitHostPort(text: string): { readonly host: string; readonly port: number } | null {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):([0-9]*)$/.exec(text);
  if (match === null) return null;
  const port = Number.parseInt(match[3]!, 10);
  return { host: match[1] ?? match[2] ?? '', port: Number.isNaN(port) ? 0 : port };
}

/** Parses a comma separated list, sorted by text as etcd keeps it. */
export function parseUrls(list: string): readonly EtcdUrl[] | string {
  const urls: EtcdUrl[] = [];
  for (const text of list.split(',')) {
    const url = parseUrl(text);
    if (typeof url === 'string') return url;
    urls.push(url);
  }
  return urls.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}

/** Without repetitions. The list is sorted. */
export function distinctUrls(urls: readonly EtcdUrl[]): readonly EtcdUrl[] {
  return urls.filter((url, i) => url.text !== urls[i - 1]?.text);
}

/** Texts of URLs. */
export function urlTexts(urls: readonly EtcdUrl[]): readonly string[] {
  return urls.map((url) => url.text);
}

/** Members by name, as `--initial-cluster` lists them: a name may come several times. */
export type UrlsByName = ReadonlyMap<string, readonly EtcdUrl[]>;

/** Parses `a=http://1.2.3.4:2380,b=…`; the error's text otherwise. What stands between commas may be nothing. */
export function parseInitialCluster(text: string): UrlsByName | string {
  const byName = new Map<string, string[]>();
  for (const part of text.split(',')) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    const name = cut < 0 ? part : part.slice(0, cut);
    const url = cut < 0 ? '' : part.slice(cut + 1);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [url]);
    else known.push(url);
  }
  const result = new Map<string, readonly EtcdUrl[]>();
  for (const [name, texts] of byName) {
    const urls = parseUrls(texts.join(','));
    if (typeof urls === 'string') return urls;
    result.set(name, urls);
  }
  return result;
}

/** `a=http://…,b=http://…` with names in order, as etcd prints the list in messages. */
export function describeCluster(cluster: UrlsByName): string {
  const parts: string[] = [];
  for (const name of [...cluster.keys()].sort()) {
    for (const url of cluster.get(name)!) parts.push(`${name}=${url.text}`);
  }
  return parts.sort().join(',');
}
