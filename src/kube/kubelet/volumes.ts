import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import type { Mount } from '../../platform/containers.ts';
import { parentOf } from '../../platform/disk.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { KubeObject } from '../objects/object.ts';
import type { ContainerEntry, PodSpec, PodVolume } from './pod-spec.ts';

/** Where a kubelet keeps what belongs to its pods. */
export const PODS_DIRECTORY = '/var/lib/kubelet/pods';

/** Reads a ConfigMap or Secret; undefined while there is none, or nobody to ask. */
export type ObjectLookup = (
  resource: 'configmaps' | 'secrets',
  namespace: string,
  name: string,
) => Task<KubeObject | undefined>;

/** Directories of the machine that the kubelet's container sees, and so can hand to pods. */
const SHARED_WITH_KUBELET: readonly string[] = Object.freeze([
  '/var/lib/kubelet',
  '/var/log',
  '/system/secrets',
  '/system/config',
  '/run',
  '/etc/cni',
]);

/** A volume cannot be set up yet: the pod stays in ContainerCreating. */
export class VolumeMissing extends Error {}

/**
 * Sets up the volumes of a pod. Host paths outside of what the kubelet shares with pods, service-account tokens and
 * volumes of other kinds are not simulated: containers do without them.
 */
export function* setUpVolumes(
  platform: Platform,
  pod: KubeObject,
  spec: PodSpec,
  lookup: ObjectLookup,
): Task<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (const volume of spec.volumes ?? []) {
    const path = yield* setUp(platform, pod, volume, lookup);
    if (path !== undefined) paths.set(volume.name, path);
  }
  return paths;
}

function* setUp(
  platform: Platform,
  pod: KubeObject,
  volume: PodVolume,
  lookup: ObjectLookup,
): Task<string | undefined> {
  const { disk } = platform;
  const { hostPath, configMap, secret, emptyDir } = volume;
  if (hostPath !== undefined) {
    const { path } = hostPath;
    if (!SHARED_WITH_KUBELET.some((shared) => path === shared || path.startsWith(`${shared}/`))) return undefined;
    if ((yield* disk.stat(path)) === undefined) yield* disk.makeDirectory(path);
    return path;
  }
  const kind = configMap !== undefined ? 'configmap' : secret !== undefined ? 'secret' : 'empty-dir';
  if (kind === 'empty-dir' && emptyDir === undefined) return undefined;
  const directory = `${PODS_DIRECTORY}/${pod.metadata.uid}/volumes/kubernetes.io~${kind}/${volume.name}`;
  yield* disk.makeDirectory(directory);
  if (configMap !== undefined) {
    const object = yield* required(lookup, 'configmaps', pod, configMap.name, configMap.optional === true);
    const data = (object?.data ?? {}) as Readonly<Record<string, string>>;
    yield* writeFiles(platform, directory, configMap.items, (key) => utf8EncodeOf(data[key]), Object.keys(data));
  } else if (secret !== undefined) {
    const object = yield* required(lookup, 'secrets', pod, secret.secretName, secret.optional === true);
    const data = (object?.data ?? {}) as Readonly<Record<string, string>>;
    yield* writeFiles(
      platform,
      directory,
      secret.items,
      (key) => decodeBase64(data[key] ?? '') ?? undefined,
      Object.keys(data),
    );
  }
  return directory;
}

function utf8EncodeOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : utf8Encode(text);
}

function* required(
  lookup: ObjectLookup,
  resource: 'configmaps' | 'secrets',
  pod: KubeObject,
  name: string,
  optional: boolean,
): Task<KubeObject | undefined> {
  const object = yield* lookup(resource, pod.metadata.namespace ?? 'default', name);
  if (object === undefined && !optional) throw new VolumeMissing(`${resource.slice(0, -1)} "${name}" not found`);
  return object;
}

function* writeFiles(
  platform: Platform,
  directory: string,
  items: readonly { readonly key: string; readonly path: string }[] | undefined,
  content: (key: string) => Uint8Array | undefined,
  keys: readonly string[],
): Task<void> {
  for (const { key, path } of items ?? keys.map((key) => ({ key, path: key }))) {
    const bytes = content(key);
    if (bytes === undefined) throw new VolumeMissing(`references non-existent key: ${key}`);
    const target = `${directory}/${path}`;
    yield* platform.disk.makeDirectory(parentOf(target));
    const file = yield* platform.disk.open(target, { create: true, truncate: true });
    try {
      yield* file.write(0, bytes);
    } finally {
      file.close();
    }
  }
}

/** Mounts of a container; of several for one place the first counts. */
export function mountsOf(entry: ContainerEntry, paths: ReadonlyMap<string, string>): Mount[] {
  const mounts: Mount[] = [];
  for (const { name, mountPath, readOnly } of entry.volumeMounts ?? []) {
    const source = paths.get(name);
    const destination = mountPath.length > 1 && mountPath.endsWith('/') ? mountPath.slice(0, -1) : mountPath;
    if (source === undefined || mounts.some((mount) => mount.destination === destination)) continue;
    mounts.push({ source, destination, readOnly: readOnly ?? false });
  }
  return mounts;
}
