import type { Task } from '../../platform/task.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { findKind } from '../objects/resources.ts';
import type { ObjectStore } from './store.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

function namespace(name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

function clusterRole(name: string, rules: readonly object[]): KubeObject {
  return {
    apiVersion: RBAC,
    kind: 'ClusterRole',
    metadata: { name, labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
    rules,
  };
}

function binding(name: string, role: string, subject: { kind: string; name: string }): KubeObject {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
  return {
    apiVersion: RBAC,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef,
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', ...subject }],
  };
}

const CSR = 'certificates.k8s.io';

/** The part of the API server's bootstrap policy that bring-up needs, and the namespaces that always exist. */
export const DEFAULT_OBJECTS: readonly KubeObject[] = Object.freeze([
  namespace('default'),
  namespace('kube-system'),
  namespace('kube-public'),
  namespace('kube-node-lease'),
  clusterRole('cluster-admin', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
  binding('cluster-admin', 'cluster-admin', { kind: 'Group', name: 'system:masters' }),
  clusterRole('system:node-bootstrapper', [
    { apiGroups: [CSR], resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'list', 'watch'] },
  ]),
  clusterRole('system:certificates.k8s.io:certificatesigningrequests:nodeclient', [
    { apiGroups: [CSR], resources: ['certificatesigningrequests/nodeclient'], verbs: ['create'] },
  ]),
  clusterRole('system:certificates.k8s.io:certificatesigningrequests:selfnodeclient', [
    { apiGroups: [CSR], resources: ['certificatesigningrequests/selfnodeclient'], verbs: ['create'] },
  ]),
  clusterRole('system:node-proxier', [
    { apiGroups: [''], resources: ['endpoints', 'services', 'nodes'], verbs: ['list', 'watch', 'get'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  ]),
]);

/** Creates what is missing; other API servers may do the same at the same time. */
export function* createDefaults(store: ObjectStore): Task<void> {
  for (const object of DEFAULT_OBJECTS) {
    const type = findKind(object.apiVersion, object.kind)!;
    try {
      yield* store.create(type, object.metadata.namespace, object);
    } catch (error) {
      if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error;
    }
  }
}
