import type { Clock } from '../../platform/clock.ts';
import type { CryptoPort } from '../../platform/crypto.ts';
import type { Net } from '../../platform/net.ts';
import type { TaskScope } from '../../platform/task.ts';

/** The ports that HTTP needs; a Platform is one. */
export interface HttpDeps {
  readonly net: Net;
  readonly clock: Clock;
  readonly crypto: CryptoPort;
  /** Scope that connections and handlers live in. */
  readonly scope: TaskScope;
  /** Send bytes even where the connection carries objects. */
  readonly alwaysBytes?: boolean;
}
