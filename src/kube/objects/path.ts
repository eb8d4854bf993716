import { findResource, type ResourceType } from './resources.ts';

/** What a URL of the API names. */
export interface ResourcePath {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  /** Absent for a collection. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Parses `/api/v1/…` and `/apis/GROUP/VERSION/…`; undefined when it names no known resource. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(unescape_);
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const groupVersion = core ? parts[1] : `${parts[1]}/${parts[2]}`;
  let rest = parts.slice(core ? 2 : 3);
  if (groupVersion === undefined || rest.length === 0) return undefined;
  let namespace: string | undefined;
  // `namespaces/NAME/status` is a subresource of the namespace, `namespaces/NAME/pods` a collection inside it.
  const inside = rest[0] === 'namespaces' && rest.length >= 3 && findResource(groupVersion, rest[2]!) !== undefined;
  if (inside) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const type = findResource(groupVersion, rest[0]!);
  if (type === undefined || rest.length > 3) return undefined;
  const subresource = rest[2];
  if (subresource !== undefined && !type.subresources.includes(subresource)) return undefined;
  return { type, namespace, name: rest[1], subresource };
}

function unescape_(part: string): string {
  if (!part.includes('%')) return part;
  return part.replace(/%([0-9A-Fa-f]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The path of a collection or an object. */
export function resourcePath(
  type: ResourceType,
  namespace: string | undefined,
  name?: string,
  subresource?: string,
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
  return `${root}${scope}/${type.resource}${name === undefined ? '' : `/${name}`}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** Where an object is kept in etcd. */
export function storageKey(type: ResourceType, namespace: string | undefined, name: string): string {
  return `${storagePrefix(type, type.namespaced ? namespace : undefined)}${name}`;
}

/** Prefix of a collection in etcd, with the closing slash. */
export function storagePrefix(type: ResourceType, namespace: string | undefined): string {
  return namespace === undefined ? `/registry/${type.storage}/` : `/registry/${type.storage}/${namespace}/`;
}
