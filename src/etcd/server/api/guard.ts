import { EtcdError, rpcError } from '../../../api/etcd/errors.ts';
import { requiresLeader } from '../../../api/etcd/metadata.ts';
import type { CallContext, ServerStream, StreamHandler, UnaryHandler } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { wait } from '../../../platform/task.ts';
import { NONE } from '../../../raft/index.ts';
import { type Caller, type PendingAnswer, type ServingHandler, serving } from '../../../rpc/service.ts';
import type { Member } from '../member/member.ts';

/** Samples without a leader, one each election timeout, after which streams that require one are ended. */
const MAX_SAMPLES = 3;

/** What every call is checked for (reference/etcd.md A7.2). */
export class Guard {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  /** A unary handler behind the checks. `learnerMay` says which requests a learner answers; by default none. */
  unary<Req, Res>(
    handler: UnaryHandler<Req, Res>,
    learnerMay: (request: Req) => boolean = () => false,
  ): UnaryHandler<Req, Res> {
    return (request: Req, context: CallContext): Task<Res> => {
      this.#check(request, context, learnerMay);
      return handler(request, context);
    };
  }

  #check<Req>(request: Req, context: CallContext, learnerMay: (request: Req) => boolean): void {
    if (this.#member.state.cluster.isLocalLearner && !learnerMay(request)) {
      throw rpcError(EtcdError.NotSupportedForLearner);
    }
    this.#checkLeader(context);
  }

  /** The same for a handler that needs no task. */
  serving<Req, Res>(
    serve: (request: Req, caller: Caller<Res>) => PendingAnswer,
    learnerMay: (request: Req) => boolean = () => false,
  ): ServingHandler<Req, Res> {
    return serving((request: Req, context: CallContext, caller: Caller<Res>) => {
      this.#check(request, context, learnerMay);
      return serve(request, caller);
    });
  }

  stream<Req, Res>(handler: StreamHandler<Req, Res>, learnerMay = false): StreamHandler<Req, Res> {
    return (stream: ServerStream<Req, Res>): Task<void> => {
      if (this.#member.state.cluster.isLocalLearner && !learnerMay) throw rpcError(EtcdError.NotSupportedForLearner);
      this.#checkLeader(stream.context);
      return handler(stream);
    };
  }

  #checkLeader(context: CallContext): void {
    if (!requiresLeader(context.metadata)) return;
    if (this.#member.lead === NONE) throw rpcError(EtcdError.NoLeader);
  }

  /** Waits until a stream that requires a leader has to end, then throws NoLeader; else waits for ever. */
  *leaderLost(context: CallContext): Task<never> {
    if (!requiresLeader(context.metadata)) return yield* wait<never>(() => () => {});
    const { platform, identity, leadership } = this.#member;
    const { tickUs, electionTicks } = identity.config;
    const periodUs = tickUs * electionTicks;
    for (;;) {
      while (this.#member.lead !== NONE) yield* leadership.changed.changed();
      let samples = 0;
      while (this.#member.lead === NONE) {
        yield* platform.clock.sleep(periodUs);
        if (this.#member.lead === NONE) samples++;
        if (samples >= MAX_SAMPLES) throw rpcError(EtcdError.NoLeader);
      }
    }
  }
}
