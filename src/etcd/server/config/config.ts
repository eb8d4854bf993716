import { parseDurationUs } from '../../../platform/text/duration.ts';
import type { Behaviour } from '../../behaviour.ts';
import { FEATURE_GATES, FLAGS } from './flag-table.ts';
import { type ParsedFlags, parseBool, parseFlags, type Refusal } from './parse.ts';
import { type EtcdUrl, parseInitialCluster, parseUrls, type UrlsByName } from './urls.ts';

/** Files of one side's TLS; empty names are "not set". */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCertFile: string;
  readonly clientKeyFile: string;
  readonly trustedCaFile: string;
  readonly clientCertAuth: boolean;
}

/** A checked command line. Times in microseconds. */
export interface ServerConfig {
  readonly name: string;
  readonly dataDir: string;
  readonly walDir: string;
  readonly listenPeerUrls: readonly EtcdUrl[];
  readonly listenClientUrls: readonly EtcdUrl[];
  readonly listenMetricsUrls: readonly EtcdUrl[];
  readonly advertisePeerUrls: readonly EtcdUrl[];
  readonly advertiseClientUrls: readonly EtcdUrl[];
  readonly initialCluster: UrlsByName;
  readonly initialClusterToken: string;
  readonly newCluster: boolean;
  readonly forceNewCluster: boolean;
  readonly tickUs: number;
  readonly electionTicks: number;
  readonly initialElectionTickAdvance: boolean;
  readonly preVote: boolean;
  readonly strictReconfigCheck: boolean;
  readonly snapshotCount: number;
  readonly snapshotCatchupEntries: number;
  readonly maxSnapshots: number;
  readonly maxWals: number;
  readonly quotaBackendBytes: number;
  readonly backendBatchIntervalUs: number;
  readonly backendBatchLimit: number;
  readonly maxTxnOps: number;
  readonly maxRequestBytes: number;
  readonly maxLearners: number;
  readonly compactionBatchLimit: number;
  readonly compactionSleepUs: number;
  readonly corruptCheckTimeUs: number;
  readonly compactHashCheck: boolean;
  readonly compactHashCheckTimeUs: number;
  readonly initialCorruptCheck: boolean;
  readonly leaseCheckpoint: boolean;
  readonly leaseCheckpointPersist: boolean;
  readonly stopGrpcServiceOnDefrag: boolean;
  readonly progressNotifyIntervalUs: number;
  readonly autoCompactionMode: 'periodic' | 'revision';
  /** A time for `periodic`, revisions for `revision`; 0: off. */
  readonly autoCompactionRetention: number;
  readonly unsafeNoFsync: boolean;
  /** Variables of the environment that set a flag. */
  readonly variables: readonly string[];
  readonly clientTls: TlsFiles;
  readonly peerTls: TlsFiles;
}

const DEFAULT_QUOTA_BYTES = 2 * 1024 * 1024 * 1024;

/** Parses and checks a whole command line; the refusal that etcd would end with otherwise. */
export function parseConfig(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  behaviour: Behaviour,
): ServerConfig | Refusal {
  const flags = parseFlags(args, env);
  if ('exitCode' in flags) return flags;
  if (flags.values.version === 'true') return { exitCode: 0, lines: [`etcd Version: ${behaviour.serverVersion}`] };
  const wrong = findWrong(flags);
  if (wrong !== null) return refuse(wrong);
  return assemble(flags, behaviour);
}

function refuse(text: string): Refusal {
  return { exitCode: 1, lines: [`failed to verify flags: ${text}`] };
}

