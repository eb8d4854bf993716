import type { InternalRaftRequest } from '../../../api/etcd/internal.ts';
import type { RangeRequest, RangeResponse, TxnRequest, TxnResponse } from '../../../api/etcd/kv.ts';
import { EtcdEvent } from '../../../etcd/events.ts';
import type { ApplyResult } from '../../../etcd/server/apply/applier.ts';
import type { DatabaseState } from '../../../etcd/server/backend/image.ts';
import type { ServerObserver } from '../../../etcd/server/observer.ts';
import type { TraceEvent } from '../../../sim/trace.ts';
import { ClientOperations } from './client-operations.ts';
import { CommitOrder } from './commit-order.ts';

export const ETCD_LINEARIZABLE = 'etcd-linearizable';

/** One cluster from its birth on. */
interface Followed {
  readonly order: CommitOrder;
  readonly operations: ClientOperations;
  readonly members: Set<string>;
}

/** What is remembered of a cluster: members of whole simulations lag little, and read little of the past. */
const LIMITS = Object.freeze({ minLeaseTtlSec: 2, keepRevisions: 4_000, keepEntries: 4_000 });

/**
 * Follows every etcd cluster of a run from its birth: members apply the same writes with the results that etcd specifies,
 * and each read shows the state of one revision, not older than what was committed when it arrived. A cluster that comes
 * from a snapshot, or goes on with one member alone, is a birth of its own, with that database as its past. One that is
 * founded again by a member that had been in it is followed no further: two pasts have one identity then.
 */
export class EtcdLinearizable implements ServerObserver {
  readonly #report: (detail: string) => void;
  /** By cluster id, the latest birth; undefined once it is not followed. */
  readonly #clusters = new Map<string, Followed | undefined>();
  /** By member id. */
  readonly #followed = new Map<string, Followed | undefined>();
  /** Reads that were checked. */
  reads = 0;
  #nowUs = 0;

  constructor(report: (detail: string) => void) {
    this.#report = report;
  }

  take(event: TraceEvent): void {
    this.#nowUs = event.timeUs;
    if (event.kind !== EtcdEvent.MemberStarted.name) return;
    const { clusterId, memberId, birth } = event.fields as { clusterId: string; memberId: string; birth: string };
    if (birth === 'restore' || birth === 'forced') return; // what it begins with is told next
    if (birth === 'restart' && this.#followed.has(memberId)) return;
    const known = this.#clusters.get(clusterId);
    if (birth === 'new' && !this.#clusters.has(clusterId)) this.#enter(clusterId, memberId, this.#follow());
    else if (birth === 'new' && known?.members.has(memberId) === true) this.#enter(clusterId, memberId, undefined);
    else this.#enter(clusterId, memberId, known);
  }

  begins(memberId: string, clusterId: string, content: DatabaseState): void {
    const known = this.#clusters.get(clusterId);
    if (known?.order.hasBegunWith(content) === true) {
      this.#enter(clusterId, memberId, known);
      return;
    }
    const born = this.#follow();
    born.order.begins(memberId, clusterId, content);
    this.#enter(clusterId, memberId, born);
  }

  #enter(clusterId: string, memberId: string, followed: Followed | undefined): void {
    followed?.members.add(memberId);
    this.#clusters.set(clusterId, followed);
    this.#followed.set(memberId, followed);
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

  #follow(): Followed {
    const blame = (guarantee: string, detail: string): void => this.#report(`${guarantee}: ${detail}`);
    const order = new CommitOrder(blame, () => this.#nowUs, LIMITS);
    return { order, operations: new ClientOperations(order, blame), members: new Set() };
  }
}
