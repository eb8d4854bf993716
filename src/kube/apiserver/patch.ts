import { KubeError } from '../objects/errors.ts';
import type { Json, JsonObject } from '../objects/object.ts';

export const PATCH_TYPES = Object.freeze({
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
});

/** Applies a patch body of a content type to an object. */
export function applyPatch(contentType: string, target: JsonObject, body: Json): JsonObject {
  switch (contentType) {
    case PATCH_TYPES.merge:
      return mergePatch(target, body) as JsonObject;
    case PATCH_TYPES.strategic:
    case PATCH_TYPES.apply:
      return strategicMerge(target, body) as JsonObject;
    case PATCH_TYPES.json:
      return jsonPatch(target, body) as JsonObject;
    default:
      throw new KubeError(
        'UnsupportedMediaType',
        `the body of the request was in an unknown format - accepted media types include: ${Object.values(PATCH_TYPES).join(', ')}`,
      );
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 7386: null removes, objects merge, anything else replaces. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key]!;
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Keys by which lists of objects merge, in the order in which they are tried (the API's patchMergeKey of these lists). */
const MERGE_KEYS: readonly string[] = ['type', 'name', 'uid', 'ip', 'containerPort', 'mountPath', 'key'];

/** Strategic merge: as a merge patch, but lists of keyed objects merge by key, and `$patch: delete` removes an item. */
export function strategicMerge(target: Json | undefined, patch: Json): Json {
  if (Array.isArray(patch)) return mergeLists(Array.isArray(target) ? target : [], patch as readonly Json[]);
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    if (key.startsWith('$')) continue;
    const value = patch[key]!;
    if (value === null) delete result[key];
    else result[key] = strategicMerge(result[key], value);
  }
  return result;
}

function mergeLists(target: readonly Json[], patch: readonly Json[]): Json {
  const key = MERGE_KEYS.find((candidate) =>
    [...target, ...patch].every((item) => isObject(item) && item[candidate] !== undefined),
  );
  if (key === undefined || patch.length === 0) return patch;
  const result = [...target];
  for (const item of patch as readonly JsonObject[]) {
    const index = result.findIndex((other) => isObject(other) && other[key] === item[key]);
    if (item.$patch === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index >= 0) result[index] = strategicMerge(result[index], item);
    else result.push(strategicMerge(undefined, item));
  }
  return result;
}

interface JsonPatchOperation {
  readonly op: string;
  readonly path: string;
  readonly value?: Json;
}

/** RFC 6902: add, remove, replace, test. */
function jsonPatch(target: Json, body: Json): Json {
  if (!Array.isArray(body))
    throw new KubeError('BadRequest', 'error decoding patch: a JSON patch is a list of operations');
  let result = target;
  for (const operation of body as unknown as readonly JsonPatchOperation[]) {
    const path = operation.path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    result = patchAt(result, path, operation);
  }
  return result;
}

function patchAt(target: Json, path: readonly string[], operation: JsonPatchOperation): Json {
  const [head, ...rest] = path;
  if (head === undefined) return operation.op === 'remove' ? null : (operation.value ?? null);
  const list = Array.isArray(target) ? [...(target as readonly Json[])] : undefined;
  const object: Record<string, Json> | undefined = list === undefined && isObject(target) ? { ...target } : undefined;
  if (list === undefined && object === undefined)
    throw new KubeError(
      'Invalid',
      `the server rejected our request due to an error in our request: path ${operation.path} does not exist`,
    );
  const index = list === undefined ? 0 : head === '-' ? list.length : Number(head);
  const current = list === undefined ? object![head] : list[index];
  if (rest.length > 0) {
    const next = patchAt(current ?? null, rest, operation);
    if (list === undefined) object![head] = next;
    else list[index] = next;
    return list ?? object!;
  }
  if (operation.op !== 'add' && current === undefined)
    throw new KubeError(
      'Invalid',
      `the server rejected our request due to an error in our request: path ${operation.path} does not exist`,
    );
  switch (operation.op) {
    case 'add':
      if (list === undefined) object![head] = operation.value ?? null;
      else list.splice(index, 0, operation.value ?? null);
      break;
    case 'replace':
      if (list === undefined) object![head] = operation.value ?? null;
      else list[index] = operation.value ?? null;
      break;
    case 'remove':
      if (list === undefined) delete object![head];
      else list.splice(index, 1);
      break;
    case 'test':
      if (JSON.stringify(current) !== JSON.stringify(operation.value))
        throw new KubeError(
          'Invalid',
          `the server rejected our request due to an error in our request: test of ${operation.path} failed`,
        );
      break;
    default:
      throw new KubeError('BadRequest', `Unexpected kind: ${operation.op}`);
  }
  return list ?? object!;
}