/** What does not fit together, in the words of etcd where it has some. */
function findWrong(flags: ParsedFlags): string | null {
  const { values, given } = flags;
  for (const name of Object.keys(FLAGS)) {
    const only = FLAGS[name]!.only;
    if (only !== undefined && !only.includes(values[name]!)) {
      return `--${name}=${values[name]} is not simulated; leave the flag out`;
    }
  }
  const tick = uint(values, 'heartbeat-interval');
  const election = uint(values, 'election-timeout');
  if (tick === 0) return '--heartbeat-interval must be >0 (set to 0ms)';
  if (election === 0) return '--election-timeout must be >0 (set to 0ms)';
  if (5 * tick > election) {
    return `--election-timeout[${election}ms] should be at least as 5 times as --heartbeat-interval[${tick}ms]`;
  }
  if (election > 50000) return `--election-timeout[${election}ms] is too long, and should be set less than 50000ms`;
  if (!['new', 'existing'].includes(values['initial-cluster-state']!)) {
    return `invalid value "${values['initial-cluster-state']}" for flag -initial-cluster-state: invalid value`;
  }
  if (given.has('listen-client-urls') && !given.has('advertise-client-urls')) {
    return '--advertise-client-urls is required when --listen-client-urls is set explicitly';
  }
  for (const name of ['listen-peer-urls', 'listen-client-urls', 'listen-metrics-urls']) {
    const unbound = findUnbindable(values[name]!);
    if (unbound !== null) return `expected IP in URL for binding (${unbound})`;
  }
  return findWrongMode(values);
}

function findWrongMode(values: Readonly<Record<string, string>>): string | null {
  const mode = values['auto-compaction-mode']!;
  if (mode !== 'periodic' && mode !== 'revision') return `unknown auto-compaction-mode "${mode}"`;
  if (retention(values) === null) {
    return `error parsing auto-compaction-retention "${values['auto-compaction-retention']}"`;
  }
  for (const part of gateParts(values)) {
    const [name, value] = part.split('=');
    if (FEATURE_GATES[name!] === undefined) return `unrecognized feature gate: ${name}`;
    if (parseBool(value ?? '') === null) return `invalid value of ${name}=${value ?? ''}, err: strconv.ParseBool`;
  }
  return null;
}

function findUnbindable(list: string): string | null {
  if (list === '') return null;
  for (const url of parseUrls(list) as readonly EtcdUrl[]) {
    if (url.scheme.startsWith('unix') || url.host === 'localhost' || url.host === '') continue;
    if (!/^[0-9.]+$/.test(url.host) && !url.host.includes(':')) return url.text;
  }
  return null;
}

function assemble(flags: ParsedFlags, behaviour: Behaviour): ServerConfig | Refusal {
  const { values, given } = flags;
  const urls = (name: string): readonly EtcdUrl[] =>
    values[name] === '' ? [] : (parseUrls(values[name]!) as readonly EtcdUrl[]);
  const name = values.name!;
  const dataDir = values['data-dir'] === '' ? `${name}.etcd` : values['data-dir']!;
  const tickMs = uint(values, 'heartbeat-interval');
  const text = values['initial-cluster'] === '' ? defaultCluster(values) : values['initial-cluster']!;
  const initialCluster = parseInitialCluster(text);
  if (typeof initialCluster === 'string') return refuse(`error setting up initial cluster: ${initialCluster}`);
  const newer = (now: string, before: string): string =>
    given.has(now) ? values[now]! : given.has(before) ? values[before]! : values[now]!;
  const us = (now: string, before: string): number => parseDurationUs(newer(now, before))!;
  const quota = Number.parseInt(values['quota-backend-bytes']!, 10);
  return {
    name,
    dataDir,
    walDir: values['wal-dir']!,
    listenPeerUrls: urls('listen-peer-urls'),
    listenClientUrls: urls('listen-client-urls'),
    listenMetricsUrls: urls('listen-metrics-urls'),
    advertisePeerUrls: urls('initial-advertise-peer-urls'),
    advertiseClientUrls: urls('advertise-client-urls'),
    initialCluster,
    initialClusterToken: values['initial-cluster-token']!,
    newCluster: values['initial-cluster-state'] === 'new',
    forceNewCluster: bool(values, 'force-new-cluster'),
    tickUs: tickMs * 1000,
    electionTicks: Math.floor(uint(values, 'election-timeout') / tickMs),
    initialElectionTickAdvance: bool(values, 'initial-election-tick-advance'),
    preVote: given.has('pre-vote') ? bool(values, 'pre-vote') : behaviour.preVoteByDefault,
    strictReconfigCheck: bool(values, 'strict-reconfig-check'),
    snapshotCount: given.has('snapshot-count') ? uint(values, 'snapshot-count') : behaviour.snapshotCount,
    snapshotCatchupEntries: Number(newer('snapshot-catchup-entries', 'experimental-snapshot-catchup-entries')),
    maxSnapshots: uint(values, 'max-snapshots'),
    maxWals: uint(values, 'max-wals'),
    quotaBackendBytes: quota === 0 ? DEFAULT_QUOTA_BYTES : quota,
    backendBatchIntervalUs: parseDurationUs(values['backend-batch-interval']!)! || 100_000,
    backendBatchLimit: Number(values['backend-batch-limit']) || 10_000,
    maxTxnOps: uint(values, 'max-txn-ops'),
    maxRequestBytes: uint(values, 'max-request-bytes'),
    maxLearners: Number(newer('max-learners', 'experimental-max-learners')),
    compactionBatchLimit: Number(newer('compaction-batch-limit', 'experimental-compaction-batch-limit')),
    compactionSleepUs: us('compaction-sleep-interval', 'experimental-compaction-sleep-interval'),
    corruptCheckTimeUs: us('corrupt-check-time', 'experimental-corrupt-check-time'),
    compactHashCheck: gate(values, 'CompactHashCheck') || bool(values, 'experimental-compact-hash-check-enabled'),
    compactHashCheckTimeUs: us('compact-hash-check-time', 'experimental-compact-hash-check-time'),
    initialCorruptCheck: gate(values, 'InitialCorruptCheck') || bool(values, 'experimental-initial-corrupt-check'),
    leaseCheckpoint: gate(values, 'LeaseCheckpoint') || bool(values, 'experimental-enable-lease-checkpoint'),
    leaseCheckpointPersist:
      gate(values, 'LeaseCheckpointPersist') || bool(values, 'experimental-enable-lease-checkpoint-persist'),
    stopGrpcServiceOnDefrag:
      gate(values, 'StopGRPCServiceOnDefrag') || bool(values, 'experimental-stop-grpc-service-on-defrag'),
    progressNotifyIntervalUs:
      us('watch-progress-notify-interval', 'experimental-watch-progress-notify-interval') || 600_000_000,
    autoCompactionMode: values['auto-compaction-mode'] as 'periodic' | 'revision',
    autoCompactionRetention: retention(values)!,
    unsafeNoFsync: bool(values, 'unsafe-no-fsync'),
    variables: flags.variables,
    clientTls: tlsFiles(values, ''),
    peerTls: tlsFiles(values, 'peer-'),
  };
}

