import { NO_LEASE } from '../../../../src/api/etcd/kv.ts';
import { utf8Encode } from '../../../../src/platform/bytes.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import type { Random } from '../../../../src/platform/random.ts';
import type { Task } from '../../../../src/platform/task.ts';
import type { RecordedClient } from '../recorded-client.ts';

/** One lease after the other: granted, hung with keys, renewed for a while, then revoked or left to expire. */
export class LeaseTraffic {
  readonly client: RecordedClient;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #name: string;
  #count = 0;

  constructor(client: RecordedClient, clock: Clock, random: Random, name: string) {
    this.client = client;
    this.#clock = clock;
    this.#random = random;
    this.#name = name;
  }

  *step(): Task<void> {
    const random = this.#random;
    // A short one most of the time: at the least, 2 s are granted.
    const ttl = random.int(1, 3);
    const id = random.chance(300_000) ? this.#ownId() : NO_LEASE;
    const granted = yield* this.client.grant(ttl, id);
    if (granted === null) return;
    for (let i = random.int(0, 2); i >= 0; i--) yield* this.#attach(granted.id);
    for (let i = random.int(0, 4); i > 0; i--) {
      yield* this.#clock.sleep(random.int(100_000, 900_000));
      if (((yield* this.client.keepAlive(granted.id)) ?? 1) <= 0) return;
      if (random.chance(300_000)) yield* this.#attach(granted.id);
    }
    if (random.chance(300_000)) yield* this.client.revoke(granted.id);
  }

  #ownId(): string {
    return `00000000000${(this.#random.int(0, 0xffff) + 0x10000).toString(16)}`.slice(-16);
  }

  #attach(lease: string): Task<unknown> {
    // Half of them are keys that others work on too.
    const key = this.#random.chance(500_000) ? `k${this.#random.int(0, 9)}` : `l${this.#name}-${++this.#count}`;
    const value = utf8Encode(`${this.#name}+${++this.#count}`);
    return this.client.put({ key: utf8Encode(key), value, lease, prevKv: this.#random.chance(300_000) });
  }
}
