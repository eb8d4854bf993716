import type { Clock, Timer } from '../../../platform/clock.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task, TaskScope } from '../../../platform/task.ts';
import { compareVersions } from '../versions.ts';

/** How often the leader compares its members' versions (reference/etcd.md B9). */
const INTERVAL_US = 4_000_000;
/** The version of a cluster that knows nothing better. */
const LOWEST = '3.0.0';

/** What the monitor needs of the member. */
export interface VersionOwner {
  readonly isLeader: boolean;
  readonly clusterVersion: string;
  /** Versions of all members, own included; null for one that did not answer. */
  memberVersions(): Task<readonly (string | null)[]>;
  setClusterVersion(version: string): Task<void>;
}

/** Decides the cluster's version on the leader: the lowest of its members', raised when all are higher. */
export class VersionMonitor {
  readonly #clock: Clock;
  readonly #scope: TaskScope;
  readonly #owner: VersionOwner;
  #timer: Timer | null = null;
  #running = false;

  constructor(clock: Clock, scope: TaskScope, owner: VersionOwner) {
    this.#clock = clock;
    this.#scope = scope;
    this.#owner = owner;
  }

  start(): void {
    this.#timer = this.#clock.after(INTERVAL_US, () => {
      this.check();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Looks now, unless a look is under way or this member does not lead. */
  check(): void {
    if (this.#running || !this.#owner.isLeader) return;
    this.#running = true;
    this.#scope.spawn('versions', () => this.#look());
  }

  *#look(): Task<void> {
    try {
      const lowest = lowestVersion(yield* this.#owner.memberVersions());
      const current = this.#owner.clusterVersion;
      if (!this.#owner.isLeader) return;
      if (current === '') yield* this.#owner.setClusterVersion(lowest ?? LOWEST);
      else if (lowest !== null && compareVersions(current, lowest) < 0) yield* this.#owner.setClusterVersion(lowest);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    } finally {
      this.#running = false;
    }
  }
}

/** `major.minor.0` of the lowest; null when one is unknown. */
function lowestVersion(versions: readonly (string | null)[]): string | null {
  let lowest: string | null = null;
  for (const version of versions) {
    if (version === null) return null;
    const minor = `${version.split('.').slice(0, 2).join('.')}.0`;
    if (lowest === null || compareVersions(minor, lowest) < 0) lowest = minor;
  }
  return lowest;
}
