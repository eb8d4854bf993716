import type { ConfigValue } from '../../../config/schema/types.ts';
import { objectAt, objectsAt, textAt } from '../../../config/view.ts';
import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { ControllerError, exclusive, weak } from '../../../cosi/index.ts';
import { jsonCodec } from '../../../kube/client/json.ts';
import type { Task } from '../../../platform/task.ts';
import { HttpClient } from '../../../rpc/http/client.ts';
import { HttpError } from '../../../rpc/http/errors.ts';
import { readPart } from '../../../rpc/http/message.ts';
import type { Machine } from '../../machine.ts';
import { Nodenames, StaticPodStatuses } from '../../resources/k8s.ts';
import { Services } from '../../resources/runtime.ts';
import { KubernetesDynamicCerts, KubernetesRootSecrets } from '../../resources/secrets.ts';
import { KUBELET } from '../../services/builtin/kubelet.ts';

const KUBELET_PORT = 10_250;
const REFRESH_US = 15_000_000;
const REQUEST_US = 30_000_000;

/** How the static pods do, asked of the kubelet every 15 s while it runs (reference/controllers.md B.4.4). */
export function kubeletStaticPodController(machine: Machine): Controller {
  return {
    name: 'k8s.KubeletStaticPodController',
    inputs: [
      weak(Nodenames, 'nodename'),
      weak(Services, KUBELET),
      weak(KubernetesDynamicCerts, 'k8s-dynamic-certs'),
      weak(KubernetesRootSecrets, 'k8s'),
    ],
    outputs: [exclusive(StaticPodStatuses)],
    *run(context) {
      let refresher: { cancel(): void } | undefined;
      const kubelet = new KubeletClient(machine);
      try {
        for (;;) {
          yield* context.wakeUp();
          const running = context.get(Services, KUBELET)?.spec.running === true;
          const certs = context.get(KubernetesDynamicCerts, 'k8s-dynamic-certs')?.spec;
          if (!running) {
            refresher?.cancel();
            refresher = undefined;
            kubelet.close();
            context.startTrackingOutputs();
            context.cleanupOutputs(StaticPodStatuses);
            continue;
          }
          if (certs === undefined || context.get(Nodenames, 'nodename') === undefined) continue;
          refresher ??= context.scope.spawn('refresh', () => everyPeriod(machine, context));
          yield* refresh(kubelet.with(certs.apiServerKubeletClient), context);
          context.resetRestartBackoff();
        }
      } finally {
        refresher?.cancel();
        kubelet.close();
      }
    },
  };
}

interface ClientCertificate {
  readonly crt: string;
  readonly key: string;
}

/** The client of the kubelet, with its connection: both are kept from one refresh to the next, until the certificate changes. */
class KubeletClient {
  readonly #machine: Machine;
  #crt = '';
  #client: HttpClient | undefined;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  with({ crt, key }: ClientCertificate): HttpClient {
    if (this.#client !== undefined && crt === this.#crt) return this.#client;
    this.close();
    const tls = { insecureSkipVerify: true, certificatePem: crt, keyPem: key };
    this.#client = new HttpClient(this.#machine.platform, { address: '127.0.0.1', port: KUBELET_PORT }, { tls });
    this.#crt = crt;
    return this.#client;
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }
}

function* everyPeriod(machine: Machine, context: ControllerContext): Task<void> {
  for (;;) {
    yield* machine.platform.clock.sleep(REFRESH_US);
    context.queueReconcile();
  }
}

function* refresh(client: HttpClient, context: ControllerContext): Task<void> {
  let list: unknown;
  try {
    const response = yield* client.request({ target: '/pods/', timeoutUs: REQUEST_US });
    if (response.status !== 200) throw new ControllerError(`error fetching pod status: HTTP status ${response.status}`);
    list = readPart(response.body, jsonCodec);
  } catch (error) {
    if (error instanceof HttpError) throw new ControllerError(`error fetching pod status: ${error.message}`);
    throw error;
  }
  context.startTrackingOutputs();
  for (const pod of objectsAt(list as ConfigValue, 'items')) {
    const source = textAt(pod, 'metadata', 'annotations', 'kubernetes.io/config.source');
    if (source !== 'file' && source !== 'http') continue;
    const id = `${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`;
    context.set(StaticPodStatuses, id, { podStatus: objectAt(pod, 'status') ?? {} });
  }
  context.cleanupOutputs(StaticPodStatuses);
}
