import { forbidden } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import type { ResourcePath } from '../objects/path.ts';

/** Who asks. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Groups and users that may do everything: the default policy gives them all that their components need. */
const UNRESTRICTED_GROUPS: readonly string[] = ['system:masters'];
const UNRESTRICTED_USERS: readonly string[] = [
  'system:kube-controller-manager',
  'system:kube-scheduler',
  'system:apiserver',
  'apiserver-kubelet-client',
];

/** Reads objects for decisions: bindings of the RBAC authorizer. */
export interface PolicySource {
  clusterRoleBindings(): readonly KubeObject[];
  clusterRoles(): readonly KubeObject[];
  pod(namespace: string, name: string): KubeObject | undefined;
}

/** Node, then RBAC, as `--authorization-config` of Talos orders them. Throws `Forbidden`. */
export function authorize(user: User, verb: Verb, path: ResourcePath, policy: PolicySource): void {
  if (user.groups.some((group) => UNRESTRICTED_GROUPS.includes(group)) || UNRESTRICTED_USERS.includes(user.name))
    return;
  if (user.groups.includes('system:nodes') && nodeMay(user, verb, path, policy)) return;
  if (rbacAllows(user, verb, path, policy)) return;
  throw forbidden(path.type, path.name ?? '', user.name, verb, path.namespace);
}

/** What the Node authorizer and NodeRestriction let a kubelet do: its own Node, lease and pods, and reading. */
function nodeMay(user: User, verb: Verb, path: ResourcePath, policy: PolicySource): boolean {
  const node = user.name.startsWith('system:node:') ? user.name.slice('system:node:'.length) : undefined;
  if (node === undefined) return false;
  const reads = verb === 'get' || verb === 'list' || verb === 'watch';
  switch (path.type.resource) {
    case 'nodes':
      return reads || verb === 'create' || path.name === node;
    case 'leases':
      return path.namespace === 'kube-node-lease' && (path.name === undefined || path.name === node);
    case 'pods': {
      if (reads || verb === 'create') return true;
      const pod = path.name === undefined ? undefined : policy.pod(path.namespace ?? '', path.name);
      return (pod?.spec as { nodeName?: string } | undefined)?.nodeName === node;
    }
    case 'certificatesigningrequests':
      return reads || verb === 'create';
    case 'events':
      return verb === 'create' || verb === 'patch' || verb === 'update';
    case 'services':
    case 'secrets':
    case 'configmaps':
    case 'endpointslices':
      return reads;
    default:
      return false;
  }
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

function rbacAllows(user: User, verb: Verb, path: ResourcePath, policy: PolicySource): boolean {
  for (const binding of policy.clusterRoleBindings()) {
    const subjects = (binding.subjects ?? []) as readonly { kind: string; name: string; namespace?: string }[];
    if (!subjects.some((subject) => isSubject(user, subject))) continue;
    const roleName = (binding.roleRef as { name: string }).name;
    const role = policy.clusterRoles().find((candidate) => candidate.metadata.name === roleName);
    const rules = (role?.rules ?? []) as readonly Rule[];
    if (rules.some((rule) => ruleAllows(rule, verb, path))) return true;
  }
  return false;
}

function isSubject(user: User, subject: { kind: string; name: string; namespace?: string }): boolean {
  if (subject.kind === 'Group') return user.groups.includes(subject.name);
  if (subject.kind === 'ServiceAccount')
    return user.name === `system:serviceaccount:${subject.namespace}:${subject.name}`;
  return user.name === subject.name;
}

function ruleAllows(rule: Rule, verb: Verb, path: ResourcePath): boolean {
  const resource = path.subresource === undefined ? path.type.resource : `${path.type.resource}/${path.subresource}`;
  const matches = (list: readonly string[] | undefined, value: string): boolean =>
    list !== undefined && (list.includes('*') || list.includes(value));
  if (rule.resourceNames !== undefined && (path.name === undefined || !rule.resourceNames.includes(path.name)))
    return false;
  return matches(rule.verbs, verb) && matches(rule.apiGroups, path.type.group) && matches(rule.resources, resource);
}
