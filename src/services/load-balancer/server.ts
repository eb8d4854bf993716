import { race } from '../../platform/combinators.ts';
import type { Process } from '../../platform/containers.ts';
import { NetError } from '../../platform/errors.ts';
import type { Connection, Endpoint } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';

const CHECK_PERIOD_US = 5_000_000;
const CONNECT_LIMIT_US = 3_000_000;

/** A TCP balancer: `load-balancer --listen=A:P --backend=A:P …`. Round robin over backends that accept connections. */
export function* loadBalancer(process: Process): Task<number> {
  const { platform } = process;
  const listen = endpoints(process.argv, 'listen')[0];
  const backends = endpoints(process.argv, 'backend');
  if (listen === undefined || backends.length === 0) {
    process.print('usage: load-balancer --listen=ADDRESS:PORT --backend=ADDRESS:PORT …');
    return 2;
  }
  const healthy = new Set<Endpoint>();
  for (const backend of backends) platform.scope.spawn('check', () => check(platform, backend, healthy));
  const listener = yield* platform.net.listen(listen);
  platform.scope.spawn('accept', function* () {
    for (let turn = 0; ; turn++) {
      const client = yield* listener.accept();
      const order = backends.filter((backend) => healthy.has(backend));
      const chosen = order[turn % Math.max(1, order.length)];
      if (chosen === undefined) client.abort();
      else platform.scope.spawn('relay', () => relay(platform, client, chosen));
    }
  });
  yield* race({ signal: process.signals.receive() });
  return 0;
}

function endpoints(argv: readonly string[], flag: string): Endpoint[] {
  return argv.flatMap((argument) => {
    const match = new RegExp(`^--${flag}=(.+):(\\d+)$`).exec(argument);
    return match === null ? [] : [{ address: match[1]!, port: Number(match[2]) }];
  });
}

function* check(platform: Platform, backend: Endpoint, healthy: Set<Endpoint>): Task<never> {
  for (;;) {
    try {
      (yield* platform.net.dial(backend, { timeoutUs: CONNECT_LIMIT_US })).close();
      healthy.add(backend);
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      healthy.delete(backend);
    }
    yield* platform.clock.sleep(CHECK_PERIOD_US);
  }
}

/** Forwards what it does not read, both ways, until both sides have ended. */
function* relay(platform: Platform, client: Connection, backend: Endpoint): Task<void> {
  let server: Connection;
  try {
    server = yield* platform.net.dial(backend, { timeoutUs: CONNECT_LIMIT_US });
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    client.abort();
    return;
  }
  forward(client, server);
  forward(server, client);
}

function forward(from: Connection, to: Connection): void {
  from.consume(
    (segment) => to.send(segment),
    (error) => {
      if (error === undefined) to.shutdownWrite();
      else to.abort();
    },
  );
}
