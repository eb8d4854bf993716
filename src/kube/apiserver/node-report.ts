import type { Platform } from '../../platform/platform.ts';
import { nodeChanged } from '../events.ts';
import { isReady } from '../objects/conditions.ts';
import type { KubeObject } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';
import type { ApiService } from './service.ts';

/** Tells observers of every change of a Node that this API server sees. */
export function reportNodes(service: ApiService, platform: Platform): void {
  const cache = service.cacheOf(findResource('v1', 'nodes')!);
  const tell = (node: KubeObject, deleted: boolean, revision: number): void =>
    platform.log.event(nodeChanged, { name: node.metadata.name, ready: isReady(node), deleted, revision });
  for (const node of cache.objects()) tell(node, false, Number(node.metadata.resourceVersion));
  cache.listen((event, _previous, revision) => tell(event.object as KubeObject, event.type === 'DELETED', revision));
}
