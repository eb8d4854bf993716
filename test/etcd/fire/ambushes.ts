import { EtcdEvent } from '../../../src/etcd/events.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Node, SimCluster } from '../sim-cluster.ts';

const SECOND = 1_000_000;
/** An image that is being received, stored, or put in the database's place. */
const RECEIVED_IMAGE = /\.snap\.db(\.tmp)?$/;

/** What an ambush needs of those who strike. */
export interface AmbushHelp {
  /** Undoes something after a time, or when everything is mended. */
  hold(mend: () => void, forUs: number): void;
  revive(node: Node): void;
  /** The node loses its power some operations of its disk after one on such a path. */
  arm(node: Node, trigger: RegExp): void;
  tell(what: string): void;
}

/** Faults that wait for the moment at which they hurt most. */
export class Ambushes {
  readonly #random: Random;
  readonly #cluster: () => SimCluster;
  readonly #help: AmbushHelp;
  readonly #names = new Map<string, string>();
  /** Members that lose their power this long after a snapshot was sent to them. */
  readonly #awaiting = new Map<string, number>();
  /** Counts how often everything was called off. */
  #plans = 0;

  constructor(random: Random, cluster: () => SimCluster, help: AmbushHelp) {
    this.#random = random;
    this.#cluster = cluster;
    this.#help = help;
  }

  follow(): void {
    const { sim } = this.#cluster();
    sim.on(EtcdEvent.MemberStarted, ({ fields }) => {
      const { memberId, name } = fields as { memberId: string; name: string };
      this.#names.set(memberId, name);
    });
    sim.on(EtcdEvent.SnapshotSent, ({ fields }) => this.#sent(this.#names.get((fields as { to: string }).to)));
  }

  /** Returns how long it takes. */
  lay(kind: 'cut-in-transfer' | 'dark-with-laggard', node: Node): number {
    const laggingUs = this.#random.int(SECOND, 3 * SECOND);
    const cut = this.#fallBehind(node);
    this.#help.hold(() => cut.heal(), laggingUs);
    if (kind === 'cut-in-transfer') this.#later(laggingUs, () => this.#awaitTransfer(node));
    else this.#later(laggingUs - 1, () => this.#lightsOut());
    return laggingUs + 2 * SECOND;
  }

  giveUp(): void {
    this.#plans++;
    this.#awaiting.clear();
  }

  #fallBehind(node: Node): { heal(): void } {
    return this.#cluster().sim.network.faults.partition([node.name], this.#cluster().namesBeside(node));
  }

  /** Once its way is open again, but slow, somebody sends it a snapshot; it dies while that is under way. */
  #awaitTransfer(node: Node): void {
    const { faults } = this.#cluster().sim.network;
    const delayUs = this.#random.int(5_000, 120_000);
    const effect = { delayUs, jitterUs: 10_000, lossPpm: 0 };
    const others = this.#cluster().namesBeside(node);
    const slow = [faults.degrade([node.name], others, effect), faults.degrade(others, [node.name], effect)];
    this.#help.hold(() => {
      for (const link of slow) link.heal();
    }, 2 * SECOND);
    if (this.#random.chance(500_000)) this.#help.arm(node, RECEIVED_IMAGE);
    else this.#awaiting.set(node.name, this.#random.int(0, 10 * delayUs));
  }

  #sent(name: string | undefined): void {
    const afterUs = name === undefined ? undefined : this.#awaiting.get(name);
    if (afterUs === undefined) return;
    const node = this.#cluster().nodes.find((other) => other.name === name)!;
    this.#awaiting.delete(node.name);
    this.#later(afterUs, () => {
      this.#help.tell(`cut in a transfer ${node.name}`);
      node.station.powerOff();
      this.#help.hold(() => this.#help.revive(node), this.#random.int(20_000, SECOND));
    });
  }

  /** Everybody is without power at once, one of them far behind. */
  #lightsOut(): void {
    const { nodes } = this.#cluster();
    this.#help.tell('lights out');
    for (const node of nodes) node.station.powerOff();
    for (const node of nodes) this.#help.hold(() => this.#help.revive(node), this.#random.int(50_000, 70_000));
  }

  /** Does nothing once everything was mended. */
  #later(afterUs: number, act: () => void): void {
    const { sim } = this.#cluster();
    const plans = this.#plans;
    sim.schedule(sim.nowUs + afterUs, () => {
      if (plans === this.#plans) act();
    });
  }
}
