import type { InternalRaftRequest } from '../../../src/api/etcd/internal.ts';
import {
  CompactionRequest,
  DeleteRangeRequest,
  NO_LEASE,
  PutRequest,
  RequestOp,
  TxnRequest,
} from '../../../src/api/etcd/kv.ts';
import { WatchCreateRequest, WatchFilter } from '../../../src/api/etcd/watch.ts';
import { encodeContext } from '../../../src/etcd/server/membership/context.ts';
import { WatchHub } from '../../../src/etcd/server/watch/hub.ts';
import { WatchStream } from '../../../src/etcd/server/watch/stream.ts';
import { CommitOrder } from '../../../src/lab/checkers/etcd/commit-order.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { Random } from '../../../src/platform/random.ts';
import { type ConfChange, ConfChangeType } from '../../../src/raft/index.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';
import type { Problem } from '../fire/checks.ts';
import { FollowedStream } from '../fire/followed-stream.ts';
import { HandClock } from './hand-clock.ts';
import { type OneRequest, Replica, requestOf } from './replica.ts';

const KEYS = 12;
/** More revisions than an answer may bring, and than a block of history holds. */
const STEPS = 2600;

interface Client {
  readonly stream: WatchStream;
  readonly follower: FollowedStream;
}

/**
 * One member's state ahead and one behind it, which has watchers: thousands of requests without a network or a clock that
 * runs, snapshots that skip some, clients that read in bursts, so that queues fill and histories are replayed.
 */
export function stateStorm(seed: number): Problem | undefined {
  return new StateStorm(seed).run();
}

class StateStorm {
  readonly #random: Random;
  readonly #clock = new HandClock();
  readonly #problems: Problem[] = [];
  readonly #order: CommitOrder;
  readonly #ahead: Replica;
  readonly #behind: Replica;
  readonly #hub: WatchHub;
  readonly #clients: Client[] = [];
  /** Entries that the one behind has yet to apply. */
  #log: { readonly index: number; readonly request: InternalRaftRequest }[] = [];
  #index = 0;
  /** How far it may fall behind, in entries. */
  #lag = 0;
  #leases: string[] = [];

