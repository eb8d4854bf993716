import { PATCH_TYPES } from '../../kube/apiserver/patch.ts';
import { KubeError } from '../../kube/objects/errors.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import { findByName } from '../../kube/objects/resources.ts';
import type { Task } from '../../platform/task.ts';
import { formatDurationUs } from '../../platform/text/duration.ts';
import type { ToolContext } from '../tools/tool.ts';
import {
  KubectlFailure,
  type KubectlRunner,
  namespaceOf,
  type Opened,
  type Parsed,
  printedType,
  targetsOf,
} from './session.ts';

const NODES = findByName('nodes')!;
const PODS = findByName('pods')!;
const MIRROR = 'kubernetes.io/config.mirror';
const POLL_US = 1_000_000;

/** `kubectl cordon` and `kubectl uncordon`. */
export function cordon(unschedulable: boolean): KubectlRunner {
  return function* run(parsed, context, cluster) {
    for (const name of parsed.args) yield* setUnschedulable(context, cluster, name, unschedulable);
    return 0;
  };
}

function* setUnschedulable(context: ToolContext, cluster: Opened, name: string, unschedulable: boolean): Task<void> {
  const node = yield* cluster.client.get(NODES, undefined, name);
  const already = ((node.spec as { unschedulable?: boolean } | undefined)?.unschedulable === true) === unschedulable;
  if (!already)
    yield* cluster.client.patch(NODES, undefined, name, PATCH_TYPES.merge, {
      spec: { unschedulable: unschedulable ? true : null },
    });
  context.out(`node/${name} ${already ? 'already ' : ''}${unschedulable ? 'cordoned' : 'uncordoned'}\n`);
}

/** `kubectl drain`: cordons, then evicts what may go and waits until it is gone. */
export function* drain(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const [name = ''] = parsed.args;
  yield* setUnschedulable(context, cluster, name, true);
  const { items } = yield* cluster.client.list(PODS, undefined, { fieldSelector: `spec.nodeName=${name}` });
  const pods = items.filter((pod) => pod.metadata.annotations?.[MIRROR] === undefined);
  const daemons = pods.filter((pod) => controllerOf(pod) === 'DaemonSet');
  const alone = pods.filter((pod) => controllerOf(pod) === undefined);
  const problems = [
    ...complaint(
      daemons,
      !parsed.flags.on('ignore-daemonsets'),
      'cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)',
    ),
    ...complaint(
      alone,
      !parsed.flags.on('force'),
      'cannot delete Pods that declare no controller (use --force to override)',
    ),
  ];
  const local = pods.filter((pod) => !daemons.includes(pod) && hasLocalStorage(pod));
  problems.push(
    ...complaint(
      local,
      !parsed.flags.on('delete-emptydir-data'),
      'cannot delete Pods with local storage (use --delete-emptydir-data to override)',
    ),
  );
  if (problems.length > 0) throw undrained(name, problems);
  if (daemons.length > 0) context.err(`Warning: ignoring DaemonSet-managed Pods: ${daemons.map(path).join(', ')}\n`);
  const victims = pods.filter((pod) => !daemons.includes(pod));
  for (const pod of victims) yield* evict(context, cluster, pod);
  const timeoutUs = parsed.flags.number('timeout');
  const deadlineUs = timeoutUs === 0 ? Number.MAX_SAFE_INTEGER : context.platform.clock.monotonicUs() + timeoutUs;
  const left: string[] = [];
  for (const pod of victims) {
    const { name: victim, namespace } = pod.metadata;
    if (!(yield* isGone(context, cluster, pod, deadlineUs)))
      left.push(
        `error when waiting for pod "${victim}" in namespace "${namespace}" to terminate: global timeout reached: ${formatDurationUs(timeoutUs)}`,
      );
  }
  if (left.length > 0) throw undrained(name, left);
  context.out(`node/${name} drained\n`);
  return 0;
}

function undrained(name: string, problems: readonly string[]): KubectlFailure {
  const errors = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  return new KubectlFailure(
    `error: unable to drain node "${name}" due to error: ${errors}, continuing command...\nThere are pending nodes to be drained:\n ${name}\n${problems.join('\n')}`,
  );
}

function complaint(pods: readonly KubeObject[], counts: boolean, text: string): string[] {
  return counts && pods.length > 0 ? [`${text}: ${pods.map(path).join(', ')}`] : [];
}

function path(pod: KubeObject): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

function hasLocalStorage(pod: KubeObject): boolean {
  const { volumes } = pod.spec as { volumes?: readonly { emptyDir?: object }[] };
  return volumes?.some((volume) => volume.emptyDir !== undefined) === true;
}

function controllerOf(pod: KubeObject): string | undefined {
  return pod.metadata.ownerReferences?.find((owner) => owner.controller === true)?.kind;
}

