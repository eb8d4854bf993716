import type { InternalRaftRequest } from '../../../api/etcd/internal.ts';
import type { RangeRequest, RangeResponse, TxnRequest, TxnResponse } from '../../../api/etcd/kv.ts';
import { EtcdEvent } from '../../../etcd/events.ts';
import type { ApplyResult } from '../../../etcd/server/apply/applier.ts';
import type { ServerObserver } from '../../../etcd/server/observer.ts';
import type { TraceEvent } from '../../../sim/trace.ts';
import { ClientOperations } from './client-operations.ts';
import { CommitOrder } from './commit-order.ts';

export const ETCD_LINEARIZABLE = 'etcd-linearizable';

/** One cluster from its founding on; undefined once it does not follow from its log alone. */
interface Followed {
  readonly order: CommitOrder;
  readonly operations: ClientOperations;
  readonly members: Set<string>;
}

/** What is remembered of a cluster: members of whole simulations lag little, and read little of the past. */
const LIMITS = Object.freeze({ minLeaseTtlSec: 2, keepRevisions: 4_000, keepEntries: 4_000 });

/**
 * Follows every etcd cluster of a run from its founding: members apply the same writes with the results that etcd
 * specifies, and each read shows the state of one revision, not older than what was committed when it arrived. A cluster
 * that comes from a snapshot, or is founded again by a member that had been in it, begins with something that its log does
 * not tell: it is followed no further.
 */
export class EtcdLinearizable implements ServerObserver {
  readonly #report: (detail: string) => void;
  readonly #clusters = new Map<string, Followed | undefined>();
  readonly #clusterOf = new Map<string, string>();
  #nowUs = 0;

  constructor(report: (detail: string) => void) {
    this.#report = report;
  }

  /** Reads that were checked. */
  get reads(): number {
    let sum = 0;
    for (const followed of this.#clusters.values()) sum += followed?.operations.checked ?? 0;
    return sum;
  }

  take(event: TraceEvent): void {
    this.#nowUs = event.timeUs;
    if (event.kind !== EtcdEvent.MemberStarted.name) return;
    const { clusterId, memberId, birth } = event.fields as { clusterId: string; memberId: string; birth: string };
    this.#clusterOf.set(memberId, clusterId);
    const known = this.#clusters.get(clusterId);
    if (birth === 'new' && !this.#clusters.has(clusterId)) this.#clusters.set(clusterId, this.#follow(memberId));
    else if (birth === 'restore' || birth === 'forced') this.#clusters.set(clusterId, undefined);
    else if (birth === 'new' && known?.members.has(memberId) === true) this.#clusters.set(clusterId, undefined);
    else known?.members.add(memberId);
  }

  applied(memberId: string, index: number, term: number, request: InternalRaftRequest, result: ApplyResult): void {
    this.#followed(memberId)?.order.applied(memberId, index, term, request, result);
  }

  snapshot(memberId: string, index: number): void {
    this.#followed(memberId)?.order.snapshot(memberId, index);
  }

  readBegins(memberId: string): number {
    return this.#followed(memberId)?.order.revision ?? 0;
  }

  read(
    memberId: string,
    begunRevision: number,
    request: RangeRequest | TxnRequest,
    response: RangeResponse | TxnResponse,
  ): void {
    const followed = this.#followed(memberId);
    if (followed === undefined) return;
    const begun = { index: 0, revision: begunRevision, compacted: -1, atUs: 0 };
    const one = 'success' in request ? { txn: request } : { range: request };
    followed.operations.returned(begun, one, response);
  }

  #follow(memberId: string): Followed {
    const blame = (guarantee: string, detail: string): void => this.#report(`${guarantee}: ${detail}`);
    const order = new CommitOrder(blame, () => this.#nowUs, LIMITS);
    return { order, operations: new ClientOperations(order, blame), members: new Set([memberId]) };
  }

  #followed(memberId: string): Followed | undefined {
    const cluster = this.#clusterOf.get(memberId);
    return cluster === undefined ? undefined : this.#clusters.get(cluster);
  }
}
