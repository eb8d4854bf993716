import { race } from '../../platform/combinators.ts';
import type { Process } from '../../platform/containers.ts';
import { NetError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { httpValue } from '../../rpc/http/message.ts';
import { serveHttp } from '../../rpc/http/server.ts';
import { jsonCodec } from '../client/json.ts';
import { Reflector } from '../client/reflector.ts';
import { connect, readText } from '../component/connect.ts';
import { untilStopped } from '../component/process.ts';
import { findResource } from '../objects/resources.ts';
import { obtainCertificate } from './certificate.ts';
import { NodeAgent } from './node.ts';
import { PodManager } from './pods.ts';
import { type KubeletSettings, readSettings } from './settings.ts';
import { StaticPodSource } from './static-pods.ts';

const HEALTH_PORT = 10_248;
const API_PORT = 10_250;
const CNI_DIRECTORY = '/etc/cni/net.d';
const CNI_PERIOD_US = 5_000_000;
const CLIENT_TIMEOUT_US = 10_000_000;
const SERVING_YEARS_SEC = 31_536_000;

/** The kubelet: static pods at once, everything else once it has a certificate and a Node. */
export function* kubelet(process: Process): Task<number> {
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
  return yield* race({ serve: serve(process, settings), stop: untilStopped(process) });
}

function* serve(process: Process, settings: KubeletSettings): Task<number> {
  const { platform } = process;
  const network = new PodNetwork(platform);
  let agent: NodeAgent | undefined;
  const source = new StaticPodSource(platform, settings.nodeName);
  const manager = new PodManager(platform, source, {
    platform,
    containers: platform.containers!,
    nodeName: settings.nodeName,
    hostAddress: settings.nodeIps[0] ?? '127.0.0.1',
    podAddress: () => (network.ready ? network.nextAddress(agent?.podCidr ?? '') : undefined),
  });
  try {
    yield* serveHttp(platform, { address: '127.0.0.1', port: HEALTH_PORT, handler: healthz });
    yield* serveApi(platform, settings, manager);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    process.print(`failed to listen: ${error.message}`);
    return 1;
  }
  platform.scope.spawn('cni', () => network.watch());
  if (settings.staticPodUrl !== undefined)
    platform.scope.spawn('static-pods', () => source.follow(settings.staticPodUrl!));
  platform.scope.spawn('static', () => manager.runStatic());
  yield* obtainCertificate(platform, settings);
  const client = yield* connect(platform, settings.kubeconfigPath, CLIENT_TIMEOUT_US);
  const watcher = yield* connect(platform, settings.kubeconfigPath);
  if (client === undefined || watcher === undefined) {
    process.print(`failed to load kubeconfig ${settings.kubeconfigPath}`);
    return 1;
  }
  agent = new NodeAgent(platform, client, settings, () => network.ready);
  const running = agent;
  yield* running.register();
  const pods = new Reflector(watcher, platform.clock, findResource('v1', 'pods')!, undefined, {
    fieldSelector: `spec.nodeName=${settings.nodeName}`,
  });
  platform.scope.spawn('lease', () => running.renewLease());
  platform.scope.spawn('status', () =>
    running.reportStatus(() => race({ period: running.statusPeriod(), network: network.changed() })),
  );
  platform.scope.spawn('pods', () => pods.run());
  return yield* manager.runBound(client, pods);
}

function* healthz(): Task<{ status: number; body: ReturnType<typeof httpValue> }> {
  return { status: 200, body: httpValue(jsonCodec, 'ok') };
}

/** The kubelet's own API, with a certificate it signed itself: machined asks it how the static pods do. */
function* serveApi(platform: Platform, settings: KubeletSettings, manager: PodManager): Task<void> {
  const { crypto, clock } = platform;
  const nowSec = Math.floor(clock.nowUs() / 1_000_000);
  const serving = crypto.selfSignedAuthority({
    subject: { commonName: `${settings.nodeName}-ca` },
    keySpec: 'ecdsa-p256',
    notBeforeSec: nowSec,
    notAfterSec: nowSec + SERVING_YEARS_SEC,
  });
  const clientCaPem = yield* readText(platform, '/etc/kubernetes/pki/ca.crt');
  yield* serveHttp(platform, {
    address: '0.0.0.0',
    port: API_PORT,
    tls: {
      certificatePem: crypto.certificateToPem(serving.certificate),
      keyPem: crypto.privateKeyToPem(serving.key),
      clientAuth: 'optional',
      ...(clientCaPem !== undefined && { clientCaPem }),
    },
    *handler(request, peer) {
      if (peer.identity === undefined) return { status: 401, body: httpValue(jsonCodec, 'Unauthorized') };
      const path = request.target.split('?', 1)[0]!.replace(/\/$/, '');
      if (path === '/healthz') return { status: 200, body: httpValue(jsonCodec, 'ok') };
      if (path !== '/pods') return { status: 404, body: httpValue(jsonCodec, '404 page not found') };
      return {
        status: 200,
        body: httpValue(jsonCodec, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: manager.list() }),
      };
    },
  });
}

/** Whether a CNI plugin is configured, and the addresses of pods. */
class PodNetwork {
  readonly #platform: Platform;
  #ready = false;
  #next = 2;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Looks for a configuration file, as containerd does; one that was found stays. */
  *watch(): Task<void> {
    const { disk, clock } = this.#platform;
    while (!this.#ready) {
      const found = (yield* disk.stat(CNI_DIRECTORY)) === undefined ? [] : yield* disk.list(CNI_DIRECTORY);
      this.#ready = found.some((file) => /\.(conf|conflist)$/.test(file.name));
      if (!this.#ready) yield* clock.sleep(CNI_PERIOD_US);
    }
  }

  /** Returns once the network is ready; never afterwards. */
  *changed(): Task<void> {
    for (;;) {
      if (!this.#ready) {
        while (!this.#ready) yield* this.#platform.clock.sleep(CNI_PERIOD_US);
        return;
      }
      yield* this.#platform.clock.sleep(3_600_000_000);
    }
  }

  /** The next address of a /24; undefined without one. */
  nextAddress(cidr: string): string | undefined {
    const prefix = /^(\d+\.\d+\.\d+)\./.exec(cidr)?.[1];
    return prefix === undefined ? undefined : `${prefix}.${this.#next++}`;
  }
}
