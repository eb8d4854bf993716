import type { ConfigObject, ConfigValue } from '../../../config/schema/types.ts';

/** Pieces that several bootstrap manifests are made of. */

export function clusterRoleBinding(
  name: string,
  roleName: string,
  subjects: readonly ConfigObject[],
  labels?: Readonly<Record<string, string>>,
): ConfigObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    subjects,
    roleRef: { kind: 'ClusterRole', name: roleName, apiGroup: 'rbac.authorization.k8s.io' },
  };
}

export function group(name: string): ConfigObject {
  return { kind: 'Group', name, apiGroup: 'rbac.authorization.k8s.io' };
}

export function serviceAccountSubject(name: string): ConfigObject {
  return { kind: 'ServiceAccount', name, namespace: 'kube-system' };
}

export function serviceAccount(name: string): ConfigObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'kube-system' } };
}

export function clusterRole(
  name: string,
  rules: readonly ConfigObject[],
  labels?: Readonly<Record<string, string>>,
): ConfigObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    rules,
  };
}

export function rule(groups: readonly string[], resources: readonly string[], verbs: readonly string[]): ConfigObject {
  return { apiGroups: groups, resources, verbs };
}

export function configMap(
  name: string,
  data: Readonly<Record<string, string>>,
  labels?: Readonly<Record<string, string>>,
): ConfigObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'kube-system', ...(labels === undefined ? {} : { labels }) },
    data,
  };
}

/** An environment variable from a field of the pod. */
export function fieldEnv(name: string, fieldPath: string): ConfigValue {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
