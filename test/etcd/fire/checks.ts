import { EtcdEvent } from '../../../src/etcd/events.ts';
import type { Checker } from '../../../src/lab/checkers/checker.ts';
import { committedNeverLost } from '../../../src/lab/checkers/committed-never-lost.ts';
import { ClientOperations } from '../../../src/lab/checkers/etcd/client-operations.ts';
import { CommitOrder } from '../../../src/lab/checkers/etcd/commit-order.ts';
import { LeasesKept } from '../../../src/lab/checkers/etcd/leases-kept.ts';
import { oneLeaderATerm } from '../../../src/lab/checkers/one-leader-a-term.ts';
import { oneMembership } from '../../../src/lab/checkers/one-membership.ts';
import type { Simulation } from '../../../src/sim/simulation.ts';
import { promotionsReady } from './promotions-ready.ts';
import { ShortHistories } from './short-histories.ts';

/** A guarantee that did not hold. */
export interface Problem {
  readonly guarantee: string;
  readonly detail: string;
  readonly atUs: number;
}

/** How many are kept: the first says most. */
const KEPT = 50;
/** Clocks are wrong by less than this over the lifetime of a lease. */
const CLOCK_SLACK_US = 100_000;

/** Every guarantee that a run under fire is held to. */
export class Checks {
  readonly problems: Problem[] = [];
  readonly order: CommitOrder;
  readonly operations: ClientOperations;
  readonly leases: LeasesKept;
  readonly histories: ShortHistories;
  readonly #events: readonly Checker[] = [oneLeaderATerm(), committedNeverLost(), oneMembership(), promotionsReady()];
  #sim: Simulation | undefined;

  constructor() {
    const blame = (guarantee: string, detail: string): void => this.blame(guarantee, detail);
    this.order = new CommitOrder(blame, () => this.nowUs);
    this.operations = new ClientOperations(this.order, blame);
    this.leases = new LeasesKept(this.order, blame, CLOCK_SLACK_US);
    this.histories = new ShortHistories(blame);
    this.order.onCommit = (entry) => this.leases.take(entry);
  }

  get nowUs(): number {
    return this.#sim?.nowUs ?? 0;
  }

  /** Follows the events of a simulation from now on. */
  attach(sim: Simulation): void {
    this.#sim = sim;
    for (const kind of Object.values(EtcdEvent)) {
      sim.on(kind, (event) => {
        for (const checker of this.#events) {
          checker.take(event, (detail) => this.blame(checker.guarantee, detail));
        }
      });
    }
  }

  blame(guarantee: string, detail: string): void {
    if (this.problems.length < KEPT) this.problems.push({ guarantee, detail, atUs: this.nowUs });
  }
}
