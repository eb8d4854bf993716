import type { InternalRaftRequest } from '../../../api/etcd/internal.ts';
import type { RangeRequest, RangeResponse, TxnRequest, TxnResponse } from '../../../api/etcd/kv.ts';
import { EtcdEvent } from '../../../etcd/events.ts';
import type { ApplyResult } from '../../../etcd/server/apply/applier.ts';
import type { DatabaseState } from '../../../etcd/server/backend/image.ts';
import type { ServerObserver } from '../../../etcd/server/observer.ts';
import type { TraceEvent } from '../../../sim/trace.ts';
import { type EtcdBirth, EtcdLineage } from '../../view/etcd-lineage.ts';
import { machineOf } from '../checker.ts';
import { ClientOperations } from './client-operations.ts';
import { CommitOrder } from './commit-order.ts';

export const ETCD_LINEARIZABLE = 'etcd-linearizable';

/** One cluster from its birth on. */
interface Followed {
  readonly order: CommitOrder;
  readonly operations: ClientOperations;
  /** What it begins with has been told. */
  hasContent: boolean;
}

/** What is remembered of a cluster: members of whole simulations lag little, and read little of the past. */
const LIMITS = Object.freeze({ minLeaseTtlSec: 2, keepRevisions: 4_000, keepEntries: 4_000 });

/**
 * Follows every etcd cluster of a run from its birth: members apply the same writes with the results that etcd specifies,
 * and each read shows the state of one revision, not older than what was committed when it arrived. A cluster that comes
 * from a snapshot, or goes on with one member alone, is a birth of its own, with that database as its past. So is one that
 * is founded again under the same id: its founder begins with nothing, and who has data of the former one goes on with
 * that.
 */
export class EtcdLinearizable implements ServerObserver {
  readonly #report: (detail: string) => void;
  readonly #lineage = new EtcdLineage();
  readonly #births = new Map<EtcdBirth, Followed>();
  /** By member id. */
  readonly #followed = new Map<string, Followed>();
  /** Reads that were checked. */
  reads = 0;
  #nowUs = 0;

  constructor(report: (detail: string) => void) {
    this.#report = report;
  }

  take(event: TraceEvent): void {
    this.#nowUs = event.timeUs;
    this.#lineage.take(event);
    if (event.kind !== EtcdEvent.MemberStarted.name) return;
    const { memberId } = event.fields as { memberId: string };
    const birth = this.#lineage.birthOn(machineOf(event.source));
    if (birth === undefined) this.#followed.delete(memberId);
    else this.#followed.set(memberId, this.#clusterOf(birth));
  }

  begins(memberId: string, clusterId: string, content: DatabaseState): void {
    const followed = this.#followed.get(memberId);
    if (followed === undefined || followed.hasContent) return;
    followed.hasContent = true;
    followed.order.begins(memberId, clusterId, content);
  }

  applied(memberId: string, index: number, term: number, request: InternalRaftRequest, result: ApplyResult): void {
    this.#followed.get(memberId)?.order.applied(memberId, index, term, request, result);
  }

  snapshot(memberId: string, index: number): void {
    this.#followed.get(memberId)?.order.snapshot(memberId, index);
  }

  readBegins(memberId: string): number {
    return this.#followed.get(memberId)?.order.revision ?? 0;
  }

  read(
    memberId: string,
    begunRevision: number,
    request: RangeRequest | TxnRequest,
    response: RangeResponse | TxnResponse,
  ): void {
    const followed = this.#followed.get(memberId);
    if (followed === undefined) return;
    const begun = { index: 0, revision: begunRevision, compacted: -1, atUs: 0 };
    const one = 'success' in request ? { txn: request } : { range: request };
    followed.operations.returned(begun, one, response);
    this.reads++;
  }

  #clusterOf(birth: EtcdBirth): Followed {
    const known = this.#births.get(birth);
    if (known !== undefined) return known;
    const blame = (guarantee: string, detail: string): void => this.#report(`${guarantee}: ${detail}`);
    const order = new CommitOrder(blame, () => this.#nowUs, LIMITS);
    const followed = { order, operations: new ClientOperations(order, blame), hasContent: false };
    this.#births.set(birth, followed);
    return followed;
  }
}
