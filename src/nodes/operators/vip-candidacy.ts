import type { KeyValue } from '../../api/etcd/kv.ts';
import { isDefect } from '../../cosi/index.ts';
import type { EtcdClient } from '../../etcd/client/client.ts';
import { createdAt, deleteOp, firstCreated, untilDeleted } from '../../etcd/client/concurrency.ts';
import { Election, ElectionError } from '../../etcd/client/election.ts';
import { Session } from '../../etcd/client/session.ts';
import { compareBytes, utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { race, timeout } from '../../platform/combinators.ts';
import type { Task } from '../../platform/task.ts';
import { errorText, NodeError } from '../errors.ts';
import { openLocalEtcd } from '../etcd/client.ts';
import type { Machine } from '../machine.ts';
import { HostnameStatuses } from '../resources/network.ts';

const RESIGN_US = 10_000_000;
const REVOKE_US = 60_000_000;

/** One machine's part in the election of a shared address (reference/network-config.md A.3, reference/corrections.md 1a-13). */
export class Candidacy {
  #machine: Machine;
  #name: string;
  #value: Uint8Array;
  #client: EtcdClient | undefined;
  #session: Session | undefined;
  #election: Election | undefined;
  #won = false;

  constructor(machine: Machine, address: string) {
    this.#machine = machine;
    this.#name = `talos:v1:vip:election:${address}`;
    this.#value = utf8Encode(machine.state.get(HostnameStatuses, 'hostname')?.spec.hostname ?? '');
  }

  /** Waits until this machine leads; NodeError when that did not work out. */
  *campaign(): Task<string> {
    try {
      this.#client = yield* openLocalEtcd(this.#machine);
      this.#session = yield* Session.open(this.#client);
      this.#election = new Election(this.#session, this.#name);
      yield* this.#resignForEarlierSelf(this.#client, this.#election);
      yield* this.#election.campaign(this.#value);
      this.#won = true;
      return 'won';
    } catch (error) {
      throw asNodeError(error);
    }
  }

  /** A key that an earlier run of this machine left behind is taken away first. */
  *#resignForEarlierSelf(client: EtcdClient, election: Election): Task<void> {
    let leader: KeyValue;
    try {
      leader = yield* election.leader();
    } catch (error) {
      if (error instanceof ElectionError) return;
      throw error;
    }
    if (compareBytes(leader.value, this.#value) !== 0) return;
    yield* client.txn({
      compare: [createdAt(utf8Decode(leader.key), leader.createRevision)],
      success: [deleteOp({ key: leader.key })],
      failure: [],
    });
  }

  /** Waits until leadership is over: the session ended, or another value leads. */
  *lost(): Task<string> {
    return yield* race({ session: this.#sessionEnd(), observer: this.#otherLeader() });
  }

  *#sessionEnd(): Task<string> {
    yield* this.#session!.done.get();
    return 'session ended';
  }

  /** Follows who leads; a leader that is not this machine, or nobody to ask any more, ends it. */
  *#otherLeader(): Task<string> {
    const client = this.#client!;
    try {
      for (;;) {
        const { kvs, header } = yield* client.range(firstCreated(`${this.#name}/`));
        const leader = kvs[0];
        if (leader === undefined || compareBytes(leader.value, this.#value) !== 0) return 'another leader';
        yield* untilDeleted(client, leader.key, Math.max(header?.revision ?? 0, leader.modRevision) + 1);
      }
    } catch (error) {
      return `election observer ended: ${asNodeError(error).message}`;
    }
  }

  /**
   * Resigns and ends the session. An operator that was stopped has no context left to revoke with: a leader still
   * resigns, the key of a waiting candidate stays until its lease is over.
   */
  *giveUp(stopped: boolean): Task<void> {
    const election = this.#election;
    const session = this.#session;
    if (election !== undefined && (this.#won || !stopped)) {
      yield* this.#attempt(RESIGN_US, election.resign());
    }
    if (session !== undefined) {
      session.orphan();
      if (!stopped) yield* this.#attempt(REVOKE_US, session.close());
    }
    this.#client?.close();
  }

  *#attempt(limitUs: number, step: Task<void>): Task<void> {
    try {
      yield* timeout(this.#machine.platform.clock, limitUs, step);
    } catch (error) {
      const failure = asNodeError(error);
      this.#machine.kmsg.talos(`failed to leave the election of a shared IP: ${failure.message}`);
    }
  }
}

function asNodeError(error: unknown): NodeError {
  if (isDefect(error)) throw error;
  return new NodeError(errorText(error));
}
