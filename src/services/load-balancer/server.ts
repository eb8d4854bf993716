import { acceptAll } from '../../platform/accept.ts';
import type { Process } from '../../platform/containers.ts';
import { NetError } from '../../platform/errors.ts';
import { type Connection, type Endpoint, hostPort } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { OptionError, readEndpoint, readFlags } from '../flags.ts';
import { startFailure } from '../start-failure.ts';
import { BackendList } from './backends.ts';
import { backendHealth } from './events.ts';
import { relay } from './relay.ts';

const CHECK_PERIOD_US = 5_000_000;
const CONNECT_LIMIT_US = 3_000_000;

/**
 * A TCP balancer: `load-balancer --listen=ADDRESS:PORT --backend=ADDRESS:PORT …`. Connections go in turn to the backends
 * that accepted the last check, a connect every 5 s; when there is none, or the chosen one does not answer, the client's
 * connection is reset. Ends with 0 at a signal, with 1 when it cannot listen, with 2 for bad flags.
 */
export function* loadBalancer(process: Process): Task<number> {
  const { platform, print } = process;
  try {
    const { listen, backends } = parseOptions(process.argv.slice(1));
    const listener = yield* platform.net.listen(listen);
    const list = new BackendList(backends);
    for (const index of backends.keys()) platform.scope.spawn('check', () => check(platform, list, index));
    platform.scope.spawn('accept', () => acceptAll(listener, (client) => take(platform, client, list)));
    print(`balancing ${hostPort(listener.local)} over ${backends.map(hostPort).join(', ')}`);
    yield* process.signals.receive();
    return 0;
  } catch (error) {
    return startFailure(error, print);
  }
}

function parseOptions(args: readonly string[]): { readonly listen: Endpoint; readonly backends: readonly Endpoint[] } {
  const flags = readFlags(args, ['listen', 'backend']);
  const listen = flags.get('listen')?.at(-1);
  if (listen === undefined) throw new OptionError('listen: address:port expected');
  const backends = (flags.get('backend') ?? []).map((text) => readEndpoint('backend', text));
  if (backends.length === 0) throw new OptionError('backend: at least one address:port expected');
  return { listen: readEndpoint('listen', listen), backends };
}

function take(platform: Platform, client: Connection, list: BackendList): void {
  const backend = list.next();
  if (backend === undefined) client.abort();
  else platform.scope.spawn('relay', () => forward(platform, client, backend));
}

function* forward(platform: Platform, client: Connection, backend: Endpoint): Task<void> {
  const server = yield* dial(platform, backend);
  if (server === undefined) client.abort();
  else yield* relay(client, server);
}

function* check(platform: Platform, list: BackendList, index: number): Task<never> {
  const backend = list.all[index]!;
  for (;;) {
    const connection = yield* dial(platform, backend);
    connection?.close();
    const healthy = connection !== undefined;
    if (list.setHealthy(index, healthy)) platform.log.event(backendHealth, { backend: hostPort(backend), healthy });
    yield* platform.clock.sleep(CHECK_PERIOD_US);
  }
}

/** Undefined when it does not answer. */
function* dial(platform: Platform, backend: Endpoint): Task<Connection | undefined> {
  try {
    return yield* platform.net.dial(backend, { timeoutUs: CONNECT_LIMIT_US });
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    return undefined;
  }
}
