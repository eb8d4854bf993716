import type { Member } from '../../../src/api/etcd/cluster.ts';
import { PutRequest } from '../../../src/api/etcd/kv.ts';
import { EtcdClient } from '../../../src/etcd/client/client.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Task } from '../../../src/platform/task.ts';
import { clientUrl, type Node, peerUrl, type SimCluster } from '../sim-cluster.ts';
import { unlessRefused } from './traffic/administrator.ts';

const LIMIT = Object.freeze({ timeoutUs: 1_500_000 });
/** A request to the member that leaves so often: shorter than its words take to the one that leads no more. */
const PACE_US = 20_000;
/** Until the member that leaves stops believing in its old leader. */
const REQUESTS = 50;

/**
 * A member is removed by a new leader that it has not heard of. What its clients ask goes to the one that led before, which
 * passes it on: to a leader that knows already that those words come from a removed member.
 */
export class Farewell {
  readonly #cluster: SimCluster;
  readonly #random: Random;

  constructor(cluster: SimCluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  /** `members` as they are now, `leaving` among them; does nothing when that leads itself. */
  *remove(members: readonly Member[], leaving: Member): Task<void> {
    const { ops, sim } = this.#cluster;
    const oldLeader = yield* this.#leaderOf(leaving, members);
    const others = members.filter((other) => !other.isLearner && other !== leaving && other !== oldLeader);
    if (oldLeader === undefined || oldLeader === leaving || others.length === 0) return;
    const newLeader = others[this.#random.int(0, others.length - 1)]!;
    const mend = this.#separate(this.#nodeOf(leaving), this.#nodeOf(oldLeader), this.#nodeOf(newLeader));
    sim.schedule(sim.nowUs + REQUESTS * PACE_US, mend);
    yield* this.#at(oldLeader).maintenance.moveLeader(newLeader.id, LIMIT);
    this.#askAll(this.#at(leaving));
    yield* this.#at(newLeader).memberRemove(leaving.id, LIMIT);
    yield* ops.clock.sleep(REQUESTS * PACE_US);
  }

  *#leaderOf(asked: Member, members: readonly Member[]): Task<Member | undefined> {
    const { leader } = yield* this.#at(asked).maintenance.status(this.#endpoint(asked), LIMIT);
    return members.find(({ id }) => id === leader);
  }

  /** The one that leaves does not see the new leader; words between old and new leader take their time. */
  #separate(leaving: Node, oldLeader: Node, newLeader: Node): () => void {
    const { faults } = this.#cluster.sim.network;
    const effect = { delayUs: this.#random.int(40_000, 90_000), jitterUs: 0, lossPpm: 0 };
    const troubles = [
      faults.partition([leaving.name], [newLeader.name]),
      faults.degrade([oldLeader.name], [newLeader.name], effect),
      faults.degrade([newLeader.name], [oldLeader.name], effect),
    ];
    return () => {
      for (const trouble of troubles) trouble.heal();
    };
  }

  #askAll(client: EtcdClient): void {
    const { clock } = this.#cluster.ops;
    for (let i = 0; i < REQUESTS; i++) {
      const put = PutRequest.of({ key: utf8Encode('farewell'), value: utf8Encode(String(i)) });
      this.#cluster.spawn(`farewell-${i}`, function* (): Task<void> {
        yield* clock.sleep(i * PACE_US);
        yield* unlessRefused(client.put(put, LIMIT));
      });
    }
  }

  #at(member: Member): EtcdClient {
    return new EtcdClient(this.#cluster.ops, { endpoints: [this.#endpoint(member)] });
  }

  #endpoint(member: Member): string {
    return clientUrl(this.#nodeOf(member));
  }

  #nodeOf(member: Member): Node {
    return this.#cluster.nodes.find((node) => member.peerUrls.includes(peerUrl(node)))!;
  }
}
