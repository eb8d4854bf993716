import type { Member as MemberRecord } from '../../../api/etcd/cluster.ts';
import { EtcdError, type EtcdErrorKind, rpcError } from '../../../api/etcd/errors.ts';
import type { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { ConfChangeType } from '../../../raft/index.ts';
import { parseUrls, urlTexts } from '../config/urls.ts';
import { encodeContext } from '../membership/context.ts';
import { memberId } from '../membership/ids.ts';
import {
  HEALTH_INTERVAL_US,
  mayAdd,
  mayPromote,
  mayRemove,
  type ReconfigurationView,
} from '../membership/reconfiguration.ts';
import { PeerService } from '../peers/service.ts';
import type { Member } from './member.ts';

/** A learner may become a voter when it has this many hundredths of the leader's log. */
const READY_PERCENT = 90;
const APPLY_WAIT_US = 1_000_000;

/** Changes of membership as they are asked of this member: checks, proposal, answer (reference/etcd.md B3). */
export class Reconfigurer {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  *add(peerUrls: readonly string[], isLearner: boolean): Task<MemberRecord> {
    const urls = parseUrls(peerUrls.join(','));
    if (typeof urls === 'string') throw rpcError(EtcdError.MemberBadUrls);
    this.#strictly((view) => mayAdd(view, isLearner));
    const unixSec = Math.floor(this.#member.platform.clock.nowUs() / 1_000_000);
    const texts = urlTexts(urls);
    const id = memberId(texts, '', unixSec);
    const record: MemberRecord = { id, name: '', peerUrls: texts, clientUrls: [], isLearner };
    yield* this.#member.proposals.change({
      type: isLearner ? ConfChangeType.AddLearnerNode : ConfChangeType.AddNode,
      nodeId: id,
      context: encodeContext({ member: record, isPromote: false }),
    });
    return record;
  }

  *remove(id: string): Task<void> {
    this.#strictly((view) => mayRemove(view, id));
    yield* this.#member.proposals.change({ type: ConfChangeType.RemoveNode, nodeId: id, context: null });
  }

  *update(id: string, peerUrls: readonly string[]): Task<void> {
    const record: MemberRecord = { id, name: '', peerUrls, clientUrls: [], isLearner: false };
    yield* this.#member.proposals.change({
      type: ConfChangeType.UpdateNode,
      nodeId: id,
      context: encodeContext({ member: record, isPromote: false }),
    });
  }

  /** Promotes a learner: here if this member leads, else by asking the leader until the request's time is up. */
  *promote(id: string): Task<void> {
    const member = this.#member;
    if (!member.isLeader) {
      yield* member.peers.askLeader(PeerService.Promote, { id }, isRefusal);
      return;
    }
    yield* this.promoteAsLeader(id);
  }

  *promoteAsLeader(id: string): Task<void> {
    const { proposals, driver, memberId: self } = this.#member;
    if (!this.#member.isLeader) throw rpcError(EtcdError.NotLeader);
    if (!(yield* this.#member.waitApplied(APPLY_WAIT_US))) throw rpcError(EtcdError.TimeoutWaitAppliedIndex);
    const { progress } = driver.node.status();
    const learner = progress.find((peer) => peer.id === id);
    if (learner === undefined) throw rpcError(EtcdError.MemberNotFound);
    const leader = progress.find((peer) => peer.id === self);
    if (learner.match * 100 < (leader?.match ?? 0) * READY_PERCENT) throw rpcError(EtcdError.LearnerNotReady);
    this.#strictly(mayPromote);
    const known = this.#member.state.cluster.member(id);
    const record: MemberRecord = { id, name: '', peerUrls: known?.peerUrls ?? [], clientUrls: [], isLearner: false };
    yield* proposals.change({
      type: ConfChangeType.AddNode,
      nodeId: id,
      context: encodeContext({ member: record, isPromote: true }),
    });
  }

  #strictly(rule: (view: ReconfigurationView) => EtcdErrorKind | null): void {
    const { identity, state, platform, memberId: self } = this.#member;
    if (!identity.config.strictReconfigCheck) return;
    const longAgoUs = platform.clock.monotonicUs() - HEALTH_INTERVAL_US;
    const refused = rule({
      localId: self,
      members: state.cluster.members(),
      longConnected: (id) => this.#member.isConnectedSince(id, longAgoUs),
      connected: (id) => this.#member.isConnectedSince(id, Number.POSITIVE_INFINITY),
      addNeedsAllVoters: identity.behaviour.addNeedsAllVoters,
    });
    if (refused !== null) throw rpcError(refused);
  }
}

/** What the leader's answer says for good, as opposed to trouble on the way or a leader that changed. */
function isRefusal(error: RpcError): boolean {
  return (
    error.message === EtcdError.LearnerNotReady.message ||
    error.message === EtcdError.MemberNotLearner.message ||
    error.message === EtcdError.MemberNotFound.message
  );
}
