import { joinErrors } from '../../cosi/index.ts';
import { isReady } from '../../kube/objects/conditions.ts';
import { addressesOfNode } from '../../kube/objects/node-addresses.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import type { Task } from '../../platform/task.ts';
import { goQuoteList } from '../../platform/text/quote.ts';
import { NodeError } from '../errors.ts';
import { compareAddresses } from '../net/addresses.ts';
import { StaticPodStatuses } from '../resources/k8s.ts';
import { check, type HealthCheck, type HealthSubject, MINUTE_US, NotApplicable, SECOND_US } from './check.ts';
import { assertPodsReady } from './kubernetes-view.ts';

const COMPONENTS: readonly string[] = Object.freeze(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);
const CONTROL_PLANE_LABEL = 'node-role.kubernetes.io/control-plane';

/** Checks 10 to 16: what Kubernetes says (reference/lifecycle-api-cli.md D.2, reference/v1.11.3.md 13). */
export const KUBERNETES_CHECKS: readonly HealthCheck[] = Object.freeze([
  check('all k8s nodes to report', allReport, { intervalUs: 30 * SECOND_US }),
  check('all control plane static pods to be running', staticPodsRunning),
  check('all control plane components to be ready', componentsReady),
  check('all k8s nodes to report ready', nodesReady, { limitUs: 10 * MINUTE_US }),
  check('kube-proxy to report ready', (subject) => workloadReady(subject, 'daemonsets', 'k8s-app=kube-proxy')),
  check('coredns to report ready', (subject) => workloadReady(subject, 'deployments', 'k8s-app=kube-dns')),
  check('all k8s nodes to report schedulable', nodesSchedulable),
]);

function ipsOf(node: KubeObject): readonly string[] {
  return addressesOfNode(node)
    .filter(({ type }) => type === 'InternalIP' || type === 'ExternalIP')
    .map(({ address }) => address);
}

function* allReport({ kubernetes, nodes }: HealthSubject): Task<void> {
  compare(
    nodes.all.map(({ addresses }) => addresses),
    (yield* kubernetes.nodes()).map(ipsOf),
  );
}

/** Each expected node is there by one of its addresses, and nobody else. */
function compare(expected: readonly (readonly string[])[], actual: readonly (readonly string[])[]): void {
  const meet = (a: readonly string[], b: readonly string[]): boolean => a.some((address) => b.includes(address));
  const missing = expected.find((addresses) => !actual.some((other) => meet(addresses, other)));
  if (missing !== undefined) throw new NodeError(`can't find expected node with IPs ${goQuoteList(missing)}`);
  const extra = actual.filter((addresses) => !expected.some((other) => meet(addresses, other)));
  if (extra.length > 0)
    throw new NodeError(`unexpected nodes with IPs ${goQuoteList(extra.flat().sort(compareAddresses))}`);
}

function* staticPodsRunning({ asker, nodes }: HealthSubject): Task<void> {
  const problems: string[] = [];
  for (const { internalIp } of nodes.controlPlanes) {
    const ids = (yield* asker.list(StaticPodStatuses, internalIp)).map(({ id }) => id);
    const missing = COMPONENTS.map((name) => `kube-system/${name}`).filter(
      (prefix) => !ids.some((id) => id.startsWith(prefix)),
    );
    if (missing.length > 0) problems.push(`missing static pods on node ${internalIp}: [${missing.join(' ')}]`);
  }
  if (problems.length > 0) throw new NodeError(joinErrors(problems));
}

function* componentsReady({ kubernetes, nodes }: HealthSubject): Task<void> {
  const labelled = (yield* kubernetes.nodes()).filter(
    (node) => node.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined,
  );
  compare(
    nodes.controlPlanes.map(({ addresses }) => addresses),
    labelled.map(ipsOf),
  );
  for (const component of COMPONENTS) {
    const pods = yield* kubernetes.pods(`k8s-app=${component}`);
    if (pods.length !== labelled.length) {
      throw new NodeError(`expected number of pods for ${component} to be ${labelled.length}, got ${pods.length}`);
    }
    const unready = pods.filter((pod) => !isReady(pod)).map((pod) => pod.metadata.name);
    if (unready.length > 0) throw new NodeError(`some pods are not ready for ${component}: [${unready.join(' ')}]`);
  }
}

function* nodesReady({ kubernetes }: HealthSubject): Task<void> {
  const unready = (yield* kubernetes.nodes()).filter((node) => !isReady(node)).map((node) => node.metadata.name);
  if (unready.length > 0) throw new NodeError(`some nodes are not ready: [${unready.join(' ')}]`);
}

function* workloadReady(
  { kubernetes }: HealthSubject,
  resource: 'daemonsets' | 'deployments',
  labelSelector: string,
): Task<void> {
  const wanted = yield* kubernetes.wanted(resource, labelSelector);
  if (wanted === undefined) throw new NotApplicable();
  assertPodsReady(yield* kubernetes.pods(labelSelector), wanted, labelSelector);
}

/** The original stops at the first cordoned node, so it never names more than one. */
function* nodesSchedulable({ kubernetes }: HealthSubject): Task<void> {
  const cordoned = (yield* kubernetes.nodes()).find(
    (node) => (node.spec as { unschedulable?: boolean } | undefined)?.unschedulable === true,
  );
  if (cordoned !== undefined) throw new NodeError(`some nodes are not schedulable: [${cordoned.metadata.name}]`);
}
