import { concatBytes } from '../../../../src/platform/bytes.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import type { Random } from '../../../../src/platform/random.ts';
import { RpcError } from '../../../../src/platform/rpc.ts';
import type { Task } from '../../../../src/platform/task.ts';
import type { Checks } from '../checks.ts';
import type { RecordedClient } from '../recorded-client.ts';
import { ALL_KEYS } from './keys.ts';

const LIMIT = Object.freeze({ timeoutUs: 1_500_000 });

/** What an operator does to a running cluster: compactions, defragmentation, snapshots, another leader. */
export class Administrator {
  readonly client: RecordedClient;
  readonly #checks: Checks;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #endpoints: readonly string[];
  readonly #hasQuota: boolean;
  /** Alarms that it found raised. */
  alarmsSeen = 0;
  /** The last snapshot that came whole. */
  backup: Uint8Array | undefined;

  constructor(
    client: RecordedClient,
    checks: Checks,
    clock: Clock,
    random: Random,
    endpoints: readonly string[],
    hasQuota: boolean,
  ) {
    this.#hasQuota = hasQuota;
    this.client = client;
    this.#checks = checks;
    this.#clock = clock;
    this.#random = random;
    this.#endpoints = endpoints;
  }

  *step(): Task<void> {
    yield* this.#clock.sleep(this.#random.int(50_000, 500_000));
    yield* unlessRefused(this.#hasQuota && this.#random.chance(300_000) ? this.makeRoom() : this.#act());
  }

  /** What is done about NOSPACE: delete something, compact, defragment everybody, disarm. */
  *makeRoom(): Task<void> {
    const { maintenance } = this.client.client;
    const { alarms } = yield* maintenance.alarmList(LIMIT);
    if (alarms.length === 0) return;
    this.alarmsSeen += alarms.length;
    yield* this.client.deleteRange(ALL_KEYS);
    yield* this.client.compact(this.#checks.order.model.revision, true);
    for (const endpoint of this.#endpoints) yield* unlessRefused(maintenance.defragment(endpoint, LIMIT));
    for (const alarm of alarms) yield* maintenance.alarmDisarm(alarm, LIMIT);
  }

  *#act(): Task<unknown> {
    const { maintenance } = this.client.client;
    const endpoint = this.#endpoints[this.#random.int(0, this.#endpoints.length - 1)]!;
    switch (this.#random.int(0, 9)) {
      case 0:
        return yield* maintenance.defragment(endpoint, LIMIT);
      case 1:
        return yield* this.#snapshot();
      case 2:
        return yield* this.#moveLeader();
      case 3:
        return yield* maintenance.hashKv(endpoint, 0, LIMIT);
      default:
        return yield* this.#compact();
    }
  }

  /** Anywhere from the last compaction to beyond the end, so that both refusals occur; often at the newest revision. */
  *#compact(): Task<unknown> {
    const { compacted, revision } = this.#checks.order.model;
    const at = this.#random.chance(300_000) ? revision : this.#random.int(Math.max(0, compacted), revision + 3);
    return yield* this.client.compact(at, this.#random.chance(300_000));
  }

  *#snapshot(): Task<undefined> {
    const parts: Uint8Array[] = [];
    yield* this.client.client.maintenance.snapshot((part) => parts.push(part.blob));
    this.backup = concatBytes(parts);
    return undefined;
  }

  *#moveLeader(): Task<unknown> {
    const { members } = yield* this.client.client.memberList(false, LIMIT);
    const target = members[this.#random.int(0, members.length - 1)];
    if (target === undefined) return undefined;
    return yield* this.client.client.maintenance.moveLeader(target.id, LIMIT);
  }
}

/** Runs a task to its end; an error of the call is what can happen. */
export function* unlessRefused(task: Task<unknown>): Task<void> {
  try {
    yield* task;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
}
