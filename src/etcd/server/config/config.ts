import type { Behaviour } from '../../behaviour.ts';
import { FlagValues } from './flag-values.ts';
import { type ParsedFlags, parseFlags, withEnvironment } from './parse.ts';
import { type Refusal, unfit } from './refusal.ts';
import { parseRetention, startProblem } from './start-problem.ts';
import { type EtcdUrl, parseInitialCluster, type UrlsByName } from './urls.ts';
import { findUnfit, notSimulated } from './validate.ts';

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
  /** As it was given; 0: not at all. */
  readonly givenQuotaBytes: number;
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
  /** Variables that look like etcd's and are none, as `NAME=value`. */
  readonly unknownVariables: readonly string[];
  /** What the real program notices only when it starts; null when all is well. */
  readonly startProblem: string | null;
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
  const parsed = parseFlags(args);
  if ('why' in parsed) return parsed;
  if (new FlagValues(parsed).bool('version')) {
    return { why: 'usage', exitCode: 0, lines: [`etcd Version: ${behaviour.serverVersion}`] };
  }
  const flags = withEnvironment(parsed, env);
  if ('why' in flags) return flags;
  const values = new FlagValues(flags);
  const wrong = findUnfit(values) ?? notSimulated(values);
  return wrong === null ? assemble(flags, values, behaviour) : unfit(wrong);
}

function assemble(flags: ParsedFlags, values: FlagValues, behaviour: Behaviour): ServerConfig {
  const name = values.text('name');
  const tickMs = values.number('heartbeat-interval');
  const initialCluster = parseInitialCluster(initialClusterText(values));
  const retention = parseRetention(values);
  const quota = values.number('quota-backend-bytes');
  return {
    name,
    dataDir: values.text('data-dir') === '' ? `${name}.etcd` : values.text('data-dir'),
    walDir: values.text('wal-dir'),
    listenPeerUrls: values.urls('listen-peer-urls'),
    listenClientUrls: values.urls('listen-client-urls'),
    listenMetricsUrls: values.urls('listen-metrics-urls'),
    advertisePeerUrls: values.urls('initial-advertise-peer-urls'),
    advertiseClientUrls: values.urls('advertise-client-urls'),
    initialCluster: typeof initialCluster === 'string' ? new Map() : initialCluster,
    initialClusterToken: values.text('initial-cluster-token'),
    newCluster: values.text('initial-cluster-state') === 'new',
    forceNewCluster: values.bool('force-new-cluster'),
    tickUs: tickMs * 1000,
    electionTicks: Math.floor(values.number('election-timeout') / tickMs),
    initialElectionTickAdvance: values.bool('initial-election-tick-advance'),
    preVote: values.given('pre-vote') ? values.bool('pre-vote') : behaviour.preVoteByDefault,
    strictReconfigCheck: values.bool('strict-reconfig-check'),
    snapshotCount: values.given('snapshot-count') ? values.number('snapshot-count') : behaviour.snapshotCount,
    snapshotCatchupEntries: values.number(values.newer('snapshot-catchup-entries')),
    maxSnapshots: values.number('max-snapshots'),
    maxWals: values.number('max-wals'),
    quotaBackendBytes: quota === 0 ? DEFAULT_QUOTA_BYTES : quota,
    givenQuotaBytes: quota,
    backendBatchIntervalUs: values.durationUs('backend-batch-interval') || 100_000,
    backendBatchLimit: values.number('backend-batch-limit') || 10_000,
    maxTxnOps: values.number('max-txn-ops'),
    maxRequestBytes: values.number('max-request-bytes'),
    maxLearners: values.number(values.newer('max-learners')),
    compactionBatchLimit: values.number(values.newer('compaction-batch-limit')),
    compactionSleepUs: values.durationUs(values.newer('compaction-sleep-interval')),
    corruptCheckTimeUs: values.durationUs(values.newer('corrupt-check-time')),
    compactHashCheck: values.gate('CompactHashCheck'),
    compactHashCheckTimeUs: values.durationUs(values.newer('compact-hash-check-time')),
    initialCorruptCheck: values.gate('InitialCorruptCheck'),
    leaseCheckpoint: values.gate('LeaseCheckpoint'),
    leaseCheckpointPersist: values.gate('LeaseCheckpointPersist'),
    stopGrpcServiceOnDefrag: values.gate('StopGRPCServiceOnDefrag'),
    progressNotifyIntervalUs: values.durationUs(values.newer('watch-progress-notify-interval')) || 600_000_000,
    autoCompactionMode: values.text('auto-compaction-mode') as 'periodic' | 'revision',
    autoCompactionRetention: typeof retention === 'string' ? 0 : retention,
    unsafeNoFsync: values.bool('unsafe-no-fsync'),
    variables: flags.variables,
    unknownVariables: flags.unknownVariables,
    startProblem: startProblem(values, initialCluster, retention),
    clientTls: values.tls(''),
    peerTls: values.tls('peer-'),
  };
}

/** A member that was only given a name lists itself by it; one without a name keeps to the list by default. */
function initialClusterText(values: FlagValues): string {
  const text = values.text('initial-cluster');
  const name = values.text('name');
  if (name === values.initial('name') || text !== values.initial('initial-cluster')) return text;
  return values
    .urls('initial-advertise-peer-urls')
    .map((url) => `${name === '' ? values.initial('name') : name}=${url.text}`)
    .join(',');
}
