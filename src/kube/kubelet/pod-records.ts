import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { readWhole } from '../../platform/disk.ts';
import { DiskError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { PODS_DIRECTORY } from './volumes.ts';

const RETRY_US = 10_000_000;

/** What a kubelet that starts anew must know of a pod that runs already. */
export interface PodRecord {
  readonly address: string;
}

/** Directories of pods below /var/lib/kubelet/pods: containers outlive the kubelet that started them. */
export class PodRecords {
  readonly #platform: Platform;
  readonly #known = new Map<string, PodRecord>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  *load(): Task<void> {
    const { disk } = this.#platform;
    if ((yield* disk.stat(PODS_DIRECTORY)) === undefined) return;
    for (const entry of yield* disk.list(PODS_DIRECTORY)) {
      const bytes = yield* readWhole(disk, `${PODS_DIRECTORY}/${entry.name}/address`);
      this.#known.set(entry.name, { address: bytes === undefined ? '' : utf8Decode(bytes) });
    }
  }

  get(uid: string): PodRecord | undefined {
    return this.#known.get(uid);
  }

  /** Uids with a directory. */
  uids(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** Tries until the disk takes it: a pod does not start without its directory. */
  *write(uid: string, record: PodRecord): Task<void> {
    for (;;) {
      try {
        yield* this.#writeOnce(uid, record);
        return;
      } catch (error) {
        if (!(error instanceof DiskError)) throw error;
      }
      yield* this.#platform.clock.sleep(RETRY_US);
    }
  }

  *#writeOnce(uid: string, record: PodRecord): Task<void> {
    const { disk } = this.#platform;
    const directory = `${PODS_DIRECTORY}/${uid}`;
    yield* disk.makeDirectory(directory);
    const file = yield* disk.open(`${directory}/address`, { create: true, truncate: true });
    try {
      yield* file.write(0, utf8Encode(record.address));
    } finally {
      file.close();
    }
    this.#known.set(uid, record);
  }

  /** What the disk does not let go of stays known, so that it is tried again. */
  *remove(uid: string): Task<void> {
    try {
      yield* this.#platform.disk.removeTree(`${PODS_DIRECTORY}/${uid}`);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return;
    }
    this.#known.delete(uid);
  }
}
