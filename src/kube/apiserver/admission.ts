import { forbidden, invalid, requiredField } from '../objects/errors.ts';
import type { JsonObject, KubeObject } from '../objects/object.ts';
import type { ResourcePath } from '../objects/path.ts';
import type { User } from './authorize.ts';

/** Defaults and refusals on the way in: what NodeRestriction, priority and defaulting do to the objects we serve. */
export function admit(verb: 'create' | 'update', path: ResourcePath, object: KubeObject, user: User): KubeObject {
  switch (path.type.resource) {
    case 'nodes':
      return admitNode(verb, path, object, user);
    case 'pods':
      return verb === 'create' ? admitPod(path, object, user) : object;
    case 'certificatesigningrequests':
      return verb === 'create'
        ? { ...object, spec: { ...(object.spec as JsonObject), username: user.name, groups: [...user.groups] } }
        : object;
    case 'services':
      return { ...object, spec: { type: 'ClusterIP', ...(object.spec as JsonObject) } };
    case 'namespaces':
      return verb === 'create' ? { ...object, status: { phase: 'Active' } } : object;
    default:
      return object;
  }
}

/** A kubelet may create and change only the Node of its own name. */
function admitNode(verb: string, path: ResourcePath, object: KubeObject, user: User): KubeObject {
  const own = user.name.startsWith('system:node:') ? user.name.slice('system:node:'.length) : undefined;
  if (own !== undefined && object.metadata.name !== own)
    throw forbidden(path.type, object.metadata.name, user.name, verb, undefined);
  return object;
}

const DEFAULT_TOLERATION_SECONDS = 300;

function admitPod(path: ResourcePath, object: KubeObject, user: User): KubeObject {
  const spec = (object.spec ?? {}) as JsonObject;
  const containers = spec.containers;
  if (!Array.isArray(containers) || containers.length === 0)
    throw invalid(path.type, object.metadata.name, [requiredField('spec.containers')]);
  const own = user.name.startsWith('system:node:') ? user.name.slice('system:node:'.length) : undefined;
  if (
    own !== undefined &&
    (spec.nodeName !== own || object.metadata.annotations?.['kubernetes.io/config.mirror'] === undefined)
  ) {
    throw forbidden(path.type, object.metadata.name, user.name, 'create', path.namespace);
  }
  const status = { phase: 'Pending', ...((object.status ?? {}) as JsonObject) };
  return {
    ...object,
    spec: { restartPolicy: 'Always', schedulerName: 'default-scheduler', ...spec, tolerations: tolerations(spec) },
    status,
  };
}

/** DefaultTolerationSeconds: a pod leaves a dead node after five minutes unless it says otherwise. */
function tolerations(spec: JsonObject): JsonObject[] {
  const own = (spec.tolerations ?? []) as readonly JsonObject[];
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) =>
      !own.some(
        (toleration) =>
          (toleration.key === key || toleration.key === undefined) &&
          (toleration.effect === 'NoExecute' || toleration.effect === undefined),
      ),
  );
  return [
    ...own,
    ...missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: DEFAULT_TOLERATION_SECONDS,
    })),
  ];
}
