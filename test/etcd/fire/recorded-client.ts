import {
  CompactionRequest,
  type CompactionResponse,
  DeleteRangeRequest,
  type DeleteRangeResponse,
  PutRequest,
  type PutResponse,
  RangeRequest,
  type RangeResponse,
  TxnRequest,
  type TxnResponse,
} from '../../../src/api/etcd/kv.ts';
import type { LeaseGrantResponse, LeaseRevokeResponse } from '../../../src/api/etcd/lease.ts';
import { KvService, LeaseService } from '../../../src/api/etcd/services.ts';
import { EtcdClient } from '../../../src/etcd/client/client.ts';
import type { RetryClass } from '../../../src/etcd/client/retry.ts';
import type { ClientRequest } from '../../../src/lab/checkers/etcd/client-operations.ts';
import { type Method, RpcError } from '../../../src/platform/rpc.ts';
import type { Task } from '../../../src/platform/task.ts';
import type { Checks } from './checks.ts';

/** How long a client waits for an answer. */
const TIMEOUT_US = 1_000_000;

/** A client every one of whose answers is checked as it arrives. A request without an answer gives null. */
export class RecordedClient {
  readonly client: EtcdClient;
  readonly #checks: Checks;
  readonly #timeoutUs: number;
  /** Highest revision it was told of. */
  revision = 1;
  answered = 0;

  constructor(
    checks: Checks,
    ports: ConstructorParameters<typeof EtcdClient>[0],
    endpoints: readonly string[],
    timeoutUs = TIMEOUT_US,
  ) {
    this.#timeoutUs = timeoutUs;
    this.#checks = checks;
    // Without pings a client never learns that a machine it watches has lost its power.
    const pings = { keepaliveTimeUs: 1_000_000, keepaliveTimeoutUs: 1_000_000 };
    this.client = new EtcdClient(ports, { endpoints, ...pings });
  }

  range(request: Partial<RangeRequest>): Task<RangeResponse | null> {
    const range = RangeRequest.of(request);
    return this.#ask({ range }, KvService.Range, range, 'repeatable');
  }

  put(request: Partial<PutRequest>): Task<PutResponse | null> {
    const put = PutRequest.of(request);
    return this.#ask({ put }, KvService.Put, put, 'once');
  }

  deleteRange(request: Partial<DeleteRangeRequest>): Task<DeleteRangeResponse | null> {
    const deleteRange = DeleteRangeRequest.of(request);
    return this.#ask({ deleteRange }, KvService.DeleteRange, deleteRange, 'once');
  }

  txn(request: Partial<TxnRequest>): Task<TxnResponse | null> {
    const txn = TxnRequest.of(request);
    return this.#ask({ txn }, KvService.Txn, txn, 'once');
  }

  compact(revision: number, physical: boolean): Task<CompactionResponse | null> {
    const compaction = CompactionRequest.of({ revision, physical });
    return this.#ask({ compaction }, KvService.Compact, compaction, 'once');
  }

  grant(ttl: number, id: string): Task<LeaseGrantResponse | null> {
    const leaseGrant = { ttl, id };
    return this.#ask({ leaseGrant }, LeaseService.LeaseGrant, leaseGrant, 'repeatable');
  }

  revoke(id: string): Task<LeaseRevokeResponse | null> {
    this.#checks.leases.revocationAsked(id);
    const leaseRevoke = { id };
    return this.#ask({ leaseRevoke }, LeaseService.LeaseRevoke, leaseRevoke, 'repeatable');
  }

  /** Renews once, on a stream of its own; null without an answer in time. */
  *keepAlive(id: string): Task<number | null> {
    const begun = this.#checks.operations.begin();
    const { channel, ports } = this.client;
    const stream = channel.stream(LeaseService.LeaseKeepAlive, { waitForReady: true });
    const limit = ports.clock.after(this.#timeoutUs, () => stream.cancel());
    try {
      stream.send({ id });
      const answer = yield* stream.receive();
      if (answer === undefined) return null;
      this.#checks.leases.renewed(begun, id, answer.ttl);
      return answer.ttl;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return null;
    } finally {
      limit.cancel();
      stream.cancel();
    }
  }

  *#ask<Req, Res extends { readonly header: { readonly revision: number } | null }>(
    request: ClientRequest,
    method: Method<Req, Res>,
    message: Req,
    retries: RetryClass,
  ): Task<Res | null> {
    const { operations } = this.#checks;
    const begun = operations.begin();
    let response: Res;
    try {
      response = yield* this.client.call(method, message, retries, { timeoutUs: this.#timeoutUs });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      operations.failed(begun, request, error.message);
      return null;
    }
    operations.returned(begun, request, response as Parameters<typeof operations.returned>[2]);
    this.answered++;
    this.revision = Math.max(this.revision, response.header?.revision ?? 0);
    return response;
  }
}
