import type { Process } from '../../platform/containers.ts';
import { NetError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { httpValue } from '../../rpc/http/message.ts';
import { serveHttp } from '../../rpc/http/server.ts';
import { jsonCodec } from '../client/json.ts';
import { untilStopped } from '../component/process.ts';

/** Ports of the `health` and `ready` plugins. */
const HEALTH_PORT = 8080;
const READY_PORT = 8181;

/** CoreDNS: answers its probes; names of the cluster are not resolved, since no simulated program asks for one. */
export function* coredns(process: Process): Task<number> {
  try {
    yield* serveProbe(process.platform, HEALTH_PORT, '/health');
    yield* serveProbe(process.platform, READY_PORT, '/ready');
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    process.print(`plugin/health: ${error.message}`);
    return 1;
  }
  process.print('.:53');
  process.print('CoreDNS-1.12.4');
  return yield* untilStopped(process);
}

function* serveProbe(platform: Platform, port: number, path: string): Task<void> {
  yield* serveHttp(platform, {
    address: '0.0.0.0',
    port,
    *handler({ target }) {
      return { status: target === path ? 200 : 404, body: httpValue(jsonCodec, 'OK') };
    },
  });
}
