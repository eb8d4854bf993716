import { deepEqual } from '../../platform/deep-equal.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { type HttpValue, httpValue } from '../../rpc/http/message.ts';
import { type HttpAnswer, serveHttp } from '../../rpc/http/server.ts';
import { jsonCodec } from '../client/json.ts';
import { readText } from '../component/connect.ts';
import { selfSigned } from '../component/serving.ts';
import type { KubeObject } from '../objects/object.ts';
import type { KubeletSettings } from './settings.ts';

const HEALTH_PORT = 10_248;
const API_PORT = 10_250;

/** `/healthz` on the loopback address. Fails with NetError. */
export function* serveHealth(platform: Platform): Task<void> {
  yield* serveHttp(platform, {
    address: '127.0.0.1',
    port: HEALTH_PORT,
    *handler({ target }) {
      return target === '/healthz' ? answer(200, 'ok') : answer(404, '404 page not found');
    },
  });
}

/** The kubelet's own API, with a certificate it signed itself: machined asks it how the pods do. Fails with NetError. */
export function* serveApi(
  platform: Platform,
  settings: KubeletSettings,
  pods: () => readonly KubeObject[],
): Task<void> {
  const clientCaPem =
    settings.clientCaPath === undefined ? undefined : yield* readText(platform, settings.clientCaPath);
  const list = new PodList();
  yield* serveHttp(platform, {
    address: '0.0.0.0',
    port: API_PORT,
    tls: {
      ...selfSigned(platform, `${settings.nodeName}@kubelet`),
      clientAuth: 'optional',
      ...(clientCaPem !== undefined && { clientCaPem }),
    },
    *handler(request, peer) {
      if (peer.identity === undefined) return answer(401, 'Unauthorized');
      const path = request.target.split('?', 1)[0]!.replace(/\/$/, '');
      if (path === '/healthz') return answer(200, 'ok');
      if (path !== '/pods') return answer(404, '404 page not found');
      return { status: 200, body: list.of(pods()) };
    },
  });
}

/** The answer to `/pods`. It is asked for all the time and seldom changes, and to measure it takes long. */
class PodList {
  #items: readonly KubeObject[] | undefined;
  #body: HttpValue | undefined;

  of(items: readonly KubeObject[]): HttpValue {
    if (this.#body === undefined || !deepEqual(items, this.#items)) {
      this.#items = items;
      this.#body = httpValue(jsonCodec, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items });
    }
    return this.#body;
  }
}

function answer(status: number, body: unknown): HttpAnswer {
  return { status, body: httpValue(jsonCodec, body) };
}
