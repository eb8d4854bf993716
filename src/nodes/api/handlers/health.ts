import { ClusterService } from '../../../api/machine/services.ts';
import type { CallContext, HandlerEntry } from '../../../platform/rpc.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import { type Duration, microseconds } from '../../../rpc/well-known.ts';
import { discoveredNodes, namedNodes } from '../../health/cluster-nodes.ts';
import { KubernetesView } from '../../health/kubernetes-view.ts';
import type { NodeAsker } from '../../health/node-asker.ts';
import { runHealthChecks } from '../../health/run.ts';
import { openKubeconfig } from '../../kube/connect.ts';
import type { Machine } from '../../machine.ts';
import { adminKubeconfig } from './kubeconfig.ts';

const DEFAULT_WAIT_US = 20 * 60_000_000;
const REQUEST_US = 30_000_000;

/** `talosctl health`, run by the machine that is asked (reference/lifecycle-api-cli.md D). */
export function healthHandlers(
  machine: Machine,
  askerFor: (context: CallContext) => NodeAsker,
): readonly HandlerEntry[] {
  return serviceHandlers(ClusterService, {
    *HealthCheck(stream) {
      const request = yield* stream.receive();
      if (request === undefined) return;
      const { clock } = machine.platform;
      const { controlPlaneNodes = [], workerNodes = [], forceEndpoint = '' } = request.clusterInfo ?? {};
      const named = controlPlaneNodes.length + workerNodes.length > 0;
      const nodes = named ? namedNodes(controlPlaneNodes, workerNodes) : discoveredNodes(machine);
      const tell = function* (message: string) {
        stream.send({ metadata: null, message });
        yield* stream.drained();
      };
      yield* tell(`discovered nodes: [${nodes.all.map(({ internalIp }) => `"${internalIp}"`).join(' ')}]`);
      const subject = {
        nodes,
        asker: askerFor(stream.context),
        kubernetes: new KubernetesView(function* () {
          return openKubeconfig(machine, adminKubeconfig(machine, forceEndpoint), REQUEST_US);
        }),
      };
      yield* runHealthChecks(clock, subject, clock.monotonicUs() + waitUs(request.waitTimeout), tell);
    },
  });
}

function waitUs(given: Duration | null): number {
  const us = given === null ? 0 : microseconds(given);
  return us > 0 ? us : DEFAULT_WAIT_US;
}
