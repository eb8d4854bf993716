import { shortId } from '../../../api/etcd/ids.ts';
import type { HashKvResponse } from '../../../api/etcd/maintenance.ts';
import { AlarmAction, AlarmType } from '../../../api/etcd/maintenance.ts';
import type { Timer } from '../../../platform/clock.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { quorum } from '../membership/reconfiguration.ts';
import { hashAt, type KvHash } from '../mvcc/hash.ts';
import { PeerService } from '../peers/service.ts';
import { StartError } from '../start/errors.ts';
import type { Member } from './member.ts';

/** A peer's hash, or null when it did not tell. */
interface PeerHash {
  readonly id: string;
  readonly hash: HashKvResponse | null;
  readonly currentRevision: number;
}

/** Compares what members hold, and raises CORRUPT for those that differ (reference/etcd.md C8). */
export class CorruptionMonitor {
  readonly #member: Member;
  #latestChecked = 0;
  #timers: Timer[] = [];
  #running = false;

  constructor(member: Member) {
    this.#member = member;
  }

  /** Starts the checks that the command line asks for. */
  start(): void {
    const { corruptCheckTimeUs, compactHashCheck, compactHashCheckTimeUs } = this.#member.identity.config;
    if (corruptCheckTimeUs > 0) this.#every(corruptCheckTimeUs, () => this.#periodicCheck());
    if (compactHashCheck) this.#every(compactHashCheckTimeUs, () => this.#compactHashCheck());
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
  }

  #every(periodUs: number, check: () => Task<void>): void {
    const slot = this.#timers.length;
    const arm = (): void => {
      this.#timers[slot] = this.#member.platform.clock.after(periodUs, () => {
        arm();
        if (!this.#member.isLeader || this.#running) return;
        this.#running = true;
        this.#member.scope.spawn('corruption-check', () => this.#guarded(check));
      });
    };
    arm();
  }

  *#guarded(check: () => Task<void>): Task<void> {
    try {
      yield* check();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    } finally {
      this.#running = false;
    }
  }

  /** Before a member serves again: its data must be what its peers have at that revision. Throws StartError. */
  *initialCheck(): Task<void> {
    const { store } = this.#member.state;
    const own = hashAt(store, store.currentRevision) as KvHash;
    const peers = yield* this.#ask(own.revision);
    const differing = peers.filter(
      ({ hash }) => hash !== null && hash.compactRevision === own.compactRevision && hash.hash !== own.hash,
    );
    if (differing.length > 0) {
      throw new StartError(`${shortId(this.#member.memberId)} found data inconsistency with peers`);
    }
  }

  /** Own hash now and after a barrier, peers' hashes in between. At most one alarm a round. */
  *#periodicCheck(): Task<void> {
    const { state, memberId } = this.#member;
    const first = hashAt(state.store, state.store.currentRevision) as KvHash;
    const peers = yield* this.#ask(first.revision);
    yield* this.#member.barrier.wait();
    const second = hashAt(state.store, state.store.currentRevision) as KvHash;
    const same = second.revision === first.revision && second.compactRevision === first.compactRevision;
    if (same && second.hash !== first.hash) {
      yield* this.#raise(memberId);
      return;
    }
    for (const { id, hash, currentRevision } of peers) {
      if (hash === null) continue;
      const ahead = currentRevision > second.revision || hash.compactRevision > second.compactRevision;
      const differs = hash.compactRevision === first.compactRevision && hash.hash !== first.hash;
      if (!ahead && !differs) continue;
      yield* this.#raise(id);
      return;
    }
  }

  /** Hashes left behind by compactions, newest first, until one was compared with every peer. */
  *#compactHashCheck(): Task<void> {
    for (const own of this.#member.state.store.hashes.newestFirst) {
      if (own.revision <= this.#latestChecked) return;
      const peers = yield* this.#ask(own.revision);
      if (peers.length === 0) continue;
      if (yield* this.#compare(own, peers)) return;
    }
  }

  *#compare(own: KvHash, peers: readonly PeerHash[]): Task<boolean> {
    const byHash = new Map<number, string[]>([[own.hash, [this.#member.memberId]]]);
    let compared = 0;
    for (const { id, hash } of peers) {
      if (hash === null || hash.compactRevision !== own.compactRevision) continue;
      compared++;
      byHash.set(hash.hash, [...(byHash.get(hash.hash) ?? []), id]);
    }
    if (byHash.size === 1) {
      if (compared < peers.length) return false;
      this.#latestChecked = own.revision;
      return true;
    }
    const wanted = quorum(peers.length + 1);
    const majority = [...byHash].find(([, ids]) => ids.length >= wanted);
    // Without a majority nobody knows who is right: the alarm is about the whole cluster.
    if (majority === undefined) yield* this.#raise('0000000000000000');
    else for (const [hash, ids] of byHash) if (hash !== majority[0]) for (const id of ids) yield* this.#raise(id);
    return true;
  }

  *#ask(revision: number): Task<readonly PeerHash[]> {
    const { state, memberId, clusterId, peers } = this.#member;
    const answers: PeerHash[] = [];
    for (const { id } of state.cluster.members()) {
      if (id === memberId) continue;
      try {
        const answer = yield* peers.ask(id, PeerService.HashKv, { revision }, this.#member.requestTimeoutUs);
        const hash = answer.clusterId === clusterId ? answer.hash : null;
        answers.push({ id, hash, currentRevision: answer.currentRevision });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        answers.push({ id, hash: null, currentRevision: 0 });
      }
    }
    return answers;
  }

  *#raise(memberId: string): Task<void> {
    const alarm = { action: AlarmAction.Activate, memberId, alarm: AlarmType.Corrupt };
    yield* this.#member.proposals.request('alarm', alarm);
  }
}
