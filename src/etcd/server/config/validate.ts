import { goQuote } from '../../../platform/text/quote.ts';
import { ipBytes } from '../../../platform/x509/ip.ts';
import { FLAGS, GATED_FLAGS } from './flag-table.ts';
import type { FlagValues } from './flag-values.ts';
import { UNSET_ADVERTISE } from './refusal.ts';
import { type EtcdUrl, urlTexts } from './urls.ts';

const LOG_LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'dpanic', 'panic', 'fatal'];
const TLS_VERSIONS: readonly string[] = ['', 'TLS1.2', 'TLS1.3'];

/** What does not fit together, in the words of etcd 3.6 and in the order in which it looks; null when all does. */
export function findUnfit(values: FlagValues): string | null {
  return (
    bothOldAndNew(values) ??
    wrongLogging(values) ??
    wrongUrls(values) ??
    wrongDiscovery(values) ??
    wrongTiming(values) ??
    wrongRest(values)
  );
}

/** Flags that went from `experimental-…` to a name without it, or to a gate, may be given only once. */
function bothOldAndNew(values: FlagValues): string | null {
  const warning = 'warning-unary-request-duration';
  if (values.durationUs(warning) !== 0 && values.durationUs(`experimental-${warning}`) !== 0) {
    return `both --experimental-${warning} and --${warning} flags are set. Use only --${warning}`;
  }
  const gates = values.text('feature-gates');
  for (const flag of Object.keys(GATED_FLAGS)) {
    const gate = GATED_FLAGS[flag]!;
    if (!values.given(flag) || !gates.includes(gate)) continue;
    const setting = `--feature-gates=${gate}=${new RegExp(`${gate}\\s*=\\s*([^,\\s]*)`).exec(gates)?.[1] ?? ''}`;
    return `cannot specify both flags: --${flag}=${values.bool(flag)} and ${setting} at the same time, please just use ${setting}`;
  }
  if (values.text('discovery-fallback') === 'proxy') {
    return 'v2 proxy is deprecated, and --discovery-fallback can\'t be configured as "proxy"';
  }
  for (const name of Object.keys(FLAGS)) {
    if (name === warning || !values.given(name) || !values.given(`experimental-${name}`)) continue;
    return `cannot set --experimental-${name} and --${name} at the same time, please use --${name} only`;
  }
  return null;
}

function wrongLogging(values: FlagValues): string | null {
  if (values.text('logger') !== 'zap') return `unknown logger option ${goQuote(values.text('logger'))}`;
  const level = values.text('log-level');
  if (!LOG_LEVELS.includes(level.toLowerCase())) return `unrecognized level: ${goQuote(level)}`;
  const format = values.text('log-format');
  return ['json', 'console'].includes(format) ? null : `unknown log format: ${format}, supported values json, console`;
}

function wrongUrls(values: FlagValues): string | null {
  for (const name of ['listen-peer-urls', 'listen-client-urls', 'listen-client-http-urls', 'listen-metrics-urls']) {
    const unbindable = values.urls(name).find((url) => !isBindable(url));
    if (unbindable !== undefined) return `expected IP in URL for binding (${unbindable.text})`;
  }
  for (const name of ['initial-advertise-peer-urls', 'advertise-client-urls']) {
    // With listen URLs and none to advertise, those by default do not count.
    if (name === 'advertise-client-urls' && lacksAdvertised(values)) continue;
    const urls = values.urls(name);
    const nowhere = urls.find((url) => url.host === '');
    if (nowhere === undefined) continue;
    return `--${name} ${goQuote(urlTexts(urls).join(','))} must be "host:port" (unexpected empty host (${nowhere.text}))`;
  }
  return null;
}

function isBindable(url: EtcdUrl): boolean {
  return url.scheme.startsWith('unix') || url.host === 'localhost' || ipBytes(url.host) !== null;
}

function lacksAdvertised(values: FlagValues): boolean {
  return values.given('listen-client-urls') && !values.given('advertise-client-urls');
}

function wrongDiscovery(values: FlagValues): string | null {
  const has = (name: string): boolean => values.text(name) !== '';
  const ways = ['discovery', 'discovery-srv', 'discovery-endpoints'].filter(has).length;
  const listed = values.given('initial-cluster') ? has('initial-cluster') : ways === 0 && !has('discovery-srv-name');
  if (ways + (listed ? 1 : 0) > 1) {
    return 'multiple discovery or bootstrap flags are set. Choose one of "initial-cluster", "discovery", "discovery-endpoints" or "discovery-srv"';
  }
  const third = ['endpoints', 'token', 'cert', 'key', 'cacert', 'user', 'password'];
  if (has('discovery-proxy') && third.some((name) => has(`discovery-${name}`))) {
    return 'both v2 discovery settings (discovery, discovery-proxy) and v3 discovery settings (discovery-token, discovery-endpoints, discovery-cert, discovery-key, discovery-cacert, discovery-user, discovery-password) are set';
  }
  if (has('discovery-token') === has('discovery-endpoints')) return null;
  return 'both --discovery-token and --discovery-endpoints must be set';
}

function wrongTiming(values: FlagValues): string | null {
  const tick = values.number('heartbeat-interval');
  const election = values.number('election-timeout');
  if (tick === 0) return '--heartbeat-interval must be >0 (set to 0ms)';
  if (election === 0) return '--election-timeout must be >0 (set to 0ms)';
  if (5 * tick > election) {
    return `--election-timeout[${election}ms] should be at least as 5 times as --heartbeat-interval[${tick}ms]`;
  }
  return election > 50000 ? `--election-timeout[${election}ms] is too long, and should be set less than 50000ms` : null;
}

function wrongRest(values: FlagValues): string | null {
  if (lacksAdvertised(values)) return UNSET_ADVERTISE;
  const mode = values.text('auto-compaction-mode');
  if (mode === '') return 'undefined auto-compaction-mode';
  if (mode !== 'periodic' && mode !== 'revision') return `unknown auto-compaction-mode ${goQuote(mode)}`;
  if (values.gate('LeaseCheckpointPersist') && !values.gate('LeaseCheckpoint')) {
    return 'enabling feature gate LeaseCheckpointPersist requires enabling feature gate LeaseCheckpoint';
  }
  for (const name of ['experimental-compact-hash-check-time', 'compact-hash-check-time']) {
    if (values.durationUs(name) <= 0) return `--${name} must be >0 (set to ${values.text(name)})`;
  }
  return wrongTls(values);
}

function wrongTls(values: FlagValues): string | null {
  const [min, max] = [values.text('tls-min-version'), values.text('tls-max-version')];
  for (const version of [min, max]) {
    if (TLS_VERSIONS.includes(version)) continue;
    return `unexpected TLS version ${goQuote(version)} (must be one of: TLS1.2, TLS1.3)`;
  }
  if (max !== '' && min > max) return `min version (${min}) is greater than max version (${max})`;
  if (min !== 'TLS1.3' || values.text('cipher-suites') === '') return null;
  return 'cipher suites cannot be configured when only TLS1.3 is enabled';
}

/** What etcd would take and this one cannot do; null when there is nothing of that kind. */
export function notSimulated(values: FlagValues): string | null {
  for (const name of Object.keys(FLAGS)) {
    const { only } = FLAGS[name]!;
    if (only === undefined || only.includes(values.text(name))) continue;
    return `--${name}=${values.text(name)} is not simulated; leave the flag out`;
  }
  if (!values.text('auth-token').startsWith('jwt')) return null;
  return `--auth-token=${values.text('auth-token')} is not simulated; leave the flag out`;
}
