import type { KeyPair } from '../../platform/crypto.ts';
import type { Platform } from '../../platform/platform.ts';
import type { KubeClient } from '../client/client.ts';
import { Reflector } from '../client/reflector.ts';
import { findResource } from '../objects/resources.ts';

/** What every controller of the controller-manager works with. */
export interface ControllerContext {
  readonly platform: Platform;
  readonly client: KubeClient;
  readonly nodes: Reflector;
  readonly pods: Reflector;
  readonly leases: Reflector;
  readonly requests: Reflector;
  readonly daemonSets: Reflector;
  readonly deployments: Reflector;
  readonly replicaSets: Reflector;
  /** Signs client certificates of kubelets. */
  readonly authority: KeyPair;
  readonly clusterCidr: string;
}

/** Reflectors of everything that controllers look at; each is followed by a task of its own. */
export function openContext(
  platform: Platform,
  client: KubeClient,
  authority: KeyPair,
  clusterCidr: string,
): ControllerContext {
  const follow = (groupVersion: string, resource: string, namespace?: string): Reflector => {
    const reflector = new Reflector(client, platform.clock, findResource(groupVersion, resource)!, namespace);
    platform.scope.spawn(`reflector ${resource}`, () => reflector.run());
    return reflector;
  };
  return {
    platform,
    client,
    authority,
    clusterCidr,
    nodes: follow('v1', 'nodes'),
    pods: follow('v1', 'pods'),
    leases: follow('coordination.k8s.io/v1', 'leases', 'kube-node-lease'),
    requests: follow('certificates.k8s.io/v1', 'certificatesigningrequests'),
    daemonSets: follow('apps/v1', 'daemonsets'),
    deployments: follow('apps/v1', 'deployments'),
    replicaSets: follow('apps/v1', 'replicasets'),
  };
}
