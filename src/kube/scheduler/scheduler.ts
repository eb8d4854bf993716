import { race } from '../../platform/combinators.ts';
import type { Process } from '../../platform/containers.ts';
import type { Task } from '../../platform/task.ts';
import type { KubeClient } from '../client/client.ts';
import { Reflector } from '../client/reflector.ts';
import { connect } from '../component/connect.ts';
import { type ComponentFlags, parseComponentFlags } from '../component/flags.ts';
import { LeaderElection } from '../component/leader-election.ts';
import { onChange } from '../component/loop.ts';
import { untilStopped } from '../component/process.ts';
import { serveComponentHealth } from '../component/serving.ts';
import { waitForApi } from '../component/wait-for-api.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';
import { tolerates } from '../objects/taints.ts';

/** Flags that Talos gives it (reference/v1.11.3.md 17.3) and common ones; unknown ones are refused. */
const KNOWN_FLAGS: readonly string[] = Object.freeze([
  'authentication-kubeconfig',
  'authentication-tolerate-lookup-failure',
  'authorization-kubeconfig',
  'bind-address',
  'config',
  'feature-gates',
  'kubeconfig',
  'leader-elect',
  'profiling',
  'tls-min-version',
  'v',
]);

const PODS = findResource('v1', 'pods')!;
const NODES = findResource('v1', 'nodes')!;
const PERIOD_US = 60_000_000;

const HEALTH_PORT = 10_259;

/** kube-scheduler: leader election, then binding pods to nodes whose taints and names they accept, the emptiest first. */
export function* kubeScheduler(process: Process): Task<number> {
  const flags = parseComponentFlags(process.argv, KNOWN_FLAGS);
  if (typeof flags === 'string') {
    process.print(flags);
    return 1;
  }
  return yield* race({ serve: serve(process, flags), stop: untilStopped(process) });
}

function* serve(process: Process, flags: ComponentFlags): Task<number> {
  const { platform } = process;
  // Talos names the kubeconfig in the scheduler's config file and gives the same file for authentication.
  const client = yield* connect(platform, flags.values.kubeconfig ?? flags.values['authentication-kubeconfig'] ?? '');
  if (client === undefined) {
    process.print('Error: the kubeconfig cannot be read');
    return 1;
  }
  const address = flags.values['bind-address'] ?? '0.0.0.0';
  if (!(yield* serveComponentHealth(process, address, HEALTH_PORT))) return 1;
  if (!(yield* waitForApi(process, client))) return 1;
  const identity = `${process.env.HOSTNAME ?? 'localhost'}_${platform.random.uint32().toString(16)}`;
  const election = new LeaderElection(client, platform, 'kube-scheduler', identity);
  yield* election.acquire();
  const pods = new Reflector(client, platform.clock, PODS);
  const nodes = new Reflector(client, platform.clock, NODES);
  platform.scope.spawn('pods', () => pods.run());
  platform.scope.spawn('nodes', () => nodes.run());
  const assumed = new Map<string, string>();
  platform.scope.spawn('schedule', () =>
    onChange(platform.clock, [pods.changed, nodes.changed], PERIOD_US, function* () {
      if (pods.synced && nodes.synced)
        yield* schedule(client, withAssumed(pods.items(), assumed), nodes.items(), assumed);
    }),
  );
  yield* election.hold();
  process.print('"Leaderelection lost"');
  return 1;
}

interface PodSpec {
  readonly nodeName?: string;
  readonly tolerations?: readonly object[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms: readonly {
          readonly matchFields?: readonly { readonly key: string; readonly values: readonly string[] }[];
          readonly matchExpressions?: readonly {
            readonly key: string;
            readonly operator: string;
            readonly values?: readonly string[];
          }[];
        }[];
      };
    };
  };
}

/** Pods that were bound count as bound before the watch says so; what it has said is forgotten. */
function withAssumed(pods: readonly KubeObject[], assumed: Map<string, string>): KubeObject[] {
  const waiting = new Set<string>();
  const result = pods.map((pod) => {
    const uid = pod.metadata.uid!;
    const nodeName = assumed.get(uid);
    if (nodeName === undefined || ((pod.spec as PodSpec).nodeName ?? '') !== '') return pod;
    waiting.add(uid);
    return { ...pod, spec: { ...(pod.spec as PodSpec), nodeName } };
  });
  for (const uid of [...assumed.keys()]) if (!waiting.has(uid)) assumed.delete(uid);
  return result;
}

/** Binds what waits: pods of one owner spread over nodes first, then the node with the fewest pods. */
function* schedule(
  client: KubeClient,
  pods: readonly KubeObject[],
  nodes: readonly KubeObject[],
  assumed: Map<string, string>,
): Task<void> {
  const load = new Map<string, number>();
  const count = (key: string): number => load.get(key) ?? 0;
  const add = (pod: KubeObject, node: string): void => {
    for (const key of [node, `${node} ${ownerKey(pod)}`]) load.set(key, count(key) + 1);
  };
  for (const pod of pods) {
    const { nodeName = '' } = pod.spec as PodSpec;
    if (nodeName !== '' && pod.metadata.deletionTimestamp === undefined) add(pod, nodeName);
  }
  for (const pod of pods) {
    const spec = pod.spec as PodSpec;
    if ((spec.nodeName ?? '') !== '' || pod.metadata.deletionTimestamp !== undefined) continue;
    const siblings = (node: KubeObject): number => count(`${node.metadata.name} ${ownerKey(pod)}`);
    const [best] = nodes
      .filter((node) => fits(spec, node))
      .toSorted((a, b) => siblings(a) - siblings(b) || count(a.metadata.name) - count(b.metadata.name));
    if (best === undefined) continue;
    add(pod, best.metadata.name);
    if (yield* bind(client, pod, { apiVersion: 'v1', kind: 'Node', name: best.metadata.name }))
      assumed.set(pod.metadata.uid!, best.metadata.name);
  }
}

/** Pods without an owner have no siblings. */
function ownerKey(pod: KubeObject): string {
  return pod.metadata.ownerReferences?.[0]?.uid ?? pod.metadata.uid ?? '';
}

/** A pod that was bound or deleted meanwhile is left alone. */
function* bind(client: KubeClient, pod: KubeObject, target: object): Task<boolean> {
  const { namespace, name } = pod.metadata;
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
  try {
    yield* client.createBelow(PODS, namespace, name, 'binding', binding);
    return true;
  } catch (error) {
    if (!(error instanceof KubeError) || (error.reason !== 'Conflict' && error.reason !== 'NotFound')) throw error;
    return false;
  }
}

function fits(spec: PodSpec, node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  if (Object.entries(spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const named = terms?.some((term) => term.matchFields !== undefined) === true;
  if (terms !== undefined && !terms.some((term) => termMatches(term, node, labels))) return false;
  return tolerates(node, spec.tolerations ?? [], named);
}

function termMatches(
  term: NonNullable<
    NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
  >['nodeSelectorTerms'][number],
  node: KubeObject,
  labels: Readonly<Record<string, string>>,
): boolean {
  const fields = (term.matchFields ?? []).every(
    (field) => field.key === 'metadata.name' && field.values.includes(node.metadata.name),
  );
  const expressions = (term.matchExpressions ?? []).every(({ key, operator, values }) => {
    const value = labels[key];
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    return (value !== undefined && (values ?? []).includes(value)) === (operator === 'In');
  });
  return fields && expressions;
}
