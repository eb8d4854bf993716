import type { KubeClient } from '../../../kube/client/client.ts';
import type { KubeObject } from '../../../kube/objects/object.ts';
import { findKind } from '../../../kube/objects/resources.ts';
import { SECOND_US } from '../../../platform/clock.ts';
import type { Task } from '../../../platform/task.ts';
import { everyTenSeconds, NotYet } from './go-retry.ts';
import { pathOf } from './manifests.ts';
import type { Cluster } from './run.ts';

/** What a controller says of its object; a number that it does not say is 0. */
type Numbers = Readonly<Record<string, number>>;

const KINDS: readonly { readonly kind: string; readonly limitUs: number; readonly check: typeof checkDeployment }[] = [
  { kind: 'Deployment', limitUs: 180 * SECOND_US, check: checkDeployment },
  { kind: 'DaemonSet', limitUs: 300 * SECOND_US, check: checkDaemonSet },
];

/** Waits for the pods of every Deployment and then every DaemonSet that was changed. */
export function* waitForRollouts(cluster: Cluster, kube: KubeClient, changed: readonly KubeObject[]): Task<void> {
  const { clock } = cluster.context.platform;
  for (const { kind, limitUs, check } of KINDS)
    for (const object of changed) {
      if (object.kind !== kind || object.apiVersion !== 'apps/v1') continue;
      cluster.log(` > waiting for ${pathOf(object)}`);
      const { namespace, name } = object.metadata;
      yield* everyTenSeconds(clock, limitUs, function* (): Task<void> {
        const current = yield* kube.get(findKind('apps/v1', kind)!, namespace, name);
        const status = (current.status ?? {}) as Numbers;
        check(name, current.metadata.generation ?? 0, (field) => status[field] ?? 0);
      });
    }
}

type Status = (field: string) => number;

function checkDeployment(name: string, generation: number, status: Status): void {
  const [observed, replicas, ready] = [status('observedGeneration'), status('replicas'), status('readyReplicas')];
  if (generation !== observed)
    throw new NotYet(`deployment ${name} generation ${generation} != observed generation ${observed}`);
  if (ready !== replicas || status('updatedReplicas') !== replicas)
    throw new NotYet(`deployment ${name} ready replicas ${ready} != replicas ${replicas}`);
}

function checkDaemonSet(name: string, generation: number, status: Status): void {
  if (generation !== status('observedGeneration'))
    throw new NotYet(
      `expected observed generation for ${name} to be ${generation}, got ${status('observedGeneration')}`,
    );
  const [updated, current, desired] = [
    'updatedNumberScheduled',
    'currentNumberScheduled',
    'desiredNumberScheduled',
  ].map(status) as [number, number, number];
  // The two numbers of the first message stand where the real one has them.
  if (updated !== desired)
    throw new NotYet(`expected current number up-to-date for ${name} to be ${updated}, got ${current}`);
  const rest: readonly (readonly [what: string, got: number])[] = [
    ['current number scheduled', current],
    ['number available', status('numberAvailable')],
    ['number ready', status('numberReady')],
  ];
  for (const [what, got] of rest)
    if (got !== desired) throw new NotYet(`expected ${what} for ${name} to be ${desired}, got ${got}`);
}
