import type { Clock } from '../../platform/clock.ts';
import type { Containers } from '../../platform/containers.ts';
import type { CryptoPort } from '../../platform/crypto.ts';
import type { Disk } from '../../platform/disk.ts';
import type { Log } from '../../platform/log.ts';
import type { Net } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Random } from '../../platform/random.ts';
import type { Rpc } from '../../platform/rpc.ts';
import type { TaskScope } from '../../platform/task.ts';
import { createSimCrypto } from '../crypto/crypto.ts';
import { SimDisk } from '../disk/disk.ts';
import type { SimProcess } from './process.ts';

/** The Platform of one simulated process. What many programs never touch is made at first use. */
export class ProcessPlatform implements Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly net: Net;
  readonly disk: Disk;
  readonly log: Log;
  readonly scope: TaskScope;
  /** Set for processes that see containerd's socket. */
  containers?: Containers;
  readonly #process: SimProcess;
  #rpc: Rpc | undefined;
  #crypto: CryptoPort | undefined;

  constructor(process: SimProcess, clock: Clock) {
    const kernel = process.kernel;
    this.#process = process;
    this.clock = clock;
    this.random = kernel.engine.random(process.path);
    this.net = process.net;
    this.disk = new SimDisk(process.spec.namespace, kernel.completeIo);
    this.log = process.log;
    this.scope = process.scope;
  }

  get rpc(): Rpc {
    this.#rpc ??= this.#process.kernel.createRpc({
      net: this.net,
      clock: this.clock,
      random: this.random.stream('rpc'),
      crypto: this.crypto,
      scope: this.#process.scope.child('rpc'),
      log: this.log,
    });
    return this.#rpc;
  }

  get crypto(): CryptoPort {
    this.#crypto ??= createSimCrypto(`${this.#process.kernel.engine.seed}/${this.#process.path}`);
    return this.#crypto;
  }
}
