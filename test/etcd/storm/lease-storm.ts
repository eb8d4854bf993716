import { Lessor } from '../../../src/etcd/server/lease/lessor.ts';
import { LeaseKeeper, type LeaseOwner } from '../../../src/etcd/server/member/lease-keeper.ts';
import type { Random } from '../../../src/platform/random.ts';
import { RpcError } from '../../../src/platform/rpc.ts';
import { type Fail, type Resume, type Task, wait } from '../../../src/platform/task.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';
import type { Problem } from '../fire/checks.ts';
import { HandClock } from './hand-clock.ts';
import { immediateScope } from './immediate-scope.ts';
import { LeasePromises } from './lease-promises.ts';

const SECOND = 1_000_000;
const STEPS = 400;

/** A proposal on its way through the log. */
interface Pending {
  readonly commit: () => void;
  readonly resume: Resume<void>;
  readonly fail: Fail;
}

/**
 * One member that comes to lead and is deposed again and again, with more expired leases than it may revoke at once,
 * renewals and checkpoints under way: no lease may be revoked before its time, nor a renewal be acknowledged of one that
 * is gone.
 */
export function leaseStorm(seed: number): Problem | undefined {
  return new LeaseStorm(seed).run();
}

class LeaseStorm {
  readonly #random: Random;
  readonly #clock = new HandClock();
  readonly #lessor: Lessor;
  readonly #keeper: LeaseKeeper;
  readonly #promises: LeasePromises;
  readonly #scope = immediateScope();
  /** Long ones live long enough to be checkpointed. */
  readonly #long: boolean;
  #pending: Pending[] = [];
  /** Those that wait to hear that this member does not lead. */
  #refused: Resume<void>[] = [];
  #leads = false;
  #granted = 0;
  #problem: Problem | undefined;

  constructor(seed: number) {
    this.#random = new KeyedRandom(String(seed + 1), 'leases');
    this.#long = this.#random.chance(500_000);
    const blame = (detail: string): void => {
      this.#problem ??= { guarantee: 'leases are kept', detail, atUs: this.#clock.monotonicUs() };
    };
    this.#promises = new LeasePromises(blame);
    this.#lessor = new Lessor({ leaseChanged: () => {}, leaseRemoved: () => {} }, 2, () => true);
    const options = { retryUs: 7 * SECOND, checkpoint: this.#long };
    this.#keeper = new LeaseKeeper(this.#clock, this.#scope, this.#lessor, this.#owner(), options);
  }

  run(): Problem | undefined {
    for (let step = 0; step < STEPS && this.#problem === undefined; step++) this.#step();
    return this.#problem;
  }

  #step(): void {
    for (const resume of this.#refused.splice(0)) resume();
    const random = this.#random;
    const kind = random.int(0, 99);
    if (kind < (this.#long ? 10 : 40)) this.#grant();
    else if (kind < 60) this.#clock.advance(random.int(0, this.#long ? 100 * SECOND : 2 * SECOND));
    else if (kind < 75) this.#settle();
    else if (kind < 91) this.#renew();
    else if (kind < 94) this.#revokedByClient();
    else this.#leads ? this.#depose() : this.#elect();
  }

  #grant(): void {
    const now = this.#clock.monotonicUs();
    const id = (++this.#granted).toString(16).padStart(16, '0');
    const lease = this.#lessor.grant(id, this.#long ? this.#random.int(2, 900) : this.#random.int(2, 4), now);
    if (typeof lease !== 'string' && 'ttlSec' in lease) this.#promises.made(id, now + lease.ttlSec * SECOND);
  }

  #elect(): void {
    this.#leads = true;
    this.#promises.newLeader(this.#clock.monotonicUs());
    this.#keeper.promote(SECOND);
  }

  #depose(): void {
    this.#leads = false;
    this.#keeper.demote();
  }

  #renew(): void {
    const id = this.#anyLease();
    if (id === undefined || !this.#leads) return;
    const begunUs = this.#clock.monotonicUs();
    const self = this;
    this.#scope.spawn('renew', function* (): Task<void> {
      try {
        const ttlSec = yield* self.#keeper.renew(id);
        if (ttlSec !== null && ttlSec > 0) self.#acknowledged(id, begunUs, ttlSec);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
    });
  }

  #acknowledged(id: string, begunUs: number, ttlSec: number): void {
    this.#promises.renewed(id, begunUs, begunUs + ttlSec * SECOND, {
      exists: this.#lessor.get(id) !== undefined,
      leads: this.#leads,
    });
  }

  #revokedByClient(): void {
    const id = this.#anyLease();
    if (id === undefined) return;
    this.#promises.withdrawn(id);
    this.#remove(id);
  }

  #remove(id: string): void {
    this.#lessor.remove(id);
    this.#keeper.leaseRemoved(id);
  }

  #anyLease(): string | undefined {
    const ids = [...this.#lessor.all()].map(({ id }) => id);
    return ids.length === 0 ? undefined : ids[this.#random.int(0, ids.length - 1)];
  }

  /** The oldest proposal is committed, if need be by another leader, or comes to nothing. */
  #settle(): void {
    const next = this.#pending.shift();
    if (next === undefined) return;
    if (this.#random.chance(this.#leads ? 200_000 : 500_000)) {
      next.fail(new RpcError('Unavailable', 'etcdserver: leader changed'));
      return;
    }
    next.commit();
    next.resume();
  }

  #propose(commit: () => void): Task<void> {
    return wait<void>((resume, fail) => {
      this.#pending.push({ commit, resume, fail });
      return () => {};
    });
  }

  #owner(): LeaseOwner {
    const self = this;
    return {
      memberId: '000000000000000a',
      get isLeader() {
        return self.#leads;
      },
      log: { event: () => {} } as unknown as LeaseOwner['log'],
      *ensureLeadership() {
        if (self.#leads) return true;
        // Not on the stack of whoever asks, who may ask again at once.
        yield* wait<void>((resume) => {
          self.#refused.push(resume);
          return () => {};
        });
        return false;
      },
      revokeLease: (id) => {
        this.#promises.revocationProposed(id, this.#clock.monotonicUs());
        return this.#propose(() => this.#remove(id));
      },
      checkpointLeases: (checkpoints) => {
        for (const { id, remainingTtl } of checkpoints)
          this.#promises.checkpointProposed(id, remainingTtl, this.#clock.monotonicUs());
        return this.#propose(() => {
          for (const { id, remainingTtl } of checkpoints) {
            this.#lessor.checkpoint(id, remainingTtl, this.#clock.monotonicUs());
            this.#promises.checkpointed(id, remainingTtl, this.#clock.monotonicUs());
          }
        });
      },
      *waitApplied() {
        return true;
      },
    };
  }
}
