import { EventType } from '../../../api/cosi/state.ts';
import { isReady } from '../../../kube/objects/conditions.ts';
import { addressesOfNode } from '../../../kube/objects/node-addresses.ts';
import { findResource } from '../../../kube/objects/resources.ts';
import { SECOND_US } from '../../../platform/clock.ts';
import { splitImage } from '../../../platform/image.ts';
import type { Task } from '../../../platform/task.ts';
import { specOf } from '../resource-text.ts';
import { CommandFailure } from '../run.ts';
import { everyTenSeconds, NotYet } from './go-retry.ts';
import { patchNodeConfig } from './node-config.ts';
import { kubeletSpec } from './removed.ts';
import { ResourceWatch } from './resource-watch.ts';
import { explained, imageOf, type Upgrade } from './run.ts';

const NODES = findResource('v1', 'nodes')!;
const NODE_LIMIT_US = 180 * SECOND_US;

/** Control planes first, then workers, one after the other (reference/lifecycle-api-cli.md C.7). */
export function* upgradeKubelets(upgrade: Upgrade): Task<void> {
  upgrade.cluster.log(`updating kubelet to version "${upgrade.path.to}"`);
  for (const node of [...upgrade.controlPlanes, ...upgrade.workers])
    yield* explained(`error updating node "${node}"`, upgradeOnNode(upgrade, node));
}

function* upgradeOnNode(upgrade: Upgrade, node: string): Task<void> {
  const { cluster, options } = upgrade;
  cluster.log(` > "${node}": starting update`);
  const reference = { namespace: 'runtime', type: 'Services.v1alpha1.talos.dev', id: 'kubelet' };
  const watch = new ResourceWatch(cluster.talos, node, reference);
  try {
    const first = yield* explained('error watching service', watch.next());
    if (first.type !== EventType.Created) throw new CommandFailure(`unexpected event type: ${first.type}`);
    if (!isWell(specOf(first.resource!))) throw new CommandFailure('kubelet is not healthy');
    const changes = yield* patched(upgrade, node);
    if (options.dryRun) return;
    cluster.log(` > "${node}": machine configuration patched`);
    if (changes) {
      cluster.log(` > "${node}": waiting for kubelet restart`);
      yield* explained('error watching service', restarted(watch));
    }
    cluster.log(` > "${node}": waiting for node update`);
    const { clock } = cluster.context.platform;
    yield* everyTenSeconds(clock, NODE_LIMIT_US, () => nodeUpdated(upgrade, node));
    cluster.log(` < "${node}": successfully updated`);
  } finally {
    watch.close();
  }
}

/** Puts the new image into the config; false when it is there already, or in a dry run. */
function* patched(upgrade: Upgrade, node: string): Task<boolean> {
  const { cluster, options, path } = upgrade;
  const spec = yield* explained('error fetching kubelet spec', kubeletSpec(upgrade, node));
  const current = spec?.image ?? '';
  const image = imageOf(upgrade, 'kubelet', flavourOf(current));
  if (image === current) return false;
  cluster.log(` > update kubelet: ${(splitImage(current).tag ?? path.from).replace(/^v+/, '')} -> ${path.to}`);
  if (options.dryRun) {
    cluster.log(' > skipped in dry-run');
    return false;
  }
  const change = { place: ['machine', 'kubelet'], image };
  yield* explained('error patching node config', patchNodeConfig(upgrade, node, change));
  return true;
}

/** `-fat` or `-slim`, which an upgrade keeps. */
export function flavourOf(image: string): string {
  return /-(?:fat|slim)$/.exec(splitImage(image).tag ?? '')?.[0] ?? '';
}

/** Down first, then running and healthy again. */
function* restarted(watch: ResourceWatch): Task<void> {
  for (let event = yield* watch.next(); event.type !== EventType.Destroyed; event = yield* watch.next())
    if (event.type === EventType.Errored) throw new CommandFailure('watch errored');
  for (;;) {
    const { type, resource } = yield* watch.next();
    if (type === EventType.Errored) throw new CommandFailure('watch errored');
    const shown = type === EventType.Created || type === EventType.Updated;
    if (shown && isWell(specOf(resource!))) return;
  }
}

function isWell(service: unknown): boolean {
  const { running, healthy } = service as { readonly running: boolean; readonly healthy: boolean };
  return running && healthy;
}

/** Succeeds once the Node says that its kubelet is of the new version, and is Ready. */
function* nodeUpdated({ cluster, path }: Upgrade, address: string): Task<void> {
  const { items } = yield* cluster.withKube((kube) => kube.list(NODES));
  const node = items.find((candidate) => addressesOfNode(candidate).some((one) => one.address === address));
  if (node === undefined) throw new NotYet(`node "${address}" not found`);
  const { kubeletVersion = '' } = (node.status as { nodeInfo?: { kubeletVersion?: string } }).nodeInfo ?? {};
  const wanted = `v${path.to}`;
  if (kubeletVersion !== wanted)
    throw new NotYet(`node version mismatch: got "${kubeletVersion}", expected "${wanted}"`);
  if (!isReady(node)) throw new NotYet('node is not ready');
}
