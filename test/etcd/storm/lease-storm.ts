import { Lessor } from '../../../src/etcd/server/lease/lessor.ts';
import { LeaseKeeper, type LeaseOwner } from '../../../src/etcd/server/member/lease-keeper.ts';
import { RpcError } from '../../../src/platform/rpc.ts';
import { type Fail, type Resume, type Task, wait } from '../../../src/platform/task.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';
import type { Problem } from '../fire/checks.ts';
import { HandClock } from './hand-clock.ts';
import { immediateScope } from './immediate-scope.ts';

const SECOND = 1_000_000;
const STEPS = 400;

/**
 * One member that comes to lead and is deposed again and again, with more expired leases than it may revoke at once: none
 * may be revoked before its time, as this leadership counts it.
 */
export function leaseStorm(seed: number): Problem | undefined {
  const random = new KeyedRandom(String(seed + 1), 'leases');
  const clock = new HandClock();
  const nothing = { leaseChanged: (): void => {}, leaseRemoved: (): void => {} };
  const lessor = new Lessor(nothing, 2, () => false);
  const pending: { readonly id: string; readonly resume: Resume<void>; readonly fail: Fail }[] = [];
  let leads = false;
  let problem: Problem | undefined;
  let granted = 0;
  const owner: LeaseOwner = {
    memberId: '000000000000000a',
    get isLeader() {
      return leads;
    },
    log: { event: () => {} } as unknown as LeaseOwner['log'],
    *ensureLeadership() {
      return leads;
    },
    revokeLease(id): Task<void> {
      const expiresAtUs = lessor.get(id)?.expiresAtUs ?? 0;
      if (expiresAtUs > clock.monotonicUs()) {
        const detail = `lease ${id} is revoked at ${clock.monotonicUs()} us, but lasts until ${expiresAtUs} us`;
        problem ??= { guarantee: 'leases are kept', detail, atUs: clock.monotonicUs() };
      }
      return wait<void>((resume, fail) => {
        pending.push({ id, resume, fail });
        return () => {};
      });
    },
    *checkpointLeases() {},
    *waitApplied() {
      return true;
    },
  };
  const keeper = new LeaseKeeper(clock, immediateScope(), lessor, owner, { retryUs: 7 * SECOND, checkpoint: false });
  const settle = (): void => {
    const next = pending.shift();
    if (next === undefined) return;
    if (!leads || random.chance(300_000)) next.fail(new RpcError('Unavailable', 'etcdserver: leader changed'));
    else {
      lessor.remove(next.id);
      keeper.leaseRemoved(next.id);
      next.resume();
    }
  };
  for (let step = 0; step < STEPS && problem === undefined; step++) {
    const kind = random.int(0, 99);
    if (kind < 50) lessor.grant((++granted).toString(16).padStart(16, '0'), random.int(2, 4), clock.monotonicUs());
    else if (kind < 75) clock.advance(random.int(0, 2 * SECOND));
    else if (kind < 92) settle();
    else if (leads) {
      leads = false;
      keeper.demote();
    } else {
      leads = true;
      keeper.promote(SECOND);
    }
  }
  return problem;
}
