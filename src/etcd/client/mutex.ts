import type { TxnResponse } from '../../api/etcd/kv.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import type { Task } from '../../platform/task.ts';
import type { EtcdClient, Limits } from './client.ts';
import { createdAt, firstCreated, putOp, rangeOp, waitDeletes } from './concurrency.ts';
import { leaseHex, type Session } from './session.ts';

/** What locks refuse with. */
export class LockError extends Error {
  constructor(
    text: 'mutex: Locked by another session' | 'mutex: session is expired' | 'mutex: lock has already been released',
  ) {
    super(text);
    this.name = 'LockError';
  }
}

/** A lock under a prefix: whoever's key is oldest holds it, so waiters come to it in order (reference/etcd.md A10). */
export class Mutex {
  readonly #session: Session;
  readonly #client: EtcdClient;
  readonly #prefix: string;
  #key = '';
  #revision = 0;

  constructor(session: Session, name: string) {
    this.#session = session;
    this.#client = session.client;
    this.#prefix = `${name}/`;
  }

  /** The key that holds the lock, or waits for it. */
  get key(): string {
    return this.#key;
  }

  /** Create revision of the key: grows from holder to holder, so it can fence. */
  get revision(): number {
    return this.#revision;
  }

  /** Waits for the lock. Cancelling the task, or an error, takes the key away again as far as the server can be reached. */
  *lock(): Task<void> {
    let held = false;
    try {
      held = this.#owns(yield* this.#tryAcquire());
      if (held) return;
      yield* waitDeletes(this.#client, this.#prefix, this.#revision - 1);
      const { kvs } = yield* this.#client.range({ key: utf8Encode(this.#key) });
      if (kvs.length === 0) throw new LockError('mutex: session is expired');
      held = true;
    } finally {
      if (!held) this.abandon();
    }
  }

  /** Gives the lock, or the place in the queue, up without waiting for it, whatever happens to the caller. */
  abandon(): void {
    if (this.#key === '') return;
    const key = utf8Encode(this.#key);
    this.#key = '';
    this.#client.farewell((limits) => this.#client.deleteRange({ key }, limits));
  }

  /** Takes the lock if it is free; LockError otherwise. */
  *tryLock(): Task<void> {
    if (this.#owns(yield* this.#tryAcquire())) return;
    yield* this.#client.deleteRange({ key: utf8Encode(this.#key) });
    this.#key = '';
    throw new LockError('mutex: Locked by another session');
  }

  *unlock(limits?: Limits): Task<void> {
    if (this.#key === '') throw new LockError('mutex: lock has already been released');
    yield* this.#client.deleteRange({ key: utf8Encode(this.#key) }, limits);
    this.#key = '';
  }

  *#tryAcquire(): Task<TxnResponse> {
    this.#key = `${this.#prefix}${leaseHex(this.#session.lease)}`;
    const key = utf8Encode(this.#key);
    const owner = rangeOp(firstCreated(this.#prefix));
    const answer = yield* this.#client.txn({
      compare: [createdAt(this.#key, 0)],
      success: [putOp({ key, lease: this.#session.lease }), owner],
      failure: [rangeOp({ key }), owner],
    });
    this.#revision = answer.succeeded
      ? answer.header!.revision
      : answer.responses[0]!.responseRange!.kvs[0]!.createRevision;
    return answer;
  }

  #owns(answer: TxnResponse): boolean {
    const owner = answer.responses[1]!.responseRange!.kvs[0];
    return owner === undefined || owner.createRevision === this.#revision;
  }
}
