import { EtcdError, type EtcdErrorKind } from '../../../../api/etcd/errors.ts';
import type { InternalRaftRequest } from '../../../../api/etcd/internal.ts';
import type { KeyValue, RequestOp } from '../../../../api/etcd/kv.ts';
import { AlarmAction, type AlarmMember, type AlarmRequest, AlarmType } from '../../../../api/etcd/maintenance.ts';
import type { DatabaseState } from '../../../../etcd/server/backend/image.ts';
import type { Answer } from './answer.ts';
import { KeySpace } from './key-space.ts';
import { onlyKey, textOf } from './keys.ts';
import { ModelLeases } from './leases.ts';
import { answerRange } from './read.ts';
import { deleteAll, putRefusal, runDelete, runPut, runTxn } from './write.ts';

export interface ModelOptions {
  /** Shortest time to live of a lease in seconds: 2 with etcd's default timing. */
  readonly minLeaseTtlSec: number;
  /** How many revisions back reads and watches can be checked. */
  readonly keepRevisions: number;
}

/**
 * What etcd's log means, written down a second time and independently of the server: applies entries in their agreed
 * order and says what each must be answered with (reference/etcd.md A2 to A9, C6). No time, no members, no storage.
 */
export class EtcdModel {
  readonly keys: KeySpace;
  readonly leases: ModelLeases;
  /** Reads below this revision are refused; −1: nothing was compacted. */
  compacted = -1;
  #alarms: AlarmMember[] = [];

  constructor(options: ModelOptions) {
    this.keys = new KeySpace(options.keepRevisions);
    this.leases = new ModelLeases(options.minLeaseTtlSec);
  }

  /** What a database stands for that a cluster begins with (reference/etcd.md A2.2, C4). */
  static of(content: DatabaseState, options: ModelOptions): EtcdModel {
    const model = new EtcdModel(options);
    const kvs = content.revisions.map(({ kv }) => kv!);
    model.compacted = Math.max(content.scheduledCompaction, content.finishedCompaction);
    const revision = kvs.reduce((highest, kv) => Math.max(highest, kv.modRevision), Math.max(1, model.compacted));
    // A restore that skips revisions marks them with an empty key.
    const changes = kvs.filter(({ key }) => key.length > 0).map((kv) => ({ ...fieldsOf(kv), text: textOf(kv.key) }));
    model.keys.restore(changes, revision, Math.max(1, model.compacted));
    const newest = new Map(changes.map((change) => [change.text, change]));
    for (const { id, ttlSec } of content.leases) {
      const hung = [...newest.values()].filter(({ lease, version }) => version > 0 && lease === id);
      model.leases.restore(
        id,
        ttlSec,
        hung.map(({ text }) => text),
      );
    }
    model.#alarms = [...content.alarms];
    return model;
  }

  get revision(): number {
    return this.keys.revision;
  }

  apply(request: InternalRaftRequest): Answer {
    const refused = this.#refusedByAlarm(request);
    if (refused !== null) return { kind: 'error', error: refused };
    const answer = this.#execute(request);
    this.keys.commit();
    return answer;
  }

  #execute(request: InternalRaftRequest): Answer {
    const { keys } = this;
    if (request.put !== null) {
      const error = putRefusal(this, request.put, false);
      return error === null ? runPut(this, request.put) : { kind: 'error', error };
    }
    if (request.txn !== null) return runTxn(this, request.txn);
    if (request.deleteRange !== null) return runDelete(this, request.deleteRange);
    if (request.range !== null) return answerRange(keys, this.compacted, request.range);
    if (request.compaction !== null) return this.#compact(request.compaction.revision);
    if (request.leaseGrant !== null) return this.#grant(request.leaseGrant.id, request.leaseGrant.ttl);
    if (request.leaseRevoke !== null) return this.#revoke(request.leaseRevoke.id);
    if (request.alarm !== null) {
      return { kind: 'alarms', revision: keys.revision, alarms: this.#alarm(request.alarm) };
    }
    return { kind: 'plain', revision: keys.revision };
  }

  #compact(revision: number): Answer {
    if (revision <= this.compacted) return { kind: 'error', error: EtcdError.Compacted };
    if (revision > this.revision) return { kind: 'error', error: EtcdError.FutureRev };
    this.compacted = revision;
    return { kind: 'plain', revision: this.revision };
  }

  #grant(id: string, ttlSec: number): Answer {
    const lease = this.leases.grant(id, ttlSec);
    if ('message' in lease) return { kind: 'error', error: lease };
    return { kind: 'grant', revision: this.revision, id, ttl: lease.ttlSec };
  }

  /** A lease goes with its keys, in order and in one transaction. */
  #revoke(id: string): Answer {
    const lease = this.leases.get(id);
    if (lease === undefined) return { kind: 'error', error: EtcdError.LeaseNotFound };
    for (const text of [...lease.keys].sort()) deleteAll(this, onlyKey(text));
    this.leases.remove(id);
    return { kind: 'plain', revision: this.keys.readRevision };
  }

  #alarm({ action, memberId, alarm }: AlarmRequest): readonly AlarmMember[] {
    const isMeant = (other: AlarmMember): boolean => other.memberId === memberId && other.alarm === alarm;
    if (action === AlarmAction.Get) {
      return alarm === AlarmType.None ? this.#alarms : this.#alarms.filter((other) => other.alarm === alarm);
    }
    const known = this.#alarms.some(isMeant);
    if (action === AlarmAction.Activate) {
      if (alarm === AlarmType.None) return [];
      if (!known) this.#alarms = [...this.#alarms, { memberId, alarm }];
      return [{ memberId, alarm }];
    }
    this.#alarms = this.#alarms.filter((other) => !isMeant(other));
    return known ? [{ memberId, alarm }] : [];
  }

  #refusedByAlarm(request: InternalRaftRequest): EtcdErrorKind | null {
    if (this.#alarms.length === 0) return null;
    const raised = (type: number): boolean => this.#alarms.some((alarm) => alarm.alarm === type);
    const { put, txn, leaseGrant, range, deleteRange, compaction, leaseRevoke } = request;
    const touchesKeys = [put, txn, leaseGrant, range, deleteRange, compaction, leaseRevoke].some(
      (part) => part !== null,
    );
    if (raised(AlarmType.Corrupt) && touchesKeys) return EtcdError.Corrupt;
    const grows = put !== null || leaseGrant !== null || (txn !== null && (puts(txn.success) || puts(txn.failure)));
    return raised(AlarmType.NoSpace) && grows ? EtcdError.NoSpace : null;
  }
}

function fieldsOf({ key, createRevision, modRevision, version, value, lease }: KeyValue): KeyValue {
  return { key, createRevision, modRevision, version, value, lease };
}

/** Whether operations need room; those of inner transactions are not counted (before 3.6.14). */
function puts(ops: readonly RequestOp[]): boolean {
  return ops.some((op) => op.requestPut !== null);
}
