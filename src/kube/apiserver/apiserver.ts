import { CLIENT_MESSAGE_LIMITS } from '../../etcd/client/client.ts';
import { EndpointError, parseEndpoint } from '../../etcd/client/endpoints.ts';
import { race } from '../../platform/combinators.ts';
import type { Process, Program } from '../../platform/containers.ts';
import { NetError } from '../../platform/errors.ts';
import type { Endpoint } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { serveHttp } from '../../rpc/http/server.ts';
import { type ComponentFlags, parseComponentFlags } from '../component/flags.ts';
import { readFlagFile, untilStopped } from '../component/process.ts';
import { apiServing } from '../events.ts';
import { KubeError } from '../objects/errors.ts';
import { RESOURCE_TYPES } from '../objects/resources.ts';
import { createDefaults } from './defaults.ts';
import { reconcileEndpoints } from './endpoints.ts';
import { EtcdBackend } from './etcd-backend.ts';
import { KNOWN_FLAGS } from './known-flags.ts';
import { reportNodes } from './node-report.ts';
import { ApiService } from './service.ts';

/** How long the API server takes from its start until it can answer, without etcd (assumed: 2 to 6 s). */
const WARM_UP_US = Object.freeze({ min: 2_000_000, max: 6_000_000 });
/** It gives up when etcd does not answer for this long at the start, and is started anew. */
const ETCD_START_LIMIT_US = 20_000_000;

/** kube-apiserver of a release (`v1.34.1`): the flags Talos gives it, objects in the etcd it is pointed at. */
export function kubeApiserver(release: string): Program {
  return (process) => runApiserver(process, release);
}

function* runApiserver(process: Process, release: string): Task<number> {
  const flags = parseComponentFlags(process.argv, KNOWN_FLAGS);
  if (typeof flags === 'string') {
    process.print(flags);
    return 1;
  }
  const endpoints = etcdEndpoints(flags);
  if (typeof endpoints === 'string') {
    process.print(`Error: ${endpoints}`);
    return 1;
  }
  return yield* race({ serve: serve(process, release, { flags, endpoints }), stop: untilStopped(process) });
}

interface CommandLine {
  readonly flags: ComponentFlags;
  /** Where etcd is. */
  readonly endpoints: readonly Endpoint[];
}

function* serve(process: Process, release: string, { flags, endpoints }: CommandLine): Task<number> {
  const { platform } = process;
  const { clock, random } = platform;
  yield* clock.sleep(random.int(WARM_UP_US.min, WARM_UP_US.max));
  const material: Record<string, string> = {};
  for (const name of [
    'tls-cert-file',
    'tls-private-key-file',
    'client-ca-file',
    'etcd-cafile',
    'etcd-certfile',
    'etcd-keyfile',
  ]) {
    const text = yield* readFlagFile(platform, flags, name);
    if (text === undefined) {
      process.print(`Error: open ${flags.values[name] ?? `(--${name} is not set)`}: no such file or directory`);
      return 1;
    }
    material[name] = text;
  }
  const channel = platform.rpc.channel(endpoints, {
    ...CLIENT_MESSAGE_LIMITS,
    tls: {
      serverCaPem: material['etcd-cafile']!,
      certificatePem: material['etcd-certfile']!,
      keyPem: material['etcd-keyfile']!,
      serverName: 'localhost',
    },
  });
  const backend = new EtcdBackend(channel);
  const service = new ApiService(backend, platform, release);
  if (!(yield* prepared(process, service))) return 1;
  for (const type of RESOURCE_TYPES)
    platform.scope.spawn(`cache ${type.resource}`, () => service.cacheOf(type).follow());
  const port = Number(flags.values['secure-port'] ?? '6443');
  try {
    yield* serveHttp(platform, {
      address: flags.values['bind-address'] ?? '0.0.0.0',
      port,
      tls: {
        certificatePem: material['tls-cert-file']!,
        keyPem: material['tls-private-key-file']!,
        clientCaPem: material['client-ca-file']!,
        clientAuth: 'optional',
      },
      handler: (request, peer) => service.handle(request, peer),
    });
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    process.print(
      `Error: failed to create listener: failed to listen on ${flags.values['bind-address']}:${port}: ${error.message}`,
    );
    return 1;
  }
  platform.log.event(apiServing, { serving: true });
  process.print(`Serving securely on [::]:${port}`);
  reportNodes(service, platform);
  const advertised = flags.values['advertise-address'];
  if (advertised !== undefined)
    platform.scope.spawn('endpoints', () => reconcileEndpoints(service, platform, advertised, port));
  return yield* forEver(platform);
}

/** Where etcd is; what is wrong with the flag otherwise. */
function etcdEndpoints(flags: ComponentFlags): readonly Endpoint[] | string {
  const urls = (flags.values['etcd-servers'] ?? '').split(',').filter((url) => url !== '');
  if (urls.length === 0) return '--etcd-servers must be specified';
  try {
    return urls.map(parseEndpoint);
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    return `--etcd-servers: ${error.message}`;
  }
}

/** Writes the default objects; false when etcd did not answer in time. */
function* prepared(process: Process, service: ApiService): Task<boolean> {
  const { clock } = process.platform;
  const deadlineUs = clock.monotonicUs() + ETCD_START_LIMIT_US;
  for (;;) {
    try {
      yield* createDefaults(service.store);
      return true;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (clock.monotonicUs() > deadlineUs) {
        process.print(`F instance.go:232] Error creating leases: error creating storage factory: ${error.message}`);
        return false;
      }
      yield* clock.sleep(1_000_000);
    }
  }
}

function* forEver(platform: Platform): Task<never> {
  for (;;) yield* platform.clock.sleep(3_600_000_000);
}
