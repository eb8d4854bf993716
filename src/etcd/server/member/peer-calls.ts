import { EtcdError, rpcError } from '../../../api/etcd/errors.ts';
import { NetError } from '../../../platform/errors.ts';
import { type Method, type RpcChannel, RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { NONE, type NodeId } from '../../../raft/index.ts';
import { peerChannel } from '../peers/endpoint.ts';
import { electionTimeoutUs, peerDialTimeoutUs } from './identity.ts';
import type { Member } from './member.ts';

/** Pause between attempts to reach the leader. */
const RETRY_US = 50_000;

/** Questions to single peers, beside the message streams. Channels are kept and made again when a peer's URL changes. */
export class PeerCalls {
  readonly #member: Member;
  readonly #channels = new Map<NodeId, { readonly urls: string; readonly channel: RpcChannel }>();

  constructor(member: Member) {
    this.#member = member;
  }

  /** Asks one peer; throws RpcError. */
  *ask<Req, Res>(id: NodeId, method: Method<Req, Res>, request: Req, timeoutUs: number): Task<Res> {
    const channel = this.#channelTo(id);
    if (channel === null) throw new RpcError('Unavailable', `no address of member ${id} is known`);
    try {
      return yield* channel.unary(method, request, { timeoutUs });
    } catch (error) {
      if (error instanceof NetError) throw new RpcError('Unavailable', error.message);
      throw error;
    }
  }

  /**
   * Asks the leader, whoever it is, until it answers or the request's time is up. Transport troubles are tried again;
   * an answer that refuses is final.
   */
  *askLeader<Req, Res>(method: Method<Req, Res>, request: Req, isFinal: (error: RpcError) => boolean): Task<Res> {
    const { clock } = this.#member.platform;
    const deadlineUs = clock.monotonicUs() + this.#member.requestTimeoutUs;
    for (;;) {
      const leftUs = deadlineUs - clock.monotonicUs();
      if (leftUs <= 0) throw rpcError(EtcdError.Timeout);
      const leader = yield* this.#waitLeader(leftUs);
      try {
        const answerUs = Math.min(leftUs, peerDialTimeoutUs(this.#member.identity.config));
        return yield* this.ask(leader, method, request, answerUs);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (isFinal(error)) throw error;
      }
      yield* clock.sleep(RETRY_US);
    }
  }

  *#waitLeader(limitUs: number): Task<NodeId> {
    const { clock } = this.#member.platform;
    const deadlineUs = clock.monotonicUs() + limitUs;
    while (this.#member.lead === NONE) {
      if (clock.monotonicUs() >= deadlineUs) throw rpcError(EtcdError.NoLeader);
      yield* clock.sleep(Math.min(electionTimeoutUs(this.#member.identity.config), deadlineUs - clock.monotonicUs()));
    }
    return this.#member.lead;
  }

  #channelTo(id: NodeId): RpcChannel | null {
    const peer = this.#member.state.cluster.member(id);
    const urls = peer?.peerUrls.join(',') ?? '';
    const known = this.#channels.get(id);
    if (known !== undefined && known.urls === urls) return known.channel;
    known?.channel.close();
    this.#channels.delete(id);
    const access = { rpc: this.#member.platform.rpc, tls: this.#member.peerTls };
    const channel = peerChannel(access, peer?.peerUrls ?? [], {
      connectTimeoutUs: peerDialTimeoutUs(this.#member.identity.config),
      backoffBaseUs: RETRY_US,
      backoffMaxUs: 1_000_000,
    });
    if (channel === null) return null;
    this.#channels.set(id, { urls, channel });
    return channel;
  }

  close(): void {
    for (const { channel } of this.#channels.values()) channel.close();
    this.#channels.clear();
  }
}
