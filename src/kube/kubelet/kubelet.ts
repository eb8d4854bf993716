import { race } from '../../platform/combinators.ts';
import type { Process, Program } from '../../platform/containers.ts';
import { NetError } from '../../platform/errors.ts';
import type { Task } from '../../platform/task.ts';
import { isTransient, type KubeClient } from '../client/client.ts';
import { Reflector } from '../client/reflector.ts';
import { connect } from '../component/connect.ts';
import { untilStopped } from '../component/process.ts';
import { KubeError } from '../objects/errors.ts';
import { findResource } from '../objects/resources.ts';
import { serveApi, serveHealth } from './api.ts';
import { obtainCertificate } from './certificate.ts';
import { KubeletConsole } from './console.ts';
import { NodeLease } from './lease.ts';
import { NodeAgent } from './node.ts';
import { PodNetwork } from './pod-network.ts';
import { PodRecords } from './pod-records.ts';
import { PodManager } from './pods.ts';
import { type KubeletSettings, readSettings } from './settings.ts';
import { StaticPodSource } from './static-pods.ts';
import { postStatuses } from './status-manager.ts';
import type { ObjectLookup } from './volumes.ts';

const HEARTBEAT_TIMEOUT_US = 10_000_000;
/** Requests other than heartbeats: about when HTTP/2 would find its connection dead. */
const REQUEST_TIMEOUT_US = 45_000_000;

/**
 * The kubelet of a release (`v1.34.1`): static pods at once, everything else once it has a certificate and a Node. Pods
 * outlive it: the next one finds them running. Not simulated: service-account tokens, certificate rotation, eviction,
 * exec and logs.
 */
export function kubelet(release: string): Program {
  return (process) => runKubelet(process, release);
}

function* runKubelet(process: Process, release: string): Task<number> {
  const { platform } = process;
  const settings = yield* readSettings(process, platform);
  if (typeof settings === 'string') {
    process.print(settings);
    return 1;
  }
  if (platform.containers === undefined) {
    process.print('failed to run Kubelet: validate service connection: containerd.sock: no such file or directory');
    return 1;
  }
  const console = new KubeletConsole(process);
  console.info('app/server.go', 'Kubelet version', { kubeletVersion: release });
  return yield* race({ serve: serve(process, { settings, release }, console), stop: untilStopped(process) });
}

/** What the kubelet has from its certificate on. */
interface Connected {
  /** Node and lease; every request may take ten seconds. */
  readonly heartbeat: KubeClient;
  /** Everything else. */
  readonly client: KubeClient;
}

/** How a kubelet was started. */
interface Started {
  readonly settings: KubeletSettings;
  readonly release: string;
}

function* serve(process: Process, started: Started, console: KubeletConsole): Task<number> {
  const { platform } = process;
  const { settings } = started;
  const network = new PodNetwork(platform);
  const source = new StaticPodSource(platform, settings.nodeName);
  const records = new PodRecords(platform);
  let connected: Connected | undefined;
  const manager = new PodManager(source, {
    platform,
    containers: platform.containers!,
    nodeName: settings.nodeName,
    hostAddress: settings.nodeIps[0] ?? '127.0.0.1',
    network,
    records,
    console,
    lookup: lookupThrough(() => connected?.client),
  });
  try {
    yield* serveHealth(platform);
    yield* serveApi(platform, settings, () => manager.list());
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    process.print(`failed to listen: ${error.message}`);
    return 1;
  }
  yield* records.load();
  platform.scope.spawn('cni', () => network.watch());
  if (settings.staticPodUrl === undefined) source.skip();
  else platform.scope.spawn('static-pods', () => source.follow(settings.staticPodUrl!));
  platform.scope.spawn('manage', () => manager.run());
  if (settings.kubeconfigPath === undefined) return yield* untilStopped(process);
  yield* obtainCertificate(platform, settings, settings.kubeconfigPath);
  const heartbeat = yield* connect(platform, settings.kubeconfigPath, HEARTBEAT_TIMEOUT_US);
  const client = yield* connect(platform, settings.kubeconfigPath, REQUEST_TIMEOUT_US);
  if (heartbeat === undefined || client === undefined) {
    process.print(`failed to load kubeconfig ${settings.kubeconfigPath}`);
    return 1;
  }
  connected = { heartbeat, client };
  return yield* join(process, started, connected, { network, source, manager, console });
}

interface Parts {
  readonly network: PodNetwork;
  readonly source: StaticPodSource;
  readonly manager: PodManager;
  readonly console: KubeletConsole;
}

/** Registers the Node, then keeps it, its lease and its pods up to date. */
function* join(process: Process, started: Started, connected: Connected, parts: Parts): Task<never> {
  const { platform } = process;
  const { settings, release } = started;
  const { heartbeat, client } = connected;
  const { network, source, manager, console } = parts;
  const dropConnections = (): void => {
    heartbeat.dropConnections();
    client.dropConnections();
  };
  const agent = new NodeAgent(platform, heartbeat, settings, release, network, dropConnections);
  const lease = new NodeLease(platform, heartbeat, settings.nodeName, dropConnections);
  yield* agent.register();
  console.info('kubelet/kubelet_node_status.go', 'Successfully registered node', { node: settings.nodeName });
  const bound = new Reflector(client, platform.clock, findResource('v1', 'pods')!, undefined, {
    fieldSelector: `spec.nodeName=${settings.nodeName}`,
  });
  platform.scope.spawn('lease', () => lease.run());
  platform.scope.spawn('status', () =>
    agent.reportStatus(() => race({ period: agent.statusPeriod(), network: network.changed.changed() })),
  );
  platform.scope.spawn('pods', () => bound.run());
  manager.follow(bound);
  return yield* postStatuses({
    clock: platform.clock,
    client,
    bound,
    manager,
    source,
    nodeName: settings.nodeName,
    nodeUid: () => agent.nodeUid,
  });
}

/** Config maps and secrets as they are now; none while the API server cannot be asked. */
function lookupThrough(client: () => KubeClient | undefined): ObjectLookup {
  return function* lookup(resource, namespace, name) {
    try {
      return yield* client()?.find(findResource('v1', resource)!, namespace, name) ?? nothing();
    } catch (error) {
      if (error instanceof KubeError || isTransient(error)) return undefined;
      throw error;
    }
  };
}

function* nothing(): Task<undefined> {
  return undefined;
}
