import { EventType, type KeyValue } from '../../api/etcd/kv.ts';
import { compareBytes, utf8Encode } from '../../platform/bytes.ts';
import type { Task } from '../../platform/task.ts';
import type { EtcdClient, Limits } from './client.ts';
import {
  createdAt,
  deleteOp,
  firstCreated,
  keysUnder,
  nextEvents,
  putOp,
  rangeOp,
  untilDeleted,
  waitDeletes,
} from './concurrency.ts';
import { leaseHex, type Session } from './session.ts';

/** What elections refuse with. */
export class ElectionError extends Error {
  constructor(text: 'election: not leader' | 'election: no leader') {
    super(text);
    this.name = 'ElectionError';
  }
}

/** An election under a prefix: the oldest key leads, its value is what the leader proclaims (reference/etcd.md A10). */
export class Election {
  readonly #session: Session;
  readonly #client: EtcdClient;
  readonly #prefix: string;
  #leaderKey = '';
  #leaderRevision = 0;

  constructor(session: Session, name: string) {
    this.#session = session;
    this.#client = session.client;
    this.#prefix = `${name}/`;
  }

  /** The key by which this candidate takes part; empty before it campaigned. */
  get key(): string {
    return this.#leaderKey;
  }

  get revision(): number {
    return this.#leaderRevision;
  }

  /** Puts a candidate up and waits until it leads. */
  *campaign(value: Uint8Array): Task<void> {
    const key = `${this.#prefix}${leaseHex(this.#session.lease)}`;
    const keyBytes = utf8Encode(key);
    const answer = yield* this.#client.txn({
      compare: [createdAt(key, 0)],
      success: [putOp({ key: keyBytes, value, lease: this.#session.lease })],
      failure: [rangeOp({ key: keyBytes })],
    });
    this.#leaderKey = key;
    this.#leaderRevision = answer.header!.revision;
    if (!answer.succeeded) {
      const known = answer.responses[0]!.responseRange!.kvs[0]!;
      this.#leaderRevision = known.createRevision;
      if (compareBytes(known.value, value) !== 0) yield* this.proclaim(value);
    }
    yield* waitDeletes(this.#client, this.#prefix, this.#leaderRevision - 1);
  }

  /** Changes the value without another election. */
  *proclaim(value: Uint8Array): Task<void> {
    if (this.#leaderKey === '') throw new ElectionError('election: not leader');
    const answer = yield* this.#client.txn({
      compare: [createdAt(this.#leaderKey, this.#leaderRevision)],
      success: [putOp({ key: utf8Encode(this.#leaderKey), value, lease: this.#session.lease })],
      failure: [],
    });
    if (answer.succeeded) return;
    this.#leaderKey = '';
    throw new ElectionError('election: not leader');
  }

  /** Gives leadership, or the candidacy, up. */
  *resign(limits?: Limits): Task<void> {
    if (this.#leaderKey === '') return;
    const key = this.#leaderKey;
    this.#leaderKey = '';
    yield* this.#client.txn(
      {
        compare: [createdAt(key, this.#leaderRevision)],
        success: [deleteOp({ key: utf8Encode(key) })],
        failure: [],
      },
      limits,
    );
  }

  /** Resigns without waiting for it, whatever happens to the caller. */
  abandon(): void {
    if (this.#leaderKey !== '') this.#client.farewell((limits) => this.resign(limits));
  }

  /** The leader's key and value; ElectionError when there is none. */
  leader(): Task<KeyValue> {
    return electionLeader(this.#client, this.#prefix);
  }

  /** Hands out who leads and what every leader proclaims, until it is cancelled or the cluster fails it. */
  *observe(seen: (kv: KeyValue) => void): Task<never> {
    for (;;) {
      const { kvs, header } = yield* this.#client.range(firstCreated(this.#prefix));
      const leader = kvs[0] ?? (yield* firstPut(this.#client, this.#prefix, header!.revision));
      seen(leader);
      const from = Math.max(header!.revision, leader.modRevision) + 1;
      yield* untilDeleted(this.#client, leader.key, from, seen);
    }
  }
}

function* electionLeader(client: EtcdClient, prefix: string): Task<KeyValue> {
  const { kvs } = yield* client.range(firstCreated(prefix));
  if (kvs[0] === undefined) throw new ElectionError('election: no leader');
  return kvs[0];
}

/** The first key that appears under the prefix. */
function* firstPut(client: EtcdClient, prefix: string, revision: number): Task<KeyValue> {
  const watch = client.watches.watch({ ...keysUnder(prefix), startRevision: revision });
  try {
    for (;;) {
      const events = yield* nextEvents(watch, `election watch of ${prefix} ended`);
      const put = events.find((event) => event.type === EventType.Put);
      if (put !== undefined) return put.kv;
    }
  } finally {
    watch.cancel();
  }
}