  constructor(seed: number) {
    this.#random = new KeyedRandom(String(seed + 1), 'storm');
    this.#order = new CommitOrder(
      (guarantee, detail) => this.#blame(guarantee, detail),
      () => this.#clock.nowUs(),
    );
    this.#ahead = new Replica('000000000000000a', () => {});
    this.#behind = new Replica('000000000000000b', (changes) => this.#hub.publish(changes));
    this.#hub = new WatchHub(this.#clock, () => this.#behind.state.store);
  }

  run(): Problem | undefined {
    for (let i = 0; i < 3; i++) this.#clients.push(this.#newClient(i));
    for (let step = 0; step < STEPS && this.#problems.length === 0; step++) this.#step();
    this.#lag = 0;
    this.#catchUp();
    for (let i = 0; i < 200; i++) {
      this.#clock.advance(100_000);
      for (const client of this.#clients) this.#read(client, 1000);
    }
    for (const { follower } of this.#clients) follower.finish();
    this.#compare('at the end');
    this.#compareHistories();
    return this.#problems[0];
  }

  #blame(guarantee: string, detail: string): void {
    this.#problems.push({ guarantee, detail, atUs: this.#clock.nowUs() });
  }

  #step(): void {
    const random = this.#random;
    const kind = random.int(0, 999);
    if (kind < 760) this.#commit(this.#draw());
    else if (kind < 860) this.#clock.advance(random.int(0, 60_000));
    else if (kind < 930) this.#read(this.#anyClient(), random.chance(100_000) ? 500 : 20);
    else if (kind < 960) this.#watch(this.#anyClient());
    else if (kind < 980) this.#anyClient().stream.requestProgress();
    else if (kind < 985) this.#changeMembers();
    else if (kind < 990) this.#lag = random.chance(500_000) ? 0 : random.int(0, 400);
    else if (kind < 994) this.#takeImage();
    else if (kind < 997) this.#behind.load(this.#behind.image());
    this.#catchUp();
  }

  #anyClient(): Client {
    return this.#clients[this.#random.int(0, this.#clients.length - 1)]!;
  }

  #commit(one: OneRequest): void {
    const request = requestOf(++this.#index, one);
    const result = this.#ahead.apply(this.#index, request);
    this.#order.applied('ahead', this.#index, 1, request, result);
    this.#log.push({ index: this.#index, request });
  }

  #catchUp(): void {
    while (this.#log.length > this.#lag) {
      const { index, request } = this.#log.shift()!;
      this.#order.applied('behind', index, 1, request, this.#behind.apply(index, request));
    }
  }

  /** A snapshot takes the place of what is still in the log. */
  #takeImage(): void {
    this.#log = [];
    this.#behind.load(this.#ahead.image());
    this.#order.snapshot('behind', this.#index);
    this.#compare('after a snapshot');
    this.#hub.storeReplaced();
  }

  #compare(when: string): void {
    const [right, given] = [this.#ahead.describe(), this.#behind.describe()];
    if (right !== given) this.#blame('members agree', `${when} there is ${given}, not ${right}`);
  }

  /** From every revision that is still there, history begins with the first change at or after it. */
  #compareHistories(): void {
    const { store } = this.#behind.state;
    const { keys } = this.#order.model;
    for (let from = Math.max(1, store.compactRevision); from <= store.currentRevision; from++) {
      const first = { right: '', given: '' };
      keys.eachChange(from, from + 20, ({ modRevision, text }) => {
        first.right ||= `${text} at ${modRevision}`;
      });
      store.log.scan(from, ({ modRevision, history }) => {
        first.given = `${history!.key} at ${modRevision}`;
        return false;
      });
      if (first.given !== first.right)
        this.#blame('history', `from ${from} begins with ${first.given}, not ${first.right}`);
    }
  }

  #draw(): OneRequest {
    const random = this.#random;
    const key = (): Uint8Array => utf8Encode(`k${random.int(0, KEYS - 1)}`);
    const lease = (): string => this.#leases[random.int(0, Math.max(0, this.#leases.length - 1))] ?? NO_LEASE;
    const put = (): PutRequest =>
      PutRequest.of({
        key: key(),
        value: utf8Encode(`v${this.#index}`),
        lease: random.chance(200_000) ? lease() : NO_LEASE,
      });
    const kind = random.int(0, 99);
    if (kind < 50) return { put: put() };
    if (kind < 78) {
      const count = random.int(2, 5);
      const keys = Array.from({ length: count }, (_, i) => utf8Encode(`k${(this.#index * 5 + i) % KEYS}`));
      const success = keys.map((one) =>
        RequestOp.of({ requestPut: PutRequest.of({ key: one, value: utf8Encode(`t${this.#index}`) }) }),
      );
      return { txn: TxnRequest.of({ success }) };
    }
    if (kind < 90) return { deleteRange: DeleteRangeRequest.of({ key: key() }) };
    if (kind < 94) {
      const id = (this.#index + 0x1000).toString(16).padStart(16, '0');
      this.#leases.push(id);
      return { leaseGrant: { id, ttl: 100 } };
    }
    if (kind < 97 && this.#leases.length > 0) return { leaseRevoke: { id: this.#leases.shift()! } };
    if (random.chance(950_000)) return { put: put() };
    return { compaction: CompactionRequest.of({ revision: this.#order.revision - random.int(-1, 300) }) };
  }

  #changeMembers(): void {
    const { cluster } = this.#ahead.state;
    const [first] = cluster.members();
    const remove = cluster.members().length > 3 && first !== undefined;
    const id = remove ? first.id : (this.#index + 0x9000).toString(16).padStart(16, '0');
    const member = { id, name: '', peerUrls: [`http://${id}:2380`], clientUrls: [], isLearner: false };
    const change: ConfChange = {
      version: 1,
      id: '0000000000000000',
      type: remove ? ConfChangeType.RemoveNode : ConfChangeType.AddNode,
      nodeId: id,
      context: encodeContext({ member, isPromote: false }),
    };
    // Members change outside of what requests do: both are told at once.
    cluster.apply(change);
    this.#behind.state.cluster.apply(change);
  }

  #newClient(number: number): Client {
    const { state } = this.#behind;
    const stream = new WatchStream({
      hub: this.#hub,
      clock: this.#clock,
      random: this.#random.stream(`client-${number}`),
      store: () => state.store,
      header: (revision) => ({
        clusterId: '0000000000000001',
        memberId: '000000000000000b',
        raftTerm: 1,
        revision: revision === 0 ? state.store.currentRevision : revision,
      }),
      progressIntervalUs: 200_000,
      fragmentBytes: this.#random.int(200, 4000),
      refusesNegativeStart: false,
    });
    const follower = new FollowedStream(
      `client ${number}`,
      () => this.#order.model,
      (guarantee, detail) => this.#blame(guarantee, detail),
    );
    return { stream, follower };
  }

  #watch({ stream, follower }: Client): void {
    const random = this.#random;
    const from = random.int(0, 9);
    const current = this.#behind.state.store.currentRevision;
    const back = random.chance(300_000) ? 2000 : 100;
    const request = WatchCreateRequest.of({
      key: utf8Encode(from < 6 ? 'k' : `k${from}`),
      rangeEnd: from < 6 ? utf8Encode('l') : new Uint8Array(0),
      startRevision: random.chance(300_000) ? 0 : Math.max(1, current + random.int(-back, 40)),
      prevKv: random.chance(500_000),
      progressNotify: random.chance(500_000),
      fragment: random.chance(400_000),
      filters: random.chance(200_000) ? [random.chance(500_000) ? WatchFilter.NoPut : WatchFilter.NoDelete] : [],
    });
    follower.asked(request);
    stream.create(request);
  }

  /** Takes some answers from a stream, as far as there are any. */
  #read({ stream, follower }: Client, limit: number): void {
    for (let i = 0; i < limit; i++) {
      const step = stream.next().next();
      if (!step.done) return;
      for (const response of step.value) follower.take(response);
    }
  }
}
