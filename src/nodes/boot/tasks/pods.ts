import { waitFor } from '../../../cosi/index.ts';
import { timeout } from '../../../platform/combinators.ts';
import { TimeoutError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import type { Machine } from '../../machine.ts';
import { KubeletLifecycles } from '../../resources/k8s.ts';
import { KUBELET } from '../../services/builtin/kubelet.ts';

const STOP_GRACE_US = 10_000_000;

/**
 * Lets everybody who holds the kubelet's lifecycle go first (the VIP operator gives its address away while etcd still
 * works), then stops the kubelet and the pods (reference/corrections.md 1a-1).
 */
export function* stopAllPods(machine: Machine): Task<void> {
  yield* releaseKubeletLifecycle(machine);
  const { services } = machine;
  if (services.find(KUBELET)?.active === true) yield* services.stop(KUBELET);
  yield* stopPodContainers(machine);
}

function* releaseKubeletLifecycle(machine: Machine): Task<void> {
  const { state, platform, profile } = machine;
  const lifecycle = state.get(KubeletLifecycles, KUBELET);
  if (lifecycle === undefined) return;
  const free = state.teardown(lifecycle.metadata);
  try {
    if (!free) {
      const released = waitFor(
        state,
        KubeletLifecycles,
        KUBELET,
        (held) => (held?.metadata.finalizers.length ?? 0) === 0,
      );
      yield* timeout(platform.clock, profile.limits.lifecycleUs, released);
    }
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    return;
  }
  state.destroy(lifecycle.metadata);
}

function* stopPodContainers(machine: Machine): Task<void> {
  const { containers, clock } = machine.platform;
  const running = containers
    .list('k8s.io')
    .filter((info) => info.state !== 'exited')
    .map((info) => containers.find('k8s.io', info.id))
    .filter((container) => container !== undefined);
  for (const container of running) container.signal('SIGTERM');
  for (const container of running) {
    try {
      yield* timeout(clock, STOP_GRACE_US, container.wait());
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      container.signal('SIGKILL');
      yield* container.wait();
    }
  }
}
