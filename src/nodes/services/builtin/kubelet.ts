import type { ContainerSpec } from '../../../platform/containers.ts';
import { HttpClient } from '../../../rpc/http/client.ts';
import { HttpError } from '../../../rpc/http/errors.ts';
import { NodeError } from '../../errors.ts';
import { onHost } from '../../kube/paths.ts';
import type { Machine } from '../../machine.ts';
import { KubeletLifecycles, KubeletSpecs } from '../../resources/k8s.ts';
import { network, timeSync, volume } from '../conditions.ts';
import { pullImage } from '../images.ts';
import { containerRunner, restartForever } from '../runner.ts';
import type { ServiceDefinition } from '../service.ts';

export const KUBELET = 'kubelet';
const HEALTH_PORT = 10_248;

/** Directories of the machine that the kubelet works in, and that pods may mount. */
const SHARED: readonly string[] = Object.freeze([
  '/var/lib/kubelet',
  '/var/lib/containers',
  '/var/log',
  '/etc/kubernetes',
  '/etc/cni',
  '/system/secrets',
  '/system/config',
  '/run',
]);

/** The kubelet service; its controller starts it (reference/controllers.md C.9). */
export function kubeletService(machine: Machine): ServiceDefinition {
  const { platform, state } = machine;
  const { clock, containers } = platform;
  const log = machine.serviceLogs.of(KUBELET);
  let client: HttpClient | undefined;
  return {
    id: KUBELET,
    dependsOn: ['cri'],
    volumes: () => ['/var/lib', '/var/lib/kubelet', '/var/log'].map((id) => volume(machine, id)),
    conditions: () => [timeSync(machine), network(machine, 'address', 'hostname', 'etcFiles')],
    *preStart() {
      const { spec } = state.get(KubeletSpecs, KUBELET)!;
      yield* pullImage(machine, spec.image);
      for (const path of SHARED) yield* machine.files.disk.makeDirectory(onHost(path));
      if (state.get(KubeletLifecycles, KUBELET) === undefined) {
        state.create(KubeletLifecycles, KUBELET, { empty: true });
      }
    },
    createRunner: () =>
      restartForever(
        clock,
        containerRunner(
          containers,
          clock,
          () => containerSpec(machine),
          (line) => log.add(line),
        ),
      ),
    *postStop() {
      client?.close();
      client = undefined;
    },
    health: {
      settings: { initialDelayUs: 2_000_000, periodUs: 5_000_000, timeoutUs: 500_000 },
      *check() {
        client ??= new HttpClient(platform, { address: '127.0.0.1', port: HEALTH_PORT });
        try {
          const { status } = yield* client.request({ target: '/healthz' });
          if (status !== 200) throw new NodeError(`expected HTTP status OK, got ${status}`);
        } catch (error) {
          if (error instanceof HttpError) throw new NodeError(error.message);
          throw error;
        }
      },
    },
    viaApi: { start: true, restart: true },
  };
}

function containerSpec(machine: Machine): ContainerSpec {
  const { spec } = machine.state.get(KubeletSpecs, KUBELET)!;
  return {
    id: KUBELET,
    namespace: 'system',
    image: spec.image,
    args: ['/usr/local/bin/kubelet', ...spec.args],
    mounts: SHARED.map((path) => ({ source: onHost(path), destination: path })),
    network: 'host',
  };
}
