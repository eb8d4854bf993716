import type { Member } from '../../../src/api/etcd/cluster.ts';
import type { EtcdClient } from '../../../src/etcd/client/client.ts';
import type { Random } from '../../../src/platform/random.ts';
import { RpcError } from '../../../src/platform/rpc.ts';
import type { Task } from '../../../src/platform/task.ts';
import { type Node, peerUrl, type SimCluster } from '../sim-cluster.ts';
import { Farewell } from './farewell.ts';

const LIMIT = Object.freeze({ timeoutUs: 2_000_000 });

/** Replaces one member of a running cluster by a spare machine, as an operator would: add, start, promote, remove. */
export class Replacement {
  readonly #cluster: SimCluster;
  readonly #client: EtcdClient;
  readonly #random: Random;
  readonly #spare: Node;
  readonly #leaving: Node;
  readonly #learner: boolean;
  readonly #removeFirst: boolean;
  readonly #farewell: Farewell;
  /** The removal is to be by a leader that the member which leaves does not know. */
  #surprises: boolean;
  /** Attempts to promote the learner that are made before it even runs. */
  #hasty: number;
  done = false;

  constructor(cluster: SimCluster, client: EtcdClient, random: Random) {
    const { nodes } = cluster;
    this.#cluster = cluster;
    this.#client = client;
    this.#random = random;
    this.#spare = nodes[nodes.length - 1]!;
    this.#leaving = nodes[random.int(0, nodes.length - 2)]!;
    this.#learner = random.chance(700_000);
    this.#removeFirst = random.chance(500_000);
    this.#hasty = random.int(0, 2);
    const surprise = random.stream('farewell');
    this.#farewell = new Farewell(cluster, surprise);
    this.#surprises = surprise.chance(500_000);
  }

  /** Looks at the members and does the next step, until it is done. */
  *run(): Task<void> {
    const { clock } = this.#cluster.ops;
    yield* clock.sleep(this.#random.int(500_000, 5_500_000));
    while (!this.done) {
      try {
        const { members } = yield* this.#client.memberList(true, LIMIT);
        yield* this.#advance(members);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
      yield* clock.sleep(300_000);
    }
  }

  *#advance(members: readonly Member[]): Task<void> {
    const old = memberAt(members, this.#leaving);
    const young = memberAt(members, this.#spare);
    const isComplete = young !== undefined && young.name !== '' && !young.isLearner;
    if (old !== undefined && (this.#removeFirst || isComplete)) yield* this.#remove(members, old);
    else if (old === undefined && this.#leaving.args.length > 0) this.#retire();
    else if (young === undefined) yield* this.#client.memberAdd([peerUrl(this.#spare)], this.#learner, LIMIT);
    else if (young.isLearner && this.#hasty-- > 0) yield* this.#client.memberPromote(young.id, LIMIT);
    else if (young.name === '') this.#startSpare(members);
    else if (young.isLearner) yield* this.#client.memberPromote(young.id, LIMIT);
    else this.done = old === undefined;
  }

  *#remove(members: readonly Member[], old: Member): Task<void> {
    if (!this.#surprises) {
      yield* this.#client.memberRemove(old.id, LIMIT);
      return;
    }
    this.#surprises = false;
    yield* this.#farewell.remove(members, old);
  }

  #retire(): void {
    this.#leaving.args = [];
    this.#leaving.process?.signal('SIGKILL');
  }

  /** With the list as it is now; one that was refused with an older list gets another chance. */
  #startSpare(members: readonly Member[]): void {
    const spare = this.#spare;
    const initial = members.map(({ peerUrls }) => `${this.#nameAt(peerUrls[0]!)}=${peerUrls[0]}`).join(',');
    spare.args = this.#cluster.arguments(spare, initial, 'existing');
    spare.station.powerOn();
    if (spare.process === undefined || spare.process.gate.closed) this.#cluster.start(spare);
  }

  #nameAt(url: string): string {
    return this.#cluster.nodes.find((node) => peerUrl(node) === url)!.name;
  }
}

function memberAt(members: readonly Member[], node: Node): Member | undefined {
  return members.find((member) => member.peerUrls.includes(peerUrl(node)));
}
