import { isDefect } from '../../cosi/index.ts';
import { timeout } from '../../platform/combinators.ts';
import { TimeoutError } from '../../platform/errors.ts';
import type { Task } from '../../platform/task.ts';
import { errorText, NodeError } from '../errors.ts';
import { etcdPhase } from '../events.ts';
import type { Machine } from '../machine.ts';
import { constantPause } from '../retry.ts';
import { controlPlaneAddresses, openEtcd } from './client.ts';

/**
 * Has this machine's learner promoted: pass after pass over all control plane addresses, the own one and the VIP
 * included, one counter deciding where each try goes (reference/v1.11.3.md 2.4). Gives up after ten minutes.
 */
export function* promoteLearner(machine: Machine, learnerId: string): Task<void> {
  const { clock, log } = machine.platform;
  const rules = machine.profile.etcd;
  const pause = constantPause(machine.random.stream('etcd-promote'), rules.promotePauseUs, rules.pauseJitterUs);
  const turn = { counter: 0 };
  const deadlineUs = clock.monotonicUs() + rules.promoteLimitUs;
  let last = '';
  while (clock.monotonicUs() < deadlineUs) {
    try {
      const leftUs = Math.min(rules.promoteAttemptUs, deadlineUs - clock.monotonicUs());
      yield* timeout(clock, leftUs, onePass(machine, learnerId, turn), 'promotion');
      machine.kmsg.talos('successfully promoted etcd member');
      log.event(etcdPhase, { phase: 'promoted', memberId: learnerId });
      return;
    } catch (error) {
      if (isDefect(error)) throw error;
      last = error instanceof TimeoutError ? 'timeout' : errorText(error);
    }
    yield* clock.sleep(pause());
  }
  machine.kmsg.talos(`failed promoting member: ${last}`);
  log.event(etcdPhase, { phase: 'promotion-given-up', memberId: learnerId });
}

/** At most as many tries as there are addresses; a silent one keeps the rest of the pass waiting. */
function* onePass(machine: Machine, learnerId: string, turn: { counter: number }): Task<void> {
  const addresses = controlPlaneAddresses(machine);
  let last = new NodeError('no endpoints');
  for (let i = 0; i < addresses.length; i++) {
    const address = addresses[turn.counter % addresses.length]!;
    turn.counter++;
    const client = yield* openEtcd(machine, [address]);
    try {
      yield* client.memberPromote(learnerId);
      return;
    } catch (error) {
      if (isDefect(error)) throw error;
      last = new NodeError(errorText(error));
    } finally {
      client.close();
    }
  }
  throw last;
}
