import type { Platform } from '../../platform/platform.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';

const CNI_DIRECTORY = '/etc/cni/net.d';
/** How often the kubelet asks containerd for the state of its network. */
const PERIOD_US = 5_000_000;
/** First and last host part that pods of a /24 get; .1 is the bridge. */
const FIRST = 2;
const LAST = 254;

/** Whether a CNI plugin is configured, and the addresses of the node's pods. */
export class PodNetwork {
  readonly #platform: Platform;
  readonly #taken = new Set<string>();
  #next = FIRST;
  #ready = false;
  /** Notified when the network becomes ready. */
  readonly changed = new Notifier();
  /** The node's part of the pod network, empty until it is assigned. */
  cidr = '';

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Looks for a configuration file, as containerd does; one that was found stays. */
  *watch(): Task<void> {
    const { disk, clock } = this.#platform;
    for (;;) {
      const found = (yield* disk.stat(CNI_DIRECTORY)) === undefined ? [] : yield* disk.list(CNI_DIRECTORY);
      if (found.some((file) => /\.(conf|conflist)$/.test(file.name))) break;
      yield* clock.sleep(PERIOD_US);
    }
    this.#ready = true;
    this.changed.notify();
  }

  /** The next free address; undefined while there is no network. Round-robin, as host-local hands them out. */
  take(): string | undefined {
    const prefix = /^(\d+\.\d+\.\d+)\./.exec(this.cidr)?.[1];
    if (!this.#ready || prefix === undefined) return undefined;
    for (let tried = FIRST; tried <= LAST; tried++) {
      const address = `${prefix}.${this.#next}`;
      this.#next = this.#next === LAST ? FIRST : this.#next + 1;
      if (this.#taken.has(address)) continue;
      this.#taken.add(address);
      return address;
    }
    return undefined;
  }

  /** An address that a pod has from before. */
  keep(address: string): void {
    this.#taken.add(address);
  }

  release(address: string): void {
    this.#taken.delete(address);
  }
}
