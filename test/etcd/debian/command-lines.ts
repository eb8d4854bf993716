/** A command line that etcd does not start with. */
export interface BadLine {
  readonly line: string;
  readonly env: Readonly<Record<string, string>>;
  /** What 3.6 says where 3.4 says something else. */
  readonly now?: string;
}

/** Shows that what stands before it was taken: etcd looks at times after that. */
const END = '--heartbeat-interval=0';

/** A member's own addresses; `N` is another port for each line. */
const OWN =
  '--listen-peer-urls=http://127.0.66.31:N --listen-client-urls=http://127.0.66.32:N --advertise-client-urls=http://a:1';

/** Found by the flag package, before anything is looked at as a whole. */
const USAGE: readonly string[] = [
  ...['--nonsense', '--nonsense=1', '-nonsense', '---name=a', '--=x', '-=x', '--name', '-name', '--name=a --data-dir'],
  ...['--snapshot-count=x', '--snapshot-count=-1', '--snapshot-count=1.5', '--snapshot-count=08', '--snapshot-count='],
  ...['--quota-backend-bytes=1G', '--quota-backend-bytes=99999999999999999999', '--backend-batch-limit=x'],
  ...['--max-txn-ops=-1', '--max-concurrent-streams=x', '--max-concurrent-streams=4294967296', '--bcrypt-cost=x'],
  ...['--heartbeat-interval=abc', '--grpc-keepalive-min-time=5', '--grpc-keepalive-min-time=abc', '--auth-token-ttl=x'],
  ...['--pre-vote=maybe', '--force-new-cluster=2', '--client-cert-auth=yes', '--version=maybe'],
  ...['--listen-peer-urls=nonsense', '--listen-peer-urls=127.0.0.1:2380', '--listen-peer-urls=localhost:2380'],
  ...['--listen-peer-urls=http://127.0.0.1', '--listen-peer-urls=ftp://127.0.0.1:2380', '--listen-peer-urls=:2380'],
  ...['--listen-peer-urls=http://127.0.0.1:abc', '--listen-peer-urls=http://[::1:2380', '--listen-metrics-urls=x'],
  ...['--listen-peer-urls=http://127.0.0.1:2380/path', '--listen-peer-urls=http://%zz:2380', '--cors=nonsense'],
  ...['--listen-peer-urls=http://127.0.0.1:1,,http://127.0.0.1:2', '--advertise-client-urls=http://a:1,b'],
  ...['--initial-cluster-state=old', '--initial-cluster-state=', '--discovery-fallback=nothing'],
  ...['--experimental-compaction-batch-limit=x', '--experimental-watch-progress-notify-interval=1'],
];

/** Well-formed, but wrong; those with {@link END} show what is taken. */
const UNFIT: readonly string[] = [
  ...['--heartbeat-interval=0', '--election-timeout=0', '--election-timeout=50001', '--heartbeat-interval=300'],
  ...['--heartbeat-interval=100 --election-timeout=400', '--version=false --heartbeat-interval=0'],
  ...['--listen-peer-urls=http://example.com:2380', '--listen-peer-urls=http://:2380'],
  ...['--listen-client-urls=http://example.com:1 --advertise-client-urls=http://a:1'],
  ...['--listen-metrics-urls=http://example.com:1', '--listen-peer-urls=http://1.2.3:2380'],
  ...['--initial-advertise-peer-urls=http://:2380', '--advertise-client-urls=http://:2379,http://a:1'],
  ...['--listen-client-urls=http://127.0.0.1:2379', '--auto-compaction-mode=weekly', '--logger=nothing'],
  ...[`--snapshot-count=0x10 ${END}`, `--snapshot-count=1_000 ${END}`, `--snapshot-count=010 ${END}`],
  ...[`--listen-peer-urls= ${END}`, `--listen-peer-urls=HTTP://127.0.0.1:1 ${END}`, `--advertise-client-urls= ${END}`],
  ...[`--listen-peer-urls=http://a@127.0.0.1:2380 ${END}`, `--listen-peer-urls=http://127.0.0.1:2380?x=1 ${END}`],
  ...[`--listen-client-urls=http://127.0.0.1:1 --advertise-client-urls= ${END}`, `--initial-cluster=,,x ${END}`],
  ...[`--cluster-active-size=3 -v ${END}`, `--cors=* ${END}`, `--cipher-suites=NONSENSE ${END}`],
];

