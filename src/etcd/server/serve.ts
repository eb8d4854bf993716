import { shortId } from '../../api/etcd/ids.ts';
import { END } from '../../platform/channel.ts';
import { race, timeout } from '../../platform/combinators.ts';
import type { Process } from '../../platform/containers.ts';
import { TimeoutError } from '../../platform/errors.ts';
import { type HandlerEntry, RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { HttpConnections } from '../../rpc/http/connections.ts';
import type { Behaviour } from '../behaviour.ts';
import { EtcdEvent } from '../events.ts';
import { clusterHandlers } from './api/cluster.ts';
import { Guard } from './api/guard.ts';
import { kvHandlers } from './api/kv.ts';
import { leaseHandlers } from './api/lease.ts';
import { maintenanceHandlers } from './api/maintenance.ts';
import { transferLeadership } from './api/move-leader.ts';
import { restHandlers } from './api/rest.ts';
import { GRPC_OVERHEAD_BYTES, watchHandlers } from './api/watch.ts';
import type { ServerConfig } from './config/config.ts';
import type { Console } from './console.ts';
import { listenHttp, listenRpc, secured } from './listen.ts';
import { AutoCompactor } from './member/auto-compactor.ts';
import { CorruptionMonitor } from './member/corruption.ts';
import { Member } from './member/member.ts';
import { advanceElection, publish } from './member/publish.ts';
import { VersionMonitor } from './member/version-monitor.ts';
import { Monitoring } from './monitoring/http.ts';
import type { ServerObserver } from './observer.ts';
import { PEER_MESSAGE_BYTES } from './peers/endpoint.ts';
import { peerHandlers } from './peers/server.ts';
import { PeerService } from './peers/service.ts';
import { bootMember } from './start/boot.ts';
import { layoutOf } from './start/layout.ts';
import { withoutFsync } from './start/no-fsync.ts';
import { clientTls, serverTls } from './start/tls.ts';

export interface ServeContext {
  readonly process: Process;
  readonly console: Console;
  readonly config: ServerConfig;
  readonly behaviour: Behaviour;
  readonly observer: ServerObserver | undefined;
  readonly walSegmentBytes: number;
}

/** Runs a member until it is told to stop or was removed. The value is the exit code. */
export function* serveMember(context: ServeContext): Task<number> {
  const { process, console, config, behaviour, observer, walSegmentBytes } = context;
  const platform = config.unsafeNoFsync ? withoutFsync(process.platform) : process.platform;
  const layout = layoutOf(config);
  // Certificates are read anew for each connection: they change under a running member.
  const clientSide = yield* secured(() => serverTls(platform.disk, config.clientTls));
  const peerSide = yield* secured(() => serverTls(platform.disk, config.peerTls));
  const access = { rpc: platform.rpc, tls: yield* clientTls(platform.disk, config.peerTls) };
  const booted = yield* bootMember({ config, behaviour, platform, layout, access, walSegmentBytes });
  const member = new Member({ ...booted.parts, ...(observer === undefined ? {} : { observer }) });
  const { clusterId, memberId } = member;
  platform.log.event(EtcdEvent.MemberStarted, {
    clusterId,
    memberId,
    name: config.name,
    birth: booted.birth,
    appliedIndex: member.state.consistentIndex,
  });
  if (booted.content !== undefined) observer?.begins(memberId, clusterId, booted.content);
  console.info('starting etcd server', {
    'local-member-id': shortId(memberId),
    'local-server-version': behaviour.serverVersion,
    'cluster-id': shortId(clusterId),
  });
  const corruption = new CorruptionMonitor(member);
  if (config.initialCorruptCheck && booted.birth === 'restart') yield* corruption.initialCheck();
  const servers: { close(): void }[] = [];
  const monitoring = new Monitoring(member);
  const http = new HttpConnections({ scope: platform.scope, handler: monitoring.clientPort, alwaysBytes: false });
  const clientServers = yield* listenRpc(
    platform.rpc,
    config.listenClientUrls,
    {
      handlers: clientHandlers(member),
      maxReceiveBytes: config.maxRequestBytes + GRPC_OVERHEAD_BYTES,
      otherwise: (connection, first, identity) => http.serve(connection, first, identity),
      held: true,
    },
    clientSide,
  );
  servers.push(...clientServers, http);
  const peerSideService = { handlers: peerHandlers(member, layout.snapDir), maxReceiveBytes: PEER_MESSAGE_BYTES };
  servers.push(...(yield* listenRpc(platform.rpc, config.listenPeerUrls, peerSideService, peerSide)));
  servers.push(...(yield* listenHttp(platform, config.listenMetricsUrls, monitoring.metricsPort, clientSide)));
  member.start();
  const versions = startMonitor(member, behaviour);
  corruption.start();
  const autoCompactor = new AutoCompactor(member);
  autoCompactor.start();
  member.scope.spawn('election-ticks', () => advanceElection(member));
  member.scope.spawn('publish', function* () {
    yield* publish(member);
    for (const server of clientServers) server.open();
    console.info('ready to serve client requests');
    platform.log.event(EtcdEvent.MemberReady, { clusterId, memberId, name: config.name });
  });
  const reason = yield* race<string>({
    ended: member.ended.get(),
    signal: waitForSignal(process),
  });
  if (reason !== 'removed') yield* handOver(member);
  else console.warn('server error', { error: 'the member has been permanently removed from the cluster' });
  versions.stop();
  corruption.stop();
  autoCompactor.stop();
  for (const server of servers) server.close();
  member.stop();
  platform.log.event(EtcdEvent.MemberStopped, { memberId, reason });
  return 0;
}

function clientHandlers(member: Member): HandlerEntry[] {
  const guard = new Guard(member);
  return [
    ...kvHandlers(member, guard),
    ...watchHandlers(member, guard),
    ...leaseHandlers(member, guard),
    ...clusterHandlers(member, guard),
    ...maintenanceHandlers(member, guard),
    ...restHandlers(member),
  ];
}

/** Decides the cluster's version as long as this member leads, first when its term begins. */
function startMonitor(member: Member, behaviour: Behaviour): VersionMonitor {
  const monitor = new VersionMonitor(member.platform.clock, member.scope, {
    get isLeader() {
      return member.isLeader;
    },
    get clusterVersion() {
      return member.state.cluster.version;
    },
    *memberVersions() {
      const versions: (string | null)[] = [];
      for (const { id } of member.state.cluster.members()) {
        versions.push(id === member.memberId ? behaviour.serverVersion : yield* askVersion(member, id));
      }
      return versions;
    },
    *setClusterVersion(version) {
      yield* member.proposals.request('clusterVersionSet', { version });
    },
  });
  member.firstCommit.listen(() => monitor.check());
  monitor.start();
  return monitor;
}

function* askVersion(member: Member, id: string): Task<string | null> {
  try {
    const { server } = yield* member.peers.ask(id, PeerService.Version, {}, 5_000_000);
    return server;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return null;
  }
}

function* waitForSignal(process: Process): Task<string> {
  const signal = yield* process.signals.receive();
  return signal === END ? 'end' : signal;
}

/** A leader that stops hands leadership to the voter that has been connected longest (reference/etcd.md C5). */
function* handOver(member: Member): Task<void> {
  if (!member.isLeader) return;
  const now = member.platform.clock.monotonicUs();
  let chosen: string | null = null;
  let since = Number.POSITIVE_INFINITY;
  for (const { id } of member.state.cluster.voters()) {
    const connected = id === member.memberId ? null : member.transport.connectedSinceUs(id);
    if (connected === null || connected >= since || connected > now) continue;
    since = connected;
    chosen = id;
  }
  if (chosen === null) return;
  try {
    yield* timeout(member.platform.clock, member.requestTimeoutUs, transferLeadership(member, chosen));
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
  }
}
