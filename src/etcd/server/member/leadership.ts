import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import { Notifier } from '../../../platform/signal.ts';
import type { Task } from '../../../platform/task.ts';
import { NONE, type NodeId, Role } from '../../../raft/index.ts';
import { EtcdEvent } from '../../events.ts';
import { quorum } from '../membership/reconfiguration.ts';
import { electionTimeoutUs } from './identity.ts';
import type { Member } from './member.ts';

/** Who leads, as this member knows it, and what follows from that. */
export class Leadership {
  readonly #member: Member;
  /** Leader or role changed. */
  readonly changed = new Notifier();
  #told: NodeId = NONE;
  #sinceUs = 0;
  #changesSeen = 0;

  constructor(member: Member) {
    this.#member = member;
  }

  /** How often there was a new leader since the start. */
  get changesSeen(): number {
    return this.#changesSeen;
  }

  /** Raft says that the leader or this member's role is another. */
  note(lead: NodeId, role: Role, isNewLeader: boolean): void {
    const { state, platform, barrier, driver, log, memberId, clusterId, leases } = this.#member;
    if (lead !== this.#told) {
      this.#told = lead;
      log.event(EtcdEvent.LeaderChanged, { memberId, leader: lead, term: driver.node.basicStatus().term });
    }
    if (isNewLeader) {
      this.#changesSeen++;
      this.#sinceUs = platform.clock.monotonicUs();
      barrier.onLeaderChanged();
      if (role === Role.Leader)
        log.event(EtcdEvent.BecameLeader, { clusterId, memberId, term: driver.node.basicStatus().term });
    }
    if (role !== Role.Leader && state.lessor.isPrimary) leases.demote();
    this.changed.notify();
  }

  /**
   * True when this member leads for certain: it has been ticking all along, or a quorum confirms it now. A process that
   * was stopped may not know yet that others have elected another leader (reference/etcd.md A9, G2 "lease").
   */
  *ensure(): Task<boolean> {
    const { driver, identity, platform, barrier } = this.#member;
    if (!driver.isLeader || !driver.leadsNow) return false;
    const now = platform.clock.monotonicUs();
    const ticking = now - driver.ticker.lastTickUs <= 3 * identity.config.tickUs;
    if (ticking && now - driver.ticker.lastStallUs > electionTimeoutUs(identity.config)) return true;
    yield* barrier.wait();
    return driver.isLeader && driver.leadsNow;
  }

  /** What a request's running out of time most likely means (reference/etcd.md A1). */
  timeoutReason(startedUs: number): EtcdErrorKind {
    const { identity, state, lead, memberId } = this.#member;
    const lostUs = this.#sinceUs - 2 * electionTimeoutUs(identity.config);
    if (startedUs > lostUs && startedUs < this.#sinceUs) return EtcdError.TimeoutDueToLeaderFail;
    if (lead === memberId) {
      const members = state.cluster.members();
      const connected = members.filter((member) => this.#member.isConnectedSince(member.id, startedUs)).length;
      if (connected < quorum(members.length)) return EtcdError.TimeoutDueToConnectionLost;
    } else if (lead !== NONE && !this.#member.isConnectedSince(lead, startedUs)) {
      return EtcdError.TimeoutDueToConnectionLost;
    }
    return EtcdError.Timeout;
  }
}
