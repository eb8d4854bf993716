import { EventType } from '../../../api/cosi/state.ts';
import { Reflector } from '../../../kube/client/reflector.ts';
import { isReady } from '../../../kube/objects/conditions.ts';
import type { KubeObject } from '../../../kube/objects/object.ts';
import { findResource } from '../../../kube/objects/resources.ts';
import { SECOND_US } from '../../../platform/clock.ts';
import { race, timeout } from '../../../platform/combinators.ts';
import { TimeoutError } from '../../../platform/errors.ts';
import { splitImage } from '../../../platform/image.ts';
import type { Task } from '../../../platform/task.ts';
import { specOf } from '../resource-text.ts';
import { CommandFailure } from '../run.ts';
import { patchNodeConfig } from './node-config.ts';
import { ResourceWatch } from './resource-watch.ts';
import { explained, imageOf, type StaticComponent, type Upgrade } from './run.ts';

const PODS = findResource('v1', 'pods')!;
const POD_LIMIT_US = 300 * SECOND_US;
/** How often the informer shows its pods again. */
const RESYNC_US = 10 * SECOND_US;

interface Place {
  /** Section of `cluster` in the machine config. */
  readonly section: string;
  readonly configType: string;
}

/** In the order in which they are updated. */
const PLACES: Readonly<Record<StaticComponent, Place>> = Object.freeze({
  'kube-apiserver': { section: 'apiServer', configType: 'APIServerConfigs.kubernetes.talos.dev' },
  'kube-controller-manager': {
    section: 'controllerManager',
    configType: 'ControllerManagerConfigs.kubernetes.talos.dev',
  },
  'kube-scheduler': { section: 'scheduler', configType: 'SchedulerConfigs.kubernetes.talos.dev' },
});

/** One component after the other, each on one control plane after the other (reference/lifecycle-api-cli.md C.7). */
export function* upgradeControlPlane(upgrade: Upgrade): Task<void> {
  for (const component of Object.keys(PLACES) as StaticComponent[])
    yield* explained(`failed updating service "${component}"`, upgradeComponent(upgrade, component));
}

function* upgradeComponent(upgrade: Upgrade, component: StaticComponent): Task<void> {
  upgrade.cluster.log(`updating "${component}" to version "${upgrade.path.to}"`);
  for (const node of upgrade.controlPlanes)
    yield* explained(`error updating node "${node}"`, upgradeOnNode(upgrade, component, node));
}

function* upgradeOnNode(upgrade: Upgrade, component: StaticComponent, node: string): Task<void> {
  const { cluster, options } = upgrade;
  const { section, configType } = PLACES[component];
  cluster.log(` > "${node}": starting update`);
  const reference = { namespace: 'controlplane', type: configType, id: component };
  const watch = new ResourceWatch(cluster.talos, node, reference);
  try {
    const first = yield* explained('error watching service configuration', watch.next());
    if (first.type !== EventType.Created) throw new CommandFailure(`unexpected event type: ${first.type}`);
    let version = first.resource!.metadata!.version;
    const { image: current } = specOf(first.resource!) as { readonly image: string };
    const image = imageOf(upgrade, component);
    const change = image !== current && tellUpdate(upgrade, component, current);
    if (change) {
      const patched = patchNodeConfig(upgrade, node, { place: ['cluster', section], image });
      yield* explained('error patching node config', patched);
    }
    if (options.dryRun) return;
    cluster.log(` > "${node}": machine configuration patched`);
    cluster.log(` > "${node}": waiting for ${component} pod update`);
    if (change) {
      const second = yield* watch.next();
      if (second.type !== EventType.Updated) throw new CommandFailure(`unexpected event type: ${second.type}`);
      version = second.resource!.metadata!.version;
    }
    yield* podUpdated(upgrade, component, node, version);
    cluster.log(` < "${node}": successfully updated`);
  } finally {
    watch.close();
  }
}

/** Tells what is about to change; false in a dry run. */
function tellUpdate({ cluster, options, path }: Upgrade, component: string, image: string): boolean {
  cluster.log(` > update ${component}: ${splitImage(image).tag ?? path.from} -> ${path.to}`);
  if (options.dryRun) cluster.log(' > skipped in dry-run');
  return !options.dryRun;
}

/** Waits until the pod of the node comes from that version of the configuration and is ready. */
function* podUpdated(upgrade: Upgrade, component: string, node: string, version: string): Task<void> {
  const { cluster } = upgrade;
  const { clock } = cluster.context.platform;
  try {
    yield* timeout(
      clock,
      POD_LIMIT_US,
      cluster.withKube(function* (kube): Task<void> {
        const pods = new Reflector(kube, clock, PODS, 'kube-system', { labelSelector: `k8s-app=${component}` });
        pods.onFailure = (error) => cluster.log(`kubernetes endpoint watch error: ${error.message}`);
        yield* race({ follow: pods.run(), wait: untilUpdated(upgrade, pods, { component, node, version }) });
      }),
    );
  } catch (error) {
    if (error instanceof TimeoutError) throw new CommandFailure('context deadline exceeded');
    throw error;
  }
}

interface Wanted {
  readonly component: string;
  readonly node: string;
  readonly version: string;
}

/** Looks at each change of the pod, and at every resync. */
function* untilUpdated({ cluster }: Upgrade, pods: Reflector, { component, node, version }: Wanted): Task<void> {
  const { clock } = cluster.context.platform;
  let seen: KubeObject | undefined;
  for (;;) {
    const resynced = yield* race({
      change: is(false, pods.changed.changed()),
      resync: is(true, clock.sleep(RESYNC_US)),
    });
    const pod = pods.items().find(({ status }) => (status as { hostIP?: string } | undefined)?.hostIP === node);
    if (pod === undefined || (pod === seen && !resynced)) continue;
    seen = pod;
    const got = pod.metadata.annotations?.['talos.dev/config-version'] ?? '';
    const prefix = ` > "${node}": ${component}`;
    if (got !== version)
      cluster.log(`${prefix}: waiting, config version mismatch: got "${got}", expected "${version}"`);
    else if (!isReady(pod)) cluster.log(`${prefix}: pod is not ready, waiting`);
    else return;
  }
}

function* is<T>(value: T, task: Task<unknown>): Task<T> {
  yield* task;
  return value;
}
