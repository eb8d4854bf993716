import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import type { InternalRaftRequest } from '../../../api/etcd/internal.ts';
import type { PutRequest, ResponseHeader } from '../../../api/etcd/kv.ts';
import { AlarmType } from '../../../api/etcd/maintenance.ts';
import { keyOf } from '../mvcc/keys.ts';
import type { ReplicatedState } from '../state/replicated.ts';
import { compareVersions } from '../versions.ts';
import { costBytes, putCostBytes } from './quota.ts';
import { executeRange, revisionError, revisionHeader } from './range.ts';
import { checkPut, executeDelete, executePut, executeTxn, isError, putResponse } from './txn.ts';

/** The answer to a request as applying it made it; its header holds only the revision. */
export interface ApplyAnswer {
  readonly header: ResponseHeader | null;
}

/** What applying an entry gave: the answer for whoever asked, or the error. */
export type ApplyResult = ApplyAnswer | EtcdErrorKind;

/** For those who look at no answer. */
const NO_ANSWER: ApplyAnswer = Object.freeze({ header: null });

/** What an applied request caused beside its answer. */
export interface ApplyEffects {
  /** A write transaction made that many changes, the newest in the store's log; all share one main revision. */
  changed(changes: number): void;
  /** A compaction was scheduled. */
  compacted(revision: number): void;
  /** The database is over its quota: the alarm should be raised. */
  overQuota(): void;
  alarmsChanged(): void;
  leaseGranted(id: string, ttlSec: number): void;
  leaseRevoked(id: string, keys: number): void;
  clusterVersionSet(version: string): void;
}

export interface ApplierOptions {
  readonly quotaBytes: number;
  readonly nowUs: () => number;
}

/**
 * Applies committed requests to the replicated state (reference/etcd.md A1 to A9, C6, C7). Deterministic but for
 * deadlines and quota, which are each member's own: a request over quota is executed all the same, and only its answer
 * is replaced, so that members stay equal.
 */
export class Applier {
  readonly #state: ReplicatedState;
  readonly #effects: ApplyEffects;
  readonly #options: ApplierOptions;

  constructor(state: ReplicatedState, effects: ApplyEffects, options: ApplierOptions) {
    this.#state = state;
    this.#effects = effects;
    this.#options = options;
  }

