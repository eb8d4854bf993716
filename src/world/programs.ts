import type { Surroundings } from '../nodes/surroundings.ts';
import type { Program } from '../platform/containers.ts';
import { splitImage } from '../platform/image.ts';
import type { MachinePlatform } from '../platform/platform.ts';
import type { Task } from '../platform/task.ts';
import type { Zone } from '../services/dns/server.ts';

/** Everything that runs in a world: image repository → program, and what machines and stations start. */
export interface ProgramSet {
  /** By repository without tag: `gcr.io/etcd-development/etcd`. Programs of Kubernetes call themselves by their tag. */
  readonly images: Readonly<Record<string, (tag: string) => Program>>;
  readonly machined: (talosVersion: string) => (platform: MachinePlatform, surroundings: Surroundings) => Task<void>;
  readonly discovery: Program;
  readonly time: Program;
  readonly loadBalancer: Program;
  readonly nameServer: (zone: Zone) => Program;
}

/** Repository of etcd. */
export const ETCD = 'gcr.io/etcd-development/etcd';

/** Repository of the plain installer. */
export const INSTALLER = 'ghcr.io/siderolabs/installer';

/** Image Factory builds an installer for every schematic that was once posted to it. */
const FACTORY_INSTALLER = /^factory\.talos\.dev\/(?:[a-z0-9]+-)*installer(?:-secureboot)?\/[0-9a-f]{64}$/;

/** Tags under which an installer was ever published, as far as this release of talosim knows. */
const RELEASE = /^(?:latest|v1\.(?:\d|1[0-5])\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)$/;

/** Images of Kubernetes itself: one for every release. */
const KUBERNETES = /^(?:registry\.k8s\.io\/kube-[a-z-]+|ghcr\.io\/siderolabs\/kubelet)$/;
const KUBERNETES_RELEASE = /^(v1\.(?:19|2\d|3[0-7])\.\d{1,2}(?:-(?:alpha|beta|rc)\.\d+)?)(-fat|-slim)?$/;

/** The program of an image reference; undefined for an image, or a release of Talos or Kubernetes, that does not exist. */
export function resolveImage(programs: ProgramSet, image: string): Program | undefined {
  const { repository, tag = 'latest' } = splitImage(image);
  const known = FACTORY_INSTALLER.test(repository) ? INSTALLER : repository;
  if (known === INSTALLER && !RELEASE.test(tag)) return undefined;
  if (!KUBERNETES.test(repository)) return programs.images[known]?.(tag);
  // The kubelet also comes with more or fewer tools beside it, which makes it no other release.
  const [, release, flavour] = KUBERNETES_RELEASE.exec(tag) ?? [];
  if (release === undefined || (flavour !== undefined && !repository.endsWith('/kubelet'))) return undefined;
  return programs.images[known]?.(release);
}
