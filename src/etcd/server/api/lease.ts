import { EtcdError, rpcError } from '../../../api/etcd/errors.ts';
import { type LeaseId, NO_LEASE } from '../../../api/etcd/kv.ts';
import type {
  LeaseGrantResponse,
  LeaseKeepAliveRequest,
  LeaseKeepAliveResponse,
  LeaseTimeToLiveRequest,
  LeaseTimeToLiveResponse,
} from '../../../api/etcd/lease.ts';
import { LeaseService } from '../../../api/etcd/services.ts';
import { toHex } from '../../../platform/bytes.ts';
import { race } from '../../../platform/combinators.ts';
import type { HandlerEntry, RpcError, ServerStream } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import type { Member } from '../member/member.ts';
import { PeerService } from '../peers/service.ts';
import type { Guard } from './guard.ts';

const LEASE_COST_BYTES = 64;

/** The Lease service (reference/etcd.md A9). */
export function leaseHandlers(member: Member, guard: Guard): HandlerEntry[] {
  const api = new LeaseApi(member, guard);
  return serviceHandlers(LeaseService, {
    LeaseGrant: guard.unary((request) => api.grant(request.id, request.ttl)),
    LeaseRevoke: guard.unary(function* (request) {
      const { header } = yield* member.proposals.request('leaseRevoke', { id: request.id });
      return { header: member.header(header!.revision) };
    }),
    LeaseKeepAlive: guard.stream((stream) => api.keepAlive(stream)),
    LeaseTimeToLive: guard.unary((request) => api.timeToLive(request)),
    LeaseLeases: guard.unary(function* () {
      const now = member.platform.clock.monotonicUs();
      const { lessor } = member.state;
      const leases = [...lessor.all()].sort((a, b) => lessor.remainingSec(a, now) - lessor.remainingSec(b, now));
      return { header: member.header(), leases: leases.map(({ id }) => ({ id })) };
    }),
  });
}

class LeaseApi {
  readonly #member: Member;
  readonly #guard: Guard;

  constructor(member: Member, guard: Guard) {
    this.#member = member;
    this.#guard = guard;
  }

  *grant(id: LeaseId, ttl: number): Task<LeaseGrantResponse> {
    const { applier, proposals } = this.#member;
    if (!applier.fitsQuota(LEASE_COST_BYTES)) {
      this.#member.effects.overQuota();
      throw rpcError(EtcdError.NoSpace);
    }
    const chosen = id === NO_LEASE ? this.#randomId() : id;
    const answer = (yield* proposals.request('leaseGrant', { id: chosen, ttl })) as LeaseGrantResponse;
    return { ...answer, header: this.#member.header(answer.header!.revision) };
  }

  /** A positive id that is not zero. */
  #randomId(): LeaseId {
    for (;;) {
      const bytes = this.#member.platform.random.bytes(8);
      bytes[0] = bytes[0]! & 0x7f;
      const id = toHex(bytes);
      if (id !== NO_LEASE) return id;
    }
  }

  *keepAlive(stream: ServerStream<LeaseKeepAliveRequest, LeaseKeepAliveResponse>): Task<void> {
    yield* race<void>({
      requests: this.#answerRenewals(stream),
      leader: this.#guard.leaderLost(stream.context),
    });
  }

  *#answerRenewals(stream: ServerStream<LeaseKeepAliveRequest, LeaseKeepAliveResponse>): Task<void> {
    for (;;) {
      const request = yield* stream.receive();
      if (request === undefined) return;
      // The header is filled before the renewal, so its revision may be older.
      const header = this.#member.header();
      const ttl = yield* this.renew(request.id);
      if (!stream.send({ header, id: request.id, ttl })) return;
    }
  }

  /** Renews here if this member leads, else through the leader. 0: there is no such lease. */
  *renew(id: LeaseId): Task<number> {
    if (this.#member.isLeader) {
      const ttl = yield* this.#member.leases.renew(id);
      if (ttl !== null) return ttl;
    }
    const answer = yield* this.#member.peers.askLeader(PeerService.LeaseRenew, { id }, isLeaseRefusal);
    return answer.ttl;
  }

  *timeToLive(request: LeaseTimeToLiveRequest): Task<LeaseTimeToLiveResponse> {
    if (!this.#member.isLeader) {
      const answer = yield* this.#member.peers.askLeader(PeerService.LeaseTimeToLive, request, isLeaseRefusal);
      return { ...answer, header: this.#member.header() };
    }
    const answer = yield* this.#member.leases.timeToLive(request.id, request.keys);
    return { ...answer, header: this.#member.header() };
  }
}

function isLeaseRefusal(error: RpcError): boolean {
  return error.message === EtcdError.LeaseNotFound.message;
}
