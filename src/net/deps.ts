import type { Timer } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Random } from '../platform/random.ts';

/**
 * Something due once at a known instant and never cancelled: the record itself goes into the event queue, so that a
 * segment in flight costs one small object and no closure.
 */
export interface Due {
  fire(): void;
  /** Who it belongs to, for a livelock report; read only then. */
  readonly owner: string;
}

/** The simulation's own, never skewed time, in integer microseconds. */
export interface NetScheduler {
  nowUs(): number;
  /** Calls `due.fire()` after `delayUs` (an integer, 0 or more); equal instants fire in the order of these calls. */
  post(delayUs: number, due: Due): void;
  /** Like {@link post} for rare things that may be cancelled; a cancelled timer leaves the queue at once. */
  schedule(delayUs: number, callback: () => void): Timer;
}

/** What the network needs from the simulation's kernel. */
export interface NetDeps {
  readonly scheduler: NetScheduler;
  /** Root of the network's draws; a stream of its own per directed link and message class hangs below it. */
  readonly random: Random;
  /** Events of a node go to `log.child(node)`; those of the network itself to `log`. */
  readonly log: Log;
  /** False when nobody would see an event of this kind; then its fields are not built. Constant during a run. */
  wants(kind: { readonly name: string }): boolean;
}

/** The process that sockets belong to, as the simulation's kernel knows it. */
export interface SocketOwner {
  /** Stable path, e.g. `cp-1/etcd`. */
  readonly path: string;
  /** An error escaped a callback that the process had given to a socket: handled as if it had escaped one of its tasks. */
  escaped(error: unknown): void;
}
