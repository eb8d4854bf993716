import type { TraceEvent } from '../../sim/trace.ts';
import type { Violation } from '../engine/result.ts';
import type { Checker, CheckerFactory } from './checker.ts';
import { committedNeverLost } from './committed-never-lost.ts';
import { controlPlaneBehindEtcd } from './control-plane-behind-etcd.ts';
import { ETCD_LINEARIZABLE, EtcdLinearizable } from './etcd/etcd-linearizable.ts';
import { oneEtcdBirth } from './one-etcd-birth.ts';
import { oneLeaderATerm } from './one-leader-a-term.ts';
import { oneMembership } from './one-membership.ts';
import { vipOneOwner } from './vip-one-owner.ts';

/** Every guarantee that runs are held to. */
export const CHECKERS: readonly CheckerFactory[] = Object.freeze([
  oneLeaderATerm,
  committedNeverLost,
  oneEtcdBirth,
  oneMembership,
  controlPlaneBehindEtcd,
  vipOneOwner,
]);

export const GUARANTEES: readonly string[] = Object.freeze([
  ...CHECKERS.map((make) => make().guarantee),
  ETCD_LINEARIZABLE,
]);

/** How many violations of one guarantee are kept: the first says most. */
const KEPT = 5;

/** Runs all checkers over one run. */
export class CheckerSet {
  readonly violations: Violation[] = [];
  /** Sees every request of etcd's members, for what events do not tell. */
  readonly etcd = new EtcdLinearizable((detail) => this.#add(ETCD_LINEARIZABLE, detail));
  readonly #checkers: readonly Checker[];
  /** Where each of them reports. */
  readonly #reports: readonly ((detail: string) => void)[];
  #lastUs = 0;

  constructor(factories: readonly CheckerFactory[] = CHECKERS) {
    this.#checkers = factories.map((make) => make());
    this.#reports = this.#checkers.map(
      ({ guarantee }) =>
        (detail) =>
          this.#add(guarantee, detail),
    );
  }

  take(event: TraceEvent): void {
    this.#lastUs = event.timeUs;
    this.etcd.take(event);
    for (let i = 0; i < this.#checkers.length; i++) this.#checkers[i]!.take(event, this.#reports[i]!);
  }

  finish(): void {
    for (const [i, checker] of this.#checkers.entries()) checker.finish?.(this.#reports[i]!);
  }

  #add(guarantee: string, detail: string): void {
    const known = this.violations.filter((violation) => violation.guarantee === guarantee).length;
    if (known < KEPT) this.violations.push({ guarantee, atUs: this.#lastUs, detail });
  }
}
