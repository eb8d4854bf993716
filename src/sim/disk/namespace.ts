import { DiskError } from '../../platform/errors.ts';
import { namesOf } from './tree.ts';
import type { Volume } from './volume.ts';

/** Where a path ends up. */
export interface Located {
  readonly volume: Volume;
  /** Path within the volume. */
  readonly path: string;
  readonly readOnly: boolean;
}

interface MountPoint {
  /** Without a trailing slash; the root is the empty string. */
  readonly at: string;
  readonly volume: Volume;
  /** Path within the volume that appears at `at`; empty for its root. */
  readonly base: string;
  readonly readOnly: boolean;
}

/** The mount table of a kernel or of a container: which volume a path is on. */
export class Namespace {
  /** Longest first, so that the first match is the innermost mount. */
  #mounts: MountPoint[] = [];

  constructor(root: Volume) {
    this.#mounts.push({ at: '', volume: root, base: '', readOnly: false });
  }

  /** Shows a volume at a path and creates the mount point where it is missing. */
  mount(at: string, volume: Volume, base = '/', readOnly = false): void {
    const point = normal(at);
    const under = this.locate(at);
    const isFile = volume.fileSystem.lookup(base)?.kind === 'file';
    if (!isFile) under.volume.fileSystem.makeDirectory(under.path);
    // A mount hides what was mounted at the same place before it: the sort keeps the newer one in front.
    this.#mounts.unshift({ at: point, volume, base: normal(base), readOnly });
    this.#mounts.sort((a, b) => b.at.length - a.at.length);
  }

  /** Takes the mount at a path away. DiskError `not-found`, or `busy` while another one is mounted below. */
  unmount(at: string): Volume {
    const point = normal(at);
    const mount = this.#mounts.find((candidate) => candidate.at === point);
    if (mount === undefined || point === '') throw new DiskError('not-found', at, `${at}: not mounted`);
    if (this.#mounts.some((other) => other.at.startsWith(`${point}/`))) {
      throw new DiskError('busy', at, `${at}: target is busy`);
    }
    this.#mounts = this.#mounts.filter((other) => other !== mount);
    return mount.volume;
  }

  /** Shows the directory `source` of another tree at `at`, with everything that is mounted below it there. */
  bind(at: string, other: Namespace, source: string, readOnly: boolean): void {
    const from = other.locate(source);
    this.mount(at, from.volume, from.path, readOnly || from.readOnly);
    const prefix = `${normal(source)}/`;
    for (const mount of [...other.#mounts].reverse()) {
      if (!mount.at.startsWith(prefix)) continue;
      const point = `${normal(at)}/${mount.at.slice(prefix.length)}`;
      this.mount(point, mount.volume, mount.base === '' ? '/' : mount.base, readOnly || mount.readOnly);
    }
  }

  isMounted(volume: Volume): boolean {
    return this.#mounts.some((mount) => mount.volume === volume);
  }

  locate(path: string): Located {
    const wanted = normal(path);
    for (const mount of this.#mounts) {
      if (wanted !== mount.at && !wanted.startsWith(`${mount.at}/`)) continue;
      const inside = `${mount.base}${wanted.slice(mount.at.length)}`;
      return { volume: mount.volume, path: inside === '' ? '/' : inside, readOnly: mount.readOnly };
    }
    throw new DiskError('not-found', path, `${path}: not an absolute path`);
  }
}

/** `/a//b/` as `/a/b`, the root as the empty string. */
function normal(path: string): string {
  const names = namesOf(path);
  return names.length === 0 ? '' : `/${names.join('/')}`;
}
