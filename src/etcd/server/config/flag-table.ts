/** How a flag's value is written. `ignored` flags are of releases long gone: taken with any value, and forgotten. */
export type FlagKind =
  | 'text'
  | 'bool'
  | 'uint'
  | 'uint32'
  | 'int'
  | 'duration'
  | 'urls'
  | 'origins'
  | 'gates'
  | 'ignored';

export interface FlagSpec {
  readonly kind: FlagKind;
  readonly initial: string;
  /** Set for a feature that is not simulated: any value but these is refused by the flag's name. */
  readonly only?: readonly string[];
  /** The only values that the real program takes. */
  readonly choices?: readonly string[];
}

function flag(kind: FlagKind, initial: string, only?: readonly string[]): FlagSpec {
  return only === undefined ? { kind, initial } : { kind, initial, only };
}

function choice(initial: string, choices: readonly string[], only?: readonly string[]): FlagSpec {
  return { ...flag('text', initial, only), choices };
}

const IGNORED: FlagSpec = Object.freeze({ kind: 'ignored', initial: '' });

/**
 * The command line of etcd 3.6 (reference/etcd.md D, `etcd --help`). Flags that only tune logging, tracing or Go's
 * runtime are accepted and have no effect here; those whose feature is missing accept only the value that leaves it off.
 */