  apply(request: InternalRaftRequest): ApplyResult {
    if (request.put !== null) return this.put(request.put, keyOf(request.put.key), true);
    const cost = costBytes(request, this.#state.options.behaviour.quotaCountsNested);
    const refused = this.#refusedByAlarm(isKeySpaceRequest(request), cost > 0);
    if (refused !== null) return refused;
    const fits = cost === 0 || this.fitsQuota(cost);
    return this.#withinQuota(fits, this.#execute(request));
  }

  /** The same for a put, the most frequent of all. `key` is its key as the store has it; without `isAwaited` the answer is empty. */
  put(put: PutRequest, key: string, isAwaited: boolean): ApplyResult {
    const refused = this.#refusedByAlarm(true, true) ?? checkPut(this.#state, put);
    if (refused !== null) return refused;
    const fits = this.fitsQuota(putCostBytes(put));
    this.#state.store.beginWrite();
    const previous = executePut(this.#state, put, key);
    const response = isAwaited ? putResponse(this.#state, put, previous) : NO_ANSWER;
    this.#end();
    return this.#withinQuota(fits, response);
  }

  #withinQuota(fits: boolean, result: ApplyResult): ApplyResult {
    if (fits || isError(result)) return result;
    this.#effects.overQuota();
    return EtcdError.NoSpace;
  }

  /** Whether a request of this cost would stay within the quota. A negative quota is none. */
  fitsQuota(cost: number): boolean {
    const { quotaBytes } = this.#options;
    return quotaBytes < 0 || this.#state.size.allocatedBytes + cost < quotaBytes;
  }

  #refusedByAlarm(isKeySpace: boolean, grows: boolean): EtcdErrorKind | null {
    const { alarms } = this.#state;
    if (alarms.all.length === 0) return null;
    if (alarms.has(AlarmType.Corrupt) && isKeySpace) return EtcdError.Corrupt;
    return alarms.has(AlarmType.NoSpace) && grows ? EtcdError.NoSpace : null;
  }

  #execute(request: InternalRaftRequest): ApplyResult {
    if (request.txn !== null) return this.#txn(request);
    if (request.deleteRange !== null) return this.#deleteRange(request);
    if (request.range !== null) return executeRange(this.#state.store, request.range);
    if (request.compaction !== null) return this.#compact(request.compaction.revision);
    if (request.leaseGrant !== null) return this.#grant(request.leaseGrant.id, request.leaseGrant.ttl);
    if (request.leaseRevoke !== null) return this.#revoke(request.leaseRevoke.id);
    return this.#executeRest(request);
  }

  #executeRest(request: InternalRaftRequest): ApplyResult {
    const state = this.#state;
    if (request.alarm !== null) {
      const before = state.alarms.all;
      const alarms = state.alarms.apply(request.alarm);
      if (state.alarms.all.length !== before.length || alarms.length > 0) this.#effects.alarmsChanged();
      return { header: this.#header(), ...{ alarms } };
    }
    if (request.leaseCheckpoint !== null) {
      for (const { id, remainingTtl } of request.leaseCheckpoint.checkpoints) {
        state.lessor.checkpoint(id, remainingTtl, this.#options.nowUs());
      }
    } else if (request.clusterVersionSet !== null) this.#setVersion(request.clusterVersionSet.version);
    else if (request.clusterMemberAttrSet !== null) {
      const { memberId, attributes } = request.clusterMemberAttrSet;
      state.cluster.setAttributes(memberId, attributes?.name ?? '', attributes?.clientUrls ?? []);
    } else if (request.downgradeInfoSet !== null) {
      state.cluster.setDowngrade(request.downgradeInfoSet.enabled, request.downgradeInfoSet.version);
    }
    return { header: this.#header() };
  }

  /** The storage follows the cluster's version, in releases that keep one. */
  #setVersion(version: string): void {
    const { cluster, options } = this.#state;
    cluster.setVersion(version);
    const { storageVersion } = options.behaviour;
    if (storageVersion !== '' && compareVersions(version, storageVersion) >= 0) {
      this.#state.setStorageVersion(storageVersion);
    }
    this.#effects.clusterVersionSet(version);
  }

  #header(): ResponseHeader {
    return revisionHeader(this.#state.store.currentRevision);
  }

  #deleteRange(request: InternalRaftRequest): ApplyResult {
    this.#state.store.beginWrite();
    const response = executeDelete(this.#state, request.deleteRange!);
    this.#end();
    return response;
  }

  #txn(request: InternalRaftRequest): ApplyResult {
    this.#state.store.beginWrite();
    const response = executeTxn(this.#state, request.txn!);
    this.#end();
    return response;
  }

  #end(): void {
    const changes = this.#state.store.endWrite();
    if (changes === 0) return;
    this.#state.updateSize();
    this.#effects.changed(changes);
  }

  #compact(revision: number): ApplyResult {
    const error = this.#state.store.scheduleCompaction(revision);
    if (error !== null) return revisionError(error);
    this.#effects.compacted(revision);
    return { header: this.#header() };
  }

  #grant(id: string, ttlSec: number): ApplyResult {
    const lease = this.#state.lessor.grant(id, ttlSec, this.#options.nowUs());
    if ('status' in lease) return lease;
    this.#effects.leaseGranted(lease.id, lease.ttlSec);
    return { header: this.#header(), ...{ id: lease.id, ttl: lease.ttlSec, error: '' } };
  }

  /** Deletes a lease's keys, in order and in one transaction, then the lease. */
  #revoke(id: string): ApplyResult {
    const { lessor, store } = this.#state;
    const lease = lessor.get(id);
    if (lease === undefined) return EtcdError.LeaseNotFound;
    const keys = [...lease.keys].sort();
    store.beginWrite();
    for (const key of keys) store.deleteRange({ from: key, end: `${key}\0`, single: true });
    this.#end();
    lessor.remove(id);
    this.#effects.leaseRevoked(id, keys.length);
    return { header: this.#header() };
  }
}

function isKeySpaceRequest(request: InternalRaftRequest): boolean {
  return (
    request.range !== null ||
    request.deleteRange !== null ||
    request.txn !== null ||
    request.compaction !== null ||
    request.leaseGrant !== null ||
    request.leaseRevoke !== null
  );
}
