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
  platform.scope.spawn('schedule', () =>
    onChange(platform.clock, [pods.changed, nodes.changed], PERIOD_US, function* () {
      if (pods.synced && nodes.synced) yield* schedule(client, pods.items(), nodes.items());
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

function* schedule(client: KubeClient, pods: readonly KubeObject[], nodes: readonly KubeObject[]): Task<void> {
  const load = new Map<string, number>();
  for (const pod of pods) {
    const node = (pod.spec as PodSpec).nodeName;
    if (node !== undefined && node !== '') load.set(node, (load.get(node) ?? 0) + 1);
  }
  for (const pod of pods) {
    const spec = pod.spec as PodSpec;
    if ((spec.nodeName ?? '') !== '' || pod.metadata.deletionTimestamp !== undefined) continue;
    const fitting = nodes.filter((node) => fits(spec, node));
    const best = fitting.toSorted((a, b) => (load.get(a.metadata.name) ?? 0) - (load.get(b.metadata.name) ?? 0))[0];
    if (best === undefined) continue;
    const target = { apiVersion: 'v1', kind: 'Node', name: best.metadata.name };
    load.set(target.name, (load.get(target.name) ?? 0) + 1);
    yield* bind(client, pod, target);
  }
}

/** A pod that was bound or deleted meanwhile is left alone. */
function* bind(client: KubeClient, pod: KubeObject, target: object): Task<void> {
  const { namespace, name } = pod.metadata;
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
  try {
    yield* client.createBelow(PODS, namespace, name, 'binding', binding);
  } catch (error) {
    if (!(error instanceof KubeError) || (error.reason !== 'Conflict' && error.reason !== 'NotFound')) throw error;
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