export const FLAGS: Readonly<Record<string, FlagSpec>> = Object.freeze({
  // Member
  name: flag('text', 'default'),
  'data-dir': flag('text', ''),
  'wal-dir': flag('text', ''),
  'snapshot-count': flag('uint', '10000'),
  'heartbeat-interval': flag('uint', '100'),
  'election-timeout': flag('uint', '1000'),
  'initial-election-tick-advance': flag('bool', 'true'),
  'listen-peer-urls': flag('urls', 'http://localhost:2380'),
  'listen-client-urls': flag('urls', 'http://localhost:2379'),
  'listen-client-http-urls': flag('urls', '', ['']),
  'max-snapshots': flag('uint', '5'),
  'max-wals': flag('uint', '5'),
  'memory-mlock': flag('bool', 'false'),
  'quota-backend-bytes': flag('int', '0'),
  'backend-bbolt-freelist-type': flag('text', 'map'),
  'backend-batch-interval': flag('duration', '0s'),
  'backend-batch-limit': flag('int', '0'),
  'max-txn-ops': flag('uint', '128'),
  'max-request-bytes': flag('uint', '1572864'),
  'max-concurrent-streams': flag('uint32', '4294967295'),
  'enable-grpc-gateway': flag('bool', 'true'),
  'grpc-keepalive-min-time': flag('duration', '5s'),
  'grpc-keepalive-interval': flag('duration', '2h0m0s'),
  'grpc-keepalive-timeout': flag('duration', '20s'),
  'raft-read-timeout': flag('duration', '5s'),
  'raft-write-timeout': flag('duration', '5s'),
  'socket-reuse-port': flag('bool', 'false', ['false']),
  'socket-reuse-address': flag('bool', 'false', ['false']),
  // Clustering
  'initial-advertise-peer-urls': flag('urls', 'http://localhost:2380'),
  'initial-cluster': flag('text', 'default=http://localhost:2380'),
  'initial-cluster-state': choice('new', ['new', 'existing']),
  'initial-cluster-token': flag('text', 'etcd-cluster'),
  'advertise-client-urls': flag('urls', 'http://localhost:2379'),
  discovery: flag('text', '', ['']),
  'discovery-token': flag('text', '', ['']),
  'discovery-endpoints': flag('text', '', ['']),
  'discovery-srv': flag('text', '', ['']),
  'discovery-srv-name': flag('text', '', ['']),
  'discovery-fallback': choice('exit', ['exit', 'proxy']),
  'discovery-proxy': flag('text', '', ['']),
  'discovery-dial-timeout': flag('duration', '2s'),
  'discovery-request-timeout': flag('duration', '5s'),
  'discovery-keepalive-time': flag('duration', '2s'),
  'discovery-keepalive-timeout': flag('duration', '6s'),
  'discovery-insecure-transport': flag('bool', 'true'),
  'discovery-insecure-skip-tls-verify': flag('bool', 'false'),
  'discovery-cert': flag('text', '', ['']),
  'discovery-key': flag('text', '', ['']),
  'discovery-cacert': flag('text', '', ['']),
  'discovery-user': flag('text', '', ['']),
  'discovery-password': flag('text', '', ['']),
  'strict-reconfig-check': flag('bool', 'true'),
  'pre-vote': flag('bool', 'true'),
  'auto-compaction-retention': flag('text', '0'),
  'auto-compaction-mode': flag('text', 'periodic'),
  'v2-deprecation': choice('write-only', ['write-only', 'write-only-drop-data', 'gone']),
  // Security
  'cert-file': flag('text', ''),
  'key-file': flag('text', ''),
  'client-cert-file': flag('text', ''),
  'client-key-file': flag('text', ''),
  'client-cert-auth': flag('bool', 'false'),
  'client-crl-file': flag('text', '', ['']),
  'client-cert-allowed-hostname': flag('text', '', ['']),
  'trusted-ca-file': flag('text', ''),
  'auto-tls': flag('bool', 'false', ['false']),
  'peer-cert-file': flag('text', ''),
  'peer-key-file': flag('text', ''),
  'peer-client-cert-file': flag('text', ''),
  'peer-client-key-file': flag('text', ''),
  'peer-client-cert-auth': flag('bool', 'false'),
  'peer-trusted-ca-file': flag('text', ''),
  'peer-cert-allowed-cn': flag('text', '', ['']),
  'peer-cert-allowed-hostname': flag('text', '', ['']),
  'peer-crl-file': flag('text', '', ['']),
  'peer-skip-client-san-verification': flag('bool', 'false', ['false']),
  'peer-auto-tls': flag('bool', 'false', ['false']),
  'self-signed-cert-validity': flag('uint', '1'),
  'cipher-suites': flag('text', ''),
  cors: flag('origins', '*'),
  'host-whitelist': flag('text', '*'),
  'tls-min-version': flag('text', 'TLS1.2'),
  'tls-max-version': flag('text', ''),
  'auth-token': flag('text', 'simple'),
  'bcrypt-cost': flag('uint', '10'),
  'auth-token-ttl': flag('uint', '300'),
  // Profiling, monitoring, logging
  'enable-pprof': flag('bool', 'false', ['false']),
  metrics: flag('text', 'basic'),
  'listen-metrics-urls': flag('urls', ''),
  logger: flag('text', 'zap'),
  'log-outputs': flag('text', 'default'),
  'log-level': flag('text', 'info'),
  'log-format': flag('text', 'json'),
  'enable-log-rotation': flag('bool', 'false'),
  'log-rotation-config-json': flag(
    'text',
    '{"maxsize":100,"maxage":0,"maxbackups":0,"localtime":false,"compress":false}',
  ),
  'warning-unary-request-duration': flag('duration', '0s'),
  // Operation
  version: flag('bool', 'false'),
  'config-file': flag('text', '', ['']),
  'force-new-cluster': flag('bool', 'false'),
  'unsafe-no-fsync': flag('bool', 'false'),
  'max-learners': flag('int', '1'),
  'snapshot-catchup-entries': flag('uint', '5000'),
  'compaction-batch-limit': flag('int', '1000'),
  'compaction-sleep-interval': flag('duration', '10ms'),
  'corrupt-check-time': flag('duration', '0s'),
  'compact-hash-check-time': flag('duration', '1m0s'),
  'downgrade-check-time': flag('duration', '5s'),
  'watch-progress-notify-interval': flag('duration', '0s'),
  'warning-apply-duration': flag('duration', '100ms'),
  'bootstrap-defrag-threshold-megabytes': flag('uint', '0', ['0']),
  'feature-gates': flag('gates', ''),
  'enable-distributed-tracing': flag('bool', 'false', ['false']),
  'distributed-tracing-address': flag('text', 'localhost:4317'),
  'distributed-tracing-service-name': flag('text', 'etcd'),
  'distributed-tracing-instance-id': flag('text', ''),
  'distributed-tracing-sampling-rate': flag('int', '0'),
  // Names that 3.6 still accepts beside the new ones
  'experimental-initial-corrupt-check': flag('bool', 'false'),
  'experimental-corrupt-check-time': flag('duration', '0s'),
  'experimental-compact-hash-check-enabled': flag('bool', 'false'),
  'experimental-compact-hash-check-time': flag('duration', '1m0s'),
  'experimental-enable-lease-checkpoint': flag('bool', 'false'),
  'experimental-enable-lease-checkpoint-persist': flag('bool', 'false'),
  'experimental-compaction-batch-limit': flag('int', '1000'),
  'experimental-compaction-sleep-interval': flag('duration', '10ms'),
  'experimental-downgrade-check-time': flag('duration', '5s'),
  'experimental-warning-apply-duration': flag('duration', '100ms'),
  'experimental-warning-unary-request-duration': flag('duration', '0s'),
  'experimental-watch-progress-notify-interval': flag('duration', '0s'),
  'experimental-memory-mlock': flag('bool', 'false'),
  'experimental-txn-mode-write-with-shared-buffer': flag('bool', 'true'),
  'experimental-bootstrap-defrag-threshold-megabytes': flag('uint', '0', ['0']),
  'experimental-max-learners': flag('int', '1'),
  'experimental-snapshot-catchup-entries': flag('uint', '5000'),
  'experimental-stop-grpc-service-on-defrag': flag('bool', 'false'),
  'experimental-peer-skip-client-san-verification': flag('bool', 'false', ['false']),
  'experimental-enable-distributed-tracing': flag('bool', 'false', ['false']),
  'experimental-distributed-tracing-address': flag('text', 'localhost:4317'),
  'experimental-distributed-tracing-service-name': flag('text', 'etcd'),
  'experimental-distributed-tracing-instance-id': flag('text', ''),
  'experimental-distributed-tracing-sampling-rate': flag('int', '0'),
  // Of releases long gone
  'cluster-active-size': IGNORED,
  'cluster-remove-delay': IGNORED,
  'cluster-sync-interval': IGNORED,
  config: IGNORED,
  force: IGNORED,
  'max-result-buffer': IGNORED,
  'max-retry-attempts': IGNORED,
  'peer-heartbeat-interval': IGNORED,
  'peer-election-timeout': IGNORED,
  'retry-interval': IGNORED,
  snapshot: IGNORED,
  v: IGNORED,
  vv: IGNORED,
});

/** Feature gates of 3.6 with their defaults; those not listed do not exist. */
export const FEATURE_GATES: Readonly<Record<string, boolean>> = Object.freeze({
  AllAlpha: false,
  AllBeta: false,
  CompactHashCheck: false,
  InitialCorruptCheck: false,
  LeaseCheckpoint: false,
  LeaseCheckpointPersist: false,
  SetMemberLocalAddr: false,
  StopGRPCServiceOnDefrag: false,
  TxnModeWriteWithSharedBuffer: true,
});

/** Flags of 3.5 and the gates that came in their place; both at once are refused. */
export const GATED_FLAGS: Readonly<Record<string, string>> = Object.freeze({
  'experimental-stop-grpc-service-on-defrag': 'StopGRPCServiceOnDefrag',
  'experimental-initial-corrupt-check': 'InitialCorruptCheck',
  'experimental-compact-hash-check-enabled': 'CompactHashCheck',
  'experimental-txn-mode-write-with-shared-buffer': 'TxnModeWriteWithSharedBuffer',
  'experimental-enable-lease-checkpoint': 'LeaseCheckpoint',
  'experimental-enable-lease-checkpoint-persist': 'LeaseCheckpointPersist',
});
