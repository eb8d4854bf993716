import type { Process } from '../../platform/containers.ts';
import type { Platform } from '../../platform/platform.ts';
import type { TlsServer } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { startFailure } from '../start-failure.ts';
import { affiliateExpired } from './events.ts';
import { discoveryHandlers } from './handlers.ts';
import { COLLECT_INTERVAL_US } from './limits.ts';
import { parseOptions, type ServiceOptions } from './options.ts';
import { RateLimiter } from './rate-limiter.ts';
import { loadSnapshot, saveSnapshot } from './snapshot.ts';
import { DiscoveryState } from './state.ts';

/**
 * The discovery service as a program. Flags: `--addr=:3000 --redirect-endpoint= --snapshots-enabled
 * --snapshot-path= --snapshot-interval=10m`; TLS with the PEM of TLS_CERTIFICATE and TLS_KEY from the environment.
 * Ends with 0 at SIGTERM or SIGINT, with 1 when it cannot listen or read its snapshot, with 2 for bad flags.
 */
export function* discoveryService(process: Process): Task<number> {
  const { platform, print } = process;
  try {
    const options = parseOptions(process.argv.slice(1));
    const state = new DiscoveryState();
    if (options.snapshotPath !== undefined) {
      yield* loadSnapshot(platform.disk, options.snapshotPath, state, platform.clock.monotonicUs());
    }
    const server = yield* serve(process, options, state);
    print(`gRPC server starting on ${server.local.address}:${server.local.port}`);
    yield* process.signals.receive();
    server.close();
    if (options.snapshotPath !== undefined) yield* save(platform, options.snapshotPath, state);
    return 0;
  } catch (error) {
    return startFailure(error, print);
  }
}

function* serve(process: Process, options: ServiceOptions, state: DiscoveryState) {
  const { clock, rpc, scope } = process.platform;
  const limiter = new RateLimiter();
  const { redirectEndpoint, address, port, snapshotPath } = options;
  const tls = tlsOf(process.env);
  const server = yield* rpc.serve({
    address,
    port,
    handlers: discoveryHandlers({ clock, state, limiter, redirectEndpoint }),
    ...(tls === undefined ? {} : { tls }),
  });
  scope.spawn('collect', () => collecting(process.platform, state, limiter));
  if (snapshotPath !== undefined) {
    scope.spawn('snapshots', () => saving(process.platform, snapshotPath, options.snapshotIntervalUs, state));
  }
  return server;
}

function tlsOf(env: Readonly<Record<string, string>>): TlsServer | undefined {
  const { TLS_CERTIFICATE: certificatePem, TLS_KEY: keyPem } = env;
  return certificatePem === undefined || keyPem === undefined ? undefined : { certificatePem, keyPem };
}

/** At once, and then every minute. */
function* collecting(platform: Platform, state: DiscoveryState, limiter: RateLimiter): Task<void> {
  const { clock, log } = platform;
  for (;;) {
    const nowUs = clock.monotonicUs();
    for (const { clusterId, affiliateId } of state.collect(nowUs)) {
      log.event(affiliateExpired, { cluster: clusterId, affiliate: affiliateId });
    }
    limiter.collect(nowUs);
    yield* clock.sleep(COLLECT_INTERVAL_US);
  }
}

function* saving(platform: Platform, path: string, intervalUs: number, state: DiscoveryState): Task<void> {
  for (;;) {
    yield* platform.clock.sleep(intervalUs);
    yield* save(platform, path, state);
  }
}

function save(platform: Platform, path: string, state: DiscoveryState): Task<void> {
  return saveSnapshot(platform.disk, path, state, platform.clock.monotonicUs());
}
