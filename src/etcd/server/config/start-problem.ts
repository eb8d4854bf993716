import { parseDuration } from '../../../platform/text/duration.ts';
import { parseInteger } from '../../../platform/text/integer.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import type { FlagValues } from './flag-values.ts';
import type { UrlsByName } from './urls.ts';

/** Go's names of the suites that can be chosen. */
const CIPHER_SUITES: readonly string[] = Object.freeze([
  'TLS_RSA_WITH_RC4_128_SHA',
  'TLS_RSA_WITH_3DES_EDE_CBC_SHA',
  'TLS_RSA_WITH_AES_128_CBC_SHA',
  'TLS_RSA_WITH_AES_256_CBC_SHA',
  'TLS_RSA_WITH_AES_128_CBC_SHA256',
  'TLS_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_RC4_128_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_RSA_WITH_RC4_128_SHA',
  'TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
]);

/**
 * What only shows when the real program starts, after its flags passed: it ends with the same code, but says that it
 * failed to start. Null when all is well.
 */
export function startProblem(
  values: FlagValues,
  initialCluster: UrlsByName | string,
  retention: number | string,
): string | null {
  const suites = values.text('cipher-suites').split(',');
  const unknown = suites.find((suite) => suite !== '' && !CIPHER_SUITES.includes(suite));
  if (unknown !== undefined) return `unexpected TLS cipher suite ${goQuote(unknown)}`;
  const unsecured = unsecuredUrl(values);
  if (unsecured !== null) return unsecured;
  if (typeof initialCluster === 'string') return `error setting up initial cluster: ${initialCluster}`;
  if (typeof retention === 'string') return `error parsing CompactionRetention: ${retention}`;
  const token = values.text('auth-token').split(',')[0];
  return token === 'simple' || token === '' ? null : 'auth: invalid auth options';
}

/** An address that is to be secured without a certificate, or with half of one. */
function unsecuredUrl(values: FlagValues): string | null {
  for (const [name, prefix] of [
    ['listen-peer-urls', 'peer-'],
    ['listen-client-urls', ''],
    ['listen-metrics-urls', ''],
  ] as const) {
    const url = values.urls(name).find(({ scheme }) => scheme === 'https' || scheme === 'unixs');
    const { certFile, keyFile } = values.tls(prefix);
    if (url === undefined || (certFile !== '' && keyFile !== '')) continue;
    if (certFile !== '' || keyFile !== '') {
      return `KeyFile and CertFile must both be present[key: ${keyFile}, cert: ${certFile}]`;
    }
    if (name === 'listen-client-urls') {
      return `TLS key/cert (--cert-file, --key-file) must be provided for client url ${url.text} with HTTPS scheme`;
    }
    return `cannot listen on TLS for ${url.host}:${url.port}: KeyFile and CertFile are not presented`;
  }
  return null;
}

/** How much of the past is kept: microseconds for `periodic`, revisions for `revision`; Go's error otherwise. */
export function parseRetention(values: FlagValues): number | string {
  const text = values.text('auto-compaction-retention');
  const isRevision = values.text('auto-compaction-mode') === 'revision';
  if (/^[+]?\d+$/.test(text)) {
    const number = Number(parseInteger(text.replace(/^[+]?0*(?=\d)/, ''), 'int'));
    return isRevision ? number : number * 3_600_000_000;
  }
  const duration = parseDuration(text === '' ? '0' : text);
  if (typeof duration === 'string') return duration;
  // A time in the place of a number of revisions counts its nanoseconds.
  return isRevision ? Number(duration) : Number(duration / 1000n);
}
