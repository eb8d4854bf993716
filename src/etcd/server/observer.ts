import type { InternalRaftRequest } from '../../api/etcd/internal.ts';
import type { RangeRequest, RangeResponse, TxnRequest, TxnResponse } from '../../api/etcd/kv.ts';
import type { ApplyResult } from './apply/applier.ts';
import type { DatabaseState } from './backend/image.ts';

/**
 * What a simulation may look at beside the events, for checkers that follow every request: the agreed order of writes,
 * and at which point of it each read was answered. Everything is passed by reference and must not be changed. A real
 * process has none.
 */
export interface ServerObserver {
  /**
   * A member begins with data that no log tells: a snapshot was restored, or a cluster goes on with one of its members
   * alone. `content` is what its database holds, up to and with entry `content.index`.
   */
  begins(memberId: string, clusterId: string, content: DatabaseState): void;
  /** Entry `index` was applied on this member for the first time since it started. */
  applied(memberId: string, index: number, term: number, request: InternalRaftRequest, result: ApplyResult): void;
  /** A read arrives at a member. What this returns is handed to {@link read} with the answer. */
  readBegins(memberId: string): number;
  /** A member answered a range or a read-only transaction. */
  read(
    memberId: string,
    begun: number,
    request: RangeRequest | TxnRequest,
    response: RangeResponse | TxnResponse,
  ): void;
  /** A member took in a snapshot at `index`: entries up to it are not applied one by one. */
  snapshot(memberId: string, index: number, term: number): void;
}
