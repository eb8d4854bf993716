import { join } from 'node:path';
import { DiskError } from '../../platform/errors.ts';

/** A real directory that appears at a path of a machine's or container's tree. */
export interface HostMount {
  /** `/` for the root. */
  readonly destination: string;
  readonly directory: string;
  readonly readOnly: boolean;
}

export interface HostPath {
  readonly real: string;
  readonly readOnly: boolean;
}

/** Where the paths of a tree are among the host's files. */
export class HostMounts {
  /** Longest destination first. */
  readonly #mounts: readonly HostMount[];

  constructor(mounts: readonly HostMount[]) {
    this.#mounts = [...mounts].sort((a, b) => b.destination.length - a.destination.length);
  }

  get list(): readonly HostMount[] {
    return this.#mounts;
  }

  /** DiskError `not-found` for a path that is not absolute or climbs. */
  locate(path: string): HostPath {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    if (!path.startsWith('/') || names.includes('..')) {
      throw new DiskError('not-found', path, `${path}: not an absolute path without ..`);
    }
    const wanted = `/${names.join('/')}`;
    for (const mount of this.#mounts) {
      const prefix = mount.destination === '/' ? '/' : `${mount.destination}/`;
      if (wanted !== mount.destination && !wanted.startsWith(prefix)) continue;
      const inside = wanted.slice(mount.destination === '/' ? 1 : mount.destination.length);
      return { real: join(mount.directory, inside), readOnly: mount.readOnly };
    }
    throw new DiskError('not-found', path, `${path}: no such file or directory`);
  }
}
