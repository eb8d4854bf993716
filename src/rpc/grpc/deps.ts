import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Random } from '../../platform/random.ts';
import type { TaskScope } from '../../platform/task.ts';

/** What gRPC's client and server need of a process, whatever carries their connections. */
export interface GrpcDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Scope of the process: channels, servers and handlers live in it. */
  readonly scope: TaskScope;
  /** Encode and decode every message, to prove that nothing but its wire form gets through. */
  readonly strictWire: boolean;
}