/** Without `--initial-cluster` a member lists itself, under its name. */
function defaultCluster(values: Readonly<Record<string, string>>): string {
  const urls = values['initial-advertise-peer-urls']!.split(',');
  return urls.map((url) => `${values.name}=${url}`).join(',');
}

function tlsFiles(values: Readonly<Record<string, string>>, prefix: '' | 'peer-'): TlsFiles {
  const clientPrefix = prefix === '' ? 'client-' : 'peer-client-';
  return {
    certFile: values[`${prefix}cert-file`]!,
    keyFile: values[`${prefix}key-file`]!,
    clientCertFile: values[`${clientPrefix}cert-file`]!,
    clientKeyFile: values[`${clientPrefix}key-file`]!,
    trustedCaFile: values[`${prefix}trusted-ca-file`]!,
    clientCertAuth: bool(values, `${prefix}client-cert-auth`),
  };
}

/** The retention as a number: hours when no unit is given and the mode is periodic. Null when it is none. */
function retention(values: Readonly<Record<string, string>>): number | null {
  const text = values['auto-compaction-retention']!;
  if (/^\d+$/.test(text)) {
    const number = Number.parseInt(text, 10);
    return values['auto-compaction-mode'] === 'revision' ? number : number * 3_600_000_000;
  }
  return parseDurationUs(text) ?? null;
}

function gateParts(values: Readonly<Record<string, string>>): readonly string[] {
  return values['feature-gates']!.split(',').filter((part) => part.trim() !== '');
}

function gate(values: Readonly<Record<string, string>>, name: string): boolean {
  for (const part of gateParts(values)) {
    const [key, value] = part.split('=');
    if (key === name) return parseBool(value ?? '') ?? false;
  }
  return FEATURE_GATES[name]!;
}

function uint(values: Readonly<Record<string, string>>, name: string): number {
  return Number.parseInt(values[name]!, 10);
}

function bool(values: Readonly<Record<string, string>>, name: string): boolean {
  return parseBool(values[name]!) ?? false;
}