/** What shows only when the start begins. */
const START: readonly string[] = [
  ...['--initial-cluster=', '--initial-cluster=,,', '--initial-cluster=x', '--initial-cluster=default='],
  ...['--initial-cluster=default=x', '--initial-cluster=default=http://localhost', '--initial-cluster=a=http://a:1'],
  ...['--initial-cluster=default=http://127.0.0.1:2380', '--initial-advertise-peer-urls=http://127.0.0.1:1'],
  '--initial-cluster=default=http://localhost:2380,b=http://localhost:2380',
  '--initial-cluster=default=http://127.0.0.1:2380,b=http://127.0.0.1:2380',
  '--initial-cluster=default=http://localhost:2380,default=http://localhost:2381',
  '--initial-cluster=default=http://localhost:2380,default=http://localhost:2380',
  '--initial-advertise-peer-urls=http://127.0.0.1:1,http://127.0.0.1:2 --initial-cluster=default=http://127.0.0.1:1',
  '--name=a --initial-cluster=b=http://127.0.0.1:1 --initial-advertise-peer-urls=http://127.0.0.1:1',
  '--initial-cluster-state=existing --initial-cluster=default=http://localhost:2380',
  '--initial-cluster-state=existing --initial-cluster=b=http://localhost:2380',
  '--initial-cluster-state=existing --initial-cluster=default=http://localhost:2380,b=http://localhost:2380',
  '--initial-cluster-state=existing --initial-cluster=default=http://localhost:2380,b=http://127.0.66.33:1',
  ...['--auto-compaction-retention=abc', '--auto-compaction-retention=-1', '--auto-compaction-retention=1y'],
  ...['--auto-compaction-mode=revision --auto-compaction-retention=x', '--auth-token=nonsense'],
  ...['--cipher-suites=NONSENSE', '--cipher-suites=TLS_RSA_WITH_AES_128_GCM_SHA256,X'],
].map((line) => `${OWN} ${line}`);

const SECURED: readonly string[] = [
  '--listen-peer-urls=https://127.0.66.31:N',
  '--listen-peer-urls=https://127.0.66.31:N --peer-cert-file=/none',
  '--listen-peer-urls=https://127.0.66.31:N --peer-key-file=/none',
  '--listen-peer-urls=https://127.0.66.31:N --peer-cert-file=/none --peer-key-file=/none',
  '--listen-peer-urls=http://127.0.66.31:99999',
  `${OWN} --listen-client-urls=https://127.0.66.32:N`,
];

const CONFLICT = /"initial-cluster", "discovery" or "discovery-srv"$/;
const DISCOVERY: readonly string[] = [
  '--discovery=http://127.0.0.1:1/x --initial-cluster=default=http://localhost:2380',
  '--discovery-srv=example.invalid --initial-cluster=default=http://localhost:2380',
  '--discovery-srv=example.invalid --discovery=http://127.0.0.1:1/x',
];

const line = (text: string, now?: string): BadLine => ({ line: text, env: {}, ...(now === undefined ? {} : { now }) });

export const BAD_LINES: readonly BadLine[] = [
  ...[...USAGE, ...UNFIT, ...START, ...SECURED].map((text) => line(text)),
  ...DISCOVERY.map((text) => line(text)),
  // 3.6 quotes as Go does.
  ...['stray', '--name=a stray', '--version stray'].map((text) => line(text, '"stray" is not a valid flag')),
  line('--pre-vote maybe', '"maybe" is not a valid flag'),
  line('-- --name=a', '"--name=a" is not a valid flag'),
  { line: '--name=a', env: { ETCD_SNAPSHOT_COUNT: 'x' } },
  { line: '', env: { ETCD_INITIAL_CLUSTER_STATE: 'old' } },
  { line: END, env: { ETCD_NONSENSE: '1', ETCD_SNAPSHOT_COUNT: '0x10' } },
  { line: '', env: { ETCD_LISTEN_CLIENT_URLS: 'http://127.0.0.1:2379' } },
  { line: '', env: { ETCD_HEARTBEAT_INTERVAL: '0' } },
];

export { CONFLICT };
