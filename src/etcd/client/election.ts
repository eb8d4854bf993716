import { EventType, type KeyValue } from '../../api/etcd/kv.ts';
import { compareBytes, utf8Encode } from '../../platform/bytes.ts';
import { Channel, END } from '../../platform/channel.ts';
import type { Task } from '../../platform/task.ts';
import type { EtcdClient } from './client.ts';
import { createdAt, deleteOp, firstCreated, keysUnder, putOp, rangeOp, waitDeletes } from './concurrency.ts';
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
  *resign(timeoutUs?: number): Task<void> {
    if (this.#leaderKey === '') return;
    const key = this.#leaderKey;
    this.#leaderKey = '';
    yield* this.#client.txn(
      {
        compare: [createdAt(key, this.#leaderRevision)],
        success: [deleteOp({ key: utf8Encode(key) })],
        failure: [],
      },
      timeoutUs === undefined ? {} : { timeoutUs },
    );
  }

  /** The leader's key and value; ElectionError when there is none. */
  leader(): Task<KeyValue> {
    return electionLeader(this.#client, this.#prefix);
  }

  /** Delivers the leader's proclamations, the newest first to come; slow readers may miss some. Close it to stop. */
  observe(): Channel<KeyValue> {
    const seen = new Channel<KeyValue>();
    const task = this.#client.ports.scope.spawn('etcd-observe', () => observe(this.#client, this.#prefix, seen));
    const close = seen.close.bind(seen);
    seen.close = () => {
      close();
      task.cancel();
    };
    return seen;
  }
}

function* electionLeader(client: EtcdClient, prefix: string): Task<KeyValue> {
  const { kvs } = yield* client.range(firstCreated(prefix));
  if (kvs[0] === undefined) throw new ElectionError('election: no leader');
  return kvs[0];
}

function* observe(client: EtcdClient, prefix: string, seen: Channel<KeyValue>): Task<void> {
  for (;;) {
    const { kvs, header } = yield* client.range(firstCreated(prefix));
    const leader = kvs[0] ?? (yield* firstPut(client, prefix, header!.revision));
    seen.offer(leader);
    yield* follow(client, leader, Math.max(header!.revision, leader.modRevision) + 1, seen);
  }
}

/** The first key that appears under the prefix. */
function* firstPut(client: EtcdClient, prefix: string, revision: number): Task<KeyValue> {
  const watch = client.watches.watch({ ...keysUnder(prefix), startRevision: revision });
  try {
    for (;;) {
      const update = yield* watch.receive();
      if (update === END || update.error !== null) throw new Error(`election watch of ${prefix} ended`);
      const put = update.events.find((event) => event.type === EventType.Put);
      if (put !== undefined) return put.kv;
    }
  } finally {
    watch.cancel();
  }
}

/** Delivers a leader's proclamations until its key is deleted. */
function* follow(client: EtcdClient, leader: KeyValue, from: number, seen: Channel<KeyValue>): Task<void> {
  const watch = client.watches.watch({ key: leader.key, startRevision: from });
  try {
    for (;;) {
      const update = yield* watch.receive();
      if (update === END || update.error !== null) return;
      for (const event of update.events) {
        if (event.type === EventType.Delete) return;
        seen.offer(event.kv);
      }
    }
  } finally {
    watch.cancel();
  }
}
