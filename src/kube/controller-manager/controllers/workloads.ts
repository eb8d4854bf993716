import type { Task } from '../../../platform/task.ts';
import { onChange } from '../../component/loop.ts';
import type { ControllerContext } from '../context.ts';
import { syncDaemonSet } from './daemon-sets.ts';
import { syncDeployment, syncReplicaSet } from './deployments.ts';

const PERIOD_US = 30_000_000;

/** Deployments, ReplicaSets and DaemonSets: the pods they own, and their status. */
export function* runWorkloads(context: ControllerContext): Task<never> {
  const sources = [context.daemonSets, context.deployments, context.replicaSets, context.pods, context.nodes];
  const changes = sources.map((source) => source.changed);
  return yield* onChange(context.platform.clock, changes, PERIOD_US, function* () {
    if (!sources.every((source) => source.synced)) return;
    for (const deployment of context.deployments.items()) yield* syncDeployment(context, deployment);
    for (const set of context.replicaSets.items()) yield* syncReplicaSet(context, set);
    for (const set of context.daemonSets.items()) yield* syncDaemonSet(context, set);
  });
}
