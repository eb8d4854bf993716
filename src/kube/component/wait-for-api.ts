import type { Process } from '../../platform/containers.ts';
import type { Task } from '../../platform/task.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import type { KubeClient } from '../client/client.ts';
import { KubeError } from '../objects/errors.ts';

/** kube-controller-manager and kube-scheduler wait this long for a healthy API server, then exit and are started anew. */
const LIMIT_US = 10_000_000;
const PAUSE_US = 1_000_000;

/** False when the API server did not answer in time. */
export function* waitForApi(process: Process, client: KubeClient): Task<boolean> {
  const { clock } = process.platform;
  const deadlineUs = clock.monotonicUs() + LIMIT_US;
  for (;;) {
    try {
      yield* client.raw('/healthz');
      return true;
    } catch (error) {
      if (!(error instanceof HttpError) && !(error instanceof KubeError)) throw error;
      if (clock.monotonicUs() >= deadlineUs) {
        process.print(
          `"Failed to wait for apiserver being healthy" err="failed to wait for apiserver being healthy: timed out waiting for the condition: failed to get apiserver /healthz status: ${error.message}"`,
        );
        return false;
      }
      yield* clock.sleep(PAUSE_US);
    }
  }
}
