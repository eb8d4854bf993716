import type { NameRule } from './names.ts';

/** One resource type that the API server knows. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, as in paths: `nodes`. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** Below `/registry/` in etcd. */
  readonly storage: string;
  readonly subresources: readonly string[];
  readonly names: NameRule;
}

function type(
  groupVersion: string,
  resource: string,
  kind: string,
  namespaced: boolean,
  more: Partial<ResourceType> = {},
): ResourceType {
  const cut = groupVersion.indexOf('/');
  const group = cut < 0 ? '' : groupVersion.slice(0, cut);
  return Object.freeze({
    group,
    version: cut < 0 ? groupVersion : groupVersion.slice(cut + 1),
    resource,
    singular: kind.toLowerCase(),
    kind,
    namespaced,
    shortNames: [],
    storage: resource,
    subresources: [],
    names: 'subdomain',
    ...more,
  });
}

/** Storage paths are Kubernetes' own: nodes are minions, leases and others sit below their group where it does so. */
export const RESOURCE_TYPES: readonly ResourceType[] = Object.freeze([
  type('v1', 'nodes', 'Node', false, { shortNames: ['no'], storage: 'minions', subresources: ['status'] }),
  type('v1', 'pods', 'Pod', true, { shortNames: ['po'], subresources: ['status', 'binding', 'eviction'] }),
  type('v1', 'namespaces', 'Namespace', false, {
    shortNames: ['ns'],
    subresources: ['status', 'finalize'],
    names: 'label',
  }),
  type('v1', 'configmaps', 'ConfigMap', true, { shortNames: ['cm'] }),
  type('v1', 'secrets', 'Secret', true),
  type('v1', 'serviceaccounts', 'ServiceAccount', true, { shortNames: ['sa'] }),
  type('v1', 'services', 'Service', true, {
    shortNames: ['svc'],
    storage: 'services/specs',
    subresources: ['status'],
    names: 'letter-label',
  }),
  type('v1', 'endpoints', 'Endpoints', true, { shortNames: ['ep'], storage: 'services/endpoints' }),
  type('v1', 'events', 'Event', true, { shortNames: ['ev'], names: 'path' }),
  type('apps/v1', 'deployments', 'Deployment', true, { shortNames: ['deploy'], subresources: ['status', 'scale'] }),
  type('apps/v1', 'replicasets', 'ReplicaSet', true, { shortNames: ['rs'], subresources: ['status'] }),
  type('apps/v1', 'daemonsets', 'DaemonSet', true, { shortNames: ['ds'], subresources: ['status'] }),
  type('coordination.k8s.io/v1', 'leases', 'Lease', true),
  type('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', true),
  type('certificates.k8s.io/v1', 'certificatesigningrequests', 'CertificateSigningRequest', false, {
    shortNames: ['csr'],
    subresources: ['approval', 'status'],
    names: 'path',
  }),
  type('rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole', false, { names: 'path' }),
  type('rbac.authorization.k8s.io/v1', 'clusterrolebindings', 'ClusterRoleBinding', false, { names: 'path' }),
  type('rbac.authorization.k8s.io/v1', 'roles', 'Role', true, { names: 'path' }),
  type('rbac.authorization.k8s.io/v1', 'rolebindings', 'RoleBinding', true, { names: 'path' }),
  type('apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition', false, {
    shortNames: ['crd', 'crds'],
    storage: 'apiextensions.k8s.io/customresourcedefinitions',
    subresources: ['status'],
  }),
  type('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', true, {
    shortNames: ['pdb'],
    subresources: ['status'],
  }),
]);

export function groupVersionOf(resourceType: ResourceType): string {
  return resourceType.group === '' ? resourceType.version : `${resourceType.group}/${resourceType.version}`;
}

/** True where the API counts the changes of what is wanted in `metadata.generation`. */
export function countsGenerations(resourceType: ResourceType): boolean {
  return ['apps', 'policy', 'apiextensions.k8s.io'].includes(resourceType.group);
}

/** By plural and group version, as paths name it. */
export function findResource(groupVersion: string, resource: string): ResourceType | undefined {
  return RESOURCE_TYPES.find(
    (candidate) => candidate.resource === resource && groupVersionOf(candidate) === groupVersion,
  );
}

export function findKind(groupVersion: string, kind: string): ResourceType | undefined {
  return RESOURCE_TYPES.find((candidate) => candidate.kind === kind && groupVersionOf(candidate) === groupVersion);
}

/** By what a person types: plural, singular, kind, short name, or `resource.group`. */
export function findByName(name: string): ResourceType | undefined {
  const lower = name.toLowerCase();
  return RESOURCE_TYPES.find(
    (candidate) =>
      candidate.resource === lower ||
      candidate.singular === lower ||
      candidate.shortNames.includes(lower) ||
      (candidate.group !== '' && `${candidate.resource}.${candidate.group}` === lower),
  );
}

/** `nodes`, or `leases.coordination.k8s.io`: how error texts name a resource. */
export function qualifiedName(resourceType: ResourceType): string {
  return resourceType.group === '' ? resourceType.resource : `${resourceType.resource}.${resourceType.group}`;
}
