import { SECOND_US } from '../../platform/clock.ts';
import { NetError } from '../../platform/errors.ts';
import type { Task } from '../../platform/task.ts';
import { HttpClient } from '../../rpc/http/client.ts';
import type { HttpDeps } from '../../rpc/http/deps.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import { type ContainerEntry, type ProbeSpec, portOf } from './pod-spec.ts';

/** Defaults of the Kubernetes API. */
const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_TIMEOUT_SECONDS = 1;
const DEFAULT_FAILURES = 3;

/** What probes found so far of one running container. */
export interface ProbeListener {
  started(): void;
  ready(ready: boolean): void;
  /** Liveness or start-up failed for good: the container must be restarted. */
  unhealthy(): void;
}

/** A container whose probe the simulation cannot make; the kubelet shows it as waiting and does not start it. */
export class UnsupportedProbe extends Error {
  override readonly name = 'UnsupportedProbe';
}

/** Refuses probes that would have to run a command inside the container, or speak gRPC with it. */
export function refuseUnsupportedProbes({ name, startupProbe, livenessProbe, readinessProbe }: ContainerEntry): void {
  for (const [field, probe] of Object.entries({ startupProbe, livenessProbe, readinessProbe })) {
    if (probe === undefined || probe.httpGet !== undefined || probe.tcpSocket !== undefined) continue;
    const kind = probe.exec !== undefined ? 'exec' : probe.grpc !== undefined ? 'grpc' : undefined;
    throw new UnsupportedProbe(
      kind === undefined
        ? `${field} of container "${name}" says neither httpGet nor tcpSocket`
        : `${field} of container "${name}": ${kind} probes are not simulated; use httpGet or tcpSocket`,
    );
  }
}

/** Runs all probes of a container until it ends or must be restarted: the start-up probe alone first. */
export function* runProbes(
  deps: HttpDeps,
  entry: ContainerEntry,
  podAddress: string,
  listener: ProbeListener,
): Task<void> {
  const { startupProbe, livenessProbe, readinessProbe } = entry;
  if (startupProbe !== undefined) {
    const passed = yield* follow(deps, entry, startupProbe, podAddress, (healthy) => (healthy ? 'stop' : 'fail'));
    if (!passed) {
      listener.unhealthy();
      return;
    }
  }
  listener.started();
  if (readinessProbe === undefined) listener.ready(true);
  else
    deps.scope.spawn(`ready ${entry.name}`, () =>
      follow(deps, entry, readinessProbe, podAddress, (healthy) => {
        listener.ready(healthy);
        return 'go on';
      }),
    );
  if (livenessProbe === undefined) return;
  const alive = yield* follow(deps, entry, livenessProbe, podAddress, (healthy) => (healthy ? 'go on' : 'fail'));
  if (!alive) listener.unhealthy();
}

/** Probes for ever; `decide` is told each verdict that enough results in a row support. False when it says `fail`. */
function* follow(
  deps: HttpDeps,
  entry: ContainerEntry,
  probe: ProbeSpec,
  podAddress: string,
  decide: (healthy: boolean) => 'go on' | 'stop' | 'fail',
): Task<boolean> {
  const { clock } = deps;
  const check = checkOf(deps, entry, probe, podAddress);
  yield* clock.sleep((probe.initialDelaySeconds ?? 0) * SECOND_US);
  let streak = 0;
  let last: boolean | undefined;
  try {
    for (;;) {
      const healthy = yield* check.run();
      streak = healthy === last ? streak + 1 : 1;
      last = healthy;
      const needed = healthy ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? DEFAULT_FAILURES);
      const verdict = streak >= needed ? decide(healthy) : 'go on';
      if (verdict !== 'go on') return verdict === 'stop';
      yield* clock.sleep((probe.periodSeconds ?? DEFAULT_PERIOD_SECONDS) * SECOND_US);
    }
  } finally {
    check.close();
  }
}

interface Check {
  run(): Task<boolean>;
  close(): void;
}

/** One probe. Connections are kept between probes, which the real kubelet does not do: what it finds is the same. */
function checkOf(deps: HttpDeps, entry: ContainerEntry, probe: ProbeSpec, podAddress: string): Check {
  const { httpGet, tcpSocket } = probe;
  const timeoutUs = (probe.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * SECOND_US;
  const port = portOf(entry, httpGet?.port ?? tcpSocket?.port ?? 0);
  const host = httpGet?.host ?? tcpSocket?.host;
  const address = host === 'localhost' ? '127.0.0.1' : (host ?? podAddress);
  if (port === undefined)
    return {
      *run() {
        return false;
      },
      close() {},
    };
  if (httpGet === undefined) return { run: () => tcpCheck(deps, address, port, timeoutUs), close() {} };
  const tls = httpGet.scheme === 'HTTPS' ? { tls: { insecureSkipVerify: true } } : {};
  const client = new HttpClient(deps, { address, port }, tls);
  return { run: () => httpCheck(client, httpGet.path ?? '/', timeoutUs), close: () => client.close() };
}

function* httpCheck(client: HttpClient, target: string, timeoutUs: number): Task<boolean> {
  try {
    const { status } = yield* client.request({ target, timeoutUs });
    return status >= 200 && status < 400;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

function* tcpCheck(deps: HttpDeps, address: string, port: number, timeoutUs: number): Task<boolean> {
  try {
    (yield* deps.net.dial({ address, port }, { timeoutUs })).close();
    return true;
  } catch (error) {
    if (error instanceof NetError) return false;
    throw error;
  }
}
