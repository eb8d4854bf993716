import type { Clock } from '../../platform/clock.ts';
import type { CryptoPort } from '../../platform/crypto.ts';
import type { Log } from '../../platform/log.ts';
import type { Net } from '../../platform/net.ts';
import type { Random } from '../../platform/random.ts';
import type { TaskScope } from '../../platform/task.ts';

/** What RPC over connections is made of: the ports of one process. */
export interface RpcDeps {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Random;
  readonly crypto: CryptoPort;
  readonly log: Log;
  /** Scope of the process: channels, servers and handlers live in it. */
  readonly scope: TaskScope;
  /** Encode and decode every message, to prove that nothing but its wire form gets through. */
  readonly strictWire: boolean;
  /** Processor time of a TLS handshake on each side. */
  readonly tlsCpuUs: number;
  /** Authorities trusted by clients that name none, as PEM. */
  readonly systemRootsPem?: string;
}
