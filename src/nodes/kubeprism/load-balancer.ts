import { acceptAll } from '../../platform/accept.ts';
import { NetError } from '../../platform/errors.ts';
import { type Connection, hostPort, type Listener } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import type { HostAndPort } from '../resources/k8s.ts';
import { type Upstream, UpstreamList } from './upstreams.ts';

const PROBE_PERIOD_US = 20_000_000;
const PROBE_TIMEOUT_US = 15_000_000;
const DIAL_TIMEOUT_US = 15_000_000;
const KEEPALIVE = Object.freeze({ idleUs: 30_000_000, intervalUs: 30_000_000, probes: 9 });
const USER_TIMEOUT_US = 30_000_000;

export interface LoadBalancerOptions {
  readonly platform: Platform;
  readonly scope: TaskScope;
  readonly onUsable: (upstream: Upstream, usable: boolean) => void;
}

/** KubePrism's TCP load balancer (reference/network-config.md B.2–B.4). */
export class LoadBalancer {
  readonly list: UpstreamList;
  #options: LoadBalancerOptions;
  #listener: Listener | undefined;

  constructor(options: LoadBalancerOptions) {
    this.#options = options;
    this.list = new UpstreamList(options.onUsable);
  }

  /** Listens and probes from now on. NetError like `listen`. */
  *start(host: string, port: number): Task<void> {
    const { platform, scope } = this.#options;
    this.#listener = yield* platform.net.listen({ address: host, port });
    scope.spawn('accept', () =>
      acceptAll(this.#listener!, (connection) => {
        scope.spawn('connection', () => this.#forward(connection));
      }),
    );
    scope.spawn('probe', () => this.#probe());
  }

  stop(): void {
    this.#listener?.close();
    this.#options.scope.cancel();
  }

  setEndpoints(endpoints: readonly HostAndPort[]): void {
    this.list.reconcile(
      endpoints.map(({ host, port }) => ({
        key: hostPort({ address: host, port }),
        host,
        port,
      })),
    );
  }

  /** No second try: a connection whose backend does not answer is closed. */
  *#forward(client: Connection): Task<void> {
    const upstream = this.list.pick();
    if (upstream === undefined) {
      client.close();
      return;
    }
    try {
      const server = yield* this.#options.platform.net.dial(
        { address: upstream.host, port: upstream.port },
        { timeoutUs: DIAL_TIMEOUT_US, keepalive: KEEPALIVE, userTimeoutUs: USER_TIMEOUT_US },
      );
      join(client, server);
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      this.list.down(upstream.key);
      client.close();
    }
  }

  /** One sweep at each tick of a 20 s clock; a sweep that takes longer is followed at once by the next. */
  *#probe(): Task<void> {
    const { clock } = this.#options.platform;
    const startUs = clock.monotonicUs();
    for (let tick = 1; ; ) {
      const waitUs = startUs + tick * PROBE_PERIOD_US - clock.monotonicUs();
      if (waitUs > 0) yield* clock.sleep(waitUs);
      for (const upstream of this.list.upstreams) yield* this.#check(upstream);
      const passed = Math.floor((clock.monotonicUs() - startUs) / PROBE_PERIOD_US);
      tick = passed > tick ? passed : tick + 1;
    }
  }

  *#check(upstream: Upstream): Task<void> {
    const { clock, net } = this.#options.platform;
    const startUs = clock.monotonicUs();
    try {
      const connection = yield* net.dial(
        { address: upstream.host, port: upstream.port },
        { timeoutUs: PROBE_TIMEOUT_US },
      );
      this.list.up(upstream.key, clock.monotonicUs() - startUs);
      connection.close();
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      this.list.down(upstream.key);
    }
  }
}

/** Copies both ways; half-close is passed on, a break ends both. */
function join(a: Connection, b: Connection): void {
  pipe(a, b);
  pipe(b, a);
}

function pipe(from: Connection, to: Connection): void {
  from.consume(
    (segment) => {
      to.send(segment);
    },
    (error) => {
      if (error === undefined) to.shutdownWrite();
      else to.close();
    },
  );
}