function* evict(context: ToolContext, cluster: Opened, pod: KubeObject): Task<void> {
  const { name, namespace } = pod.metadata;
  context.out(`evicting pod ${path(pod)}\n`);
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  try {
    yield* cluster.client.createBelow(PODS, namespace, name, 'eviction', eviction);
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== 'NotFound') throw error;
  }
}

/** Waits until the pod has gone; false when it is still there at the deadline. */
function* isGone(context: ToolContext, cluster: Opened, pod: KubeObject, deadlineUs: number): Task<boolean> {
  const { name, namespace, uid } = pod.metadata;
  const { clock } = context.platform;
  while ((yield* cluster.client.find(PODS, namespace, name))?.metadata.uid === uid) {
    const leftUs = deadlineUs - clock.monotonicUs();
    if (leftUs <= 0) return false;
    yield* clock.sleep(Math.min(POLL_US, leftUs));
  }
  context.out(`pod/${name} evicted\n`);
  return true;
}

/** `kubectl label TYPE NAME key=value key-`. */
export function* label(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const words = parsed.args.filter((word) => !isChange(word));
  const changes = parsed.args.filter(isChange);
  if (changes.length === 0) throw new KubectlFailure('error: at least one label update is required');
  for (const { type, names } of targetsOf(words)) {
    if (names.length === 0) throw new KubectlFailure('error: resource(s) were provided, but no name was specified');
    for (const name of names) {
      const namespace = namespaceOf(parsed, cluster, type);
      const object = yield* cluster.client.get(type, namespace, name);
      const labels = labelPatch(object, changes, parsed.flags.on('overwrite'));
      const patched = yield* cluster.client.patch(type, namespace, name, PATCH_TYPES.merge, { metadata: { labels } });
      const same = patched.metadata.resourceVersion === object.metadata.resourceVersion;
      const removed = Object.values(labels).every((value) => value === null);
      context.out(`${printedType(type)}/${name} ${same ? 'not labeled' : removed ? 'unlabeled' : 'labeled'}\n`);
    }
  }
  return 0;
}

function isChange(word: string): boolean {
  return word.includes('=') || word.endsWith('-');
}

function labelPatch(object: KubeObject, changes: readonly string[], overwrite: boolean): Record<string, string | null> {
  const labels: Record<string, string | null> = {};
  for (const change of changes) {
    const cut = change.indexOf('=');
    const key = cut < 0 ? change.slice(0, -1) : change.slice(0, cut);
    const value = cut < 0 ? null : change.slice(cut + 1);
    const present = object.metadata.labels?.[key];
    if (value !== null && present !== undefined && present !== value && !overwrite)
      throw new KubectlFailure(`error: '${key}' already has a value (${present}), and --overwrite is false`);
    labels[key] = value;
  }
  return labels;
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** `kubectl taint nodes NAME key=value:Effect key-`. */
export function* taint(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const [kind = '', name = '', ...changes] = parsed.args;
  if (!['node', 'nodes', 'no'].includes(kind))
    throw new KubectlFailure(`error: invalid resource type ${kind}, only node types are supported`);
  if (changes.length === 0) throw new KubectlFailure('error: at least one taint update is required');
  const node = yield* cluster.client.get(NODES, undefined, name);
  let taints = (node.spec as { taints?: readonly Taint[] } | undefined)?.taints ?? [];
  let verb = 'untainted';
  for (const change of changes) {
    if (change.endsWith('-')) {
      const { key, effect } = parseTaint(change.slice(0, -1));
      const rest = taints.filter((known) => known.key !== key || (effect !== '' && known.effect !== effect));
      if (rest.length === taints.length) throw new KubectlFailure(`error: taint "${change.slice(0, -1)}" not found`);
      taints = rest;
      continue;
    }
    const added = parseTaint(change);
    if (!EFFECTS.includes(added.effect))
      throw new KubectlFailure(`error: invalid taint effect: ${added.effect}, unsupported taint effect`);
    const same = (known: Taint): boolean => known.key === added.key && known.effect === added.effect;
    if (taints.some(same) && !parsed.flags.on('overwrite'))
      throw new KubectlFailure(
        `error: node ${name} already has ${added.key} taint(s) with same effect(s) and --overwrite is false`,
      );
    taints = [...taints.filter((known) => !same(known)), added];
    verb = 'tainted';
  }
  yield* cluster.client.patch(NODES, undefined, name, PATCH_TYPES.merge, { spec: { taints } });
  context.out(`node/${name} ${verb}\n`);
  return 0;
}

const EFFECTS: readonly string[] = Object.freeze(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);

function parseTaint(text: string): Taint {
  const [, key = '', value, effect = ''] = /^([^=:]*)(?:=([^:]*))?(?::(.*))?$/.exec(text) ?? [];
  return { key, ...(value !== undefined && value !== '' && { value }), effect };
}
