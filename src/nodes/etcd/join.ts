import type { Member } from '../../api/etcd/cluster.ts';
import { isDefect } from '../../cosi/index.ts';
import { timeout } from '../../platform/combinators.ts';
import { TimeoutError } from '../../platform/errors.ts';
import { retry } from '../../platform/retry.ts';
import type { Task } from '../../platform/task.ts';
import { errorSet } from '../../platform/text/error-set.ts';
import { errorText, NodeError } from '../errors.ts';
import { etcdPhase } from '../events.ts';
import type { Machine } from '../machine.ts';
import { addressOf } from '../net/addresses.ts';
import type { EtcdSpecSpec } from '../resources/etcd.ts';
import { NodeAddresses } from '../resources/network.ts';
import { constantPause } from '../retry.ts';
import { peerUrls } from './arguments.ts';
import { openControlPlaneEtcd } from './client.ts';

/** How this machine got into the cluster. */
export interface Joined {
  readonly learnerId: string;
  /** `name=url` of all members, the own name filled in. */
  readonly initialCluster: string;
}

const HINT_US = 30_000_000;

/**
 * Tries to become a learner of the cluster until it works, at most 30 minutes (reference/v1.11.3.md 2.3). While no
 * etcd answers, this is how a control plane waits for bootstrap.
 */
export function* joinCluster(machine: Machine, spec: EtcdSpecSpec): Task<Joined> {
  const { clock, log } = machine.platform;
  const rules = machine.profile.etcd;
  const seen = new Set<string>();
  let hintAtUs = 0;
  log.event(etcdPhase, { phase: 'waiting-to-join', memberId: '' });
  const options = {
    limitUs: rules.joinLimitUs,
    pauseUs: constantPause(machine.random.stream('etcd-join'), rules.joinPauseUs, rules.pauseJitterUs),
    retryable: (error: unknown) => !isDefect(error),
    onError: (error: unknown) => {
      const text = error instanceof TimeoutError ? 'timeout' : errorText(error);
      if (seen.has(text)) return;
      seen.add(text);
      machine.kmsg.talos(`retrying error: ${text}`);
    },
  };
  try {
    const attempts = retry(clock, options, () => {
      if (clock.monotonicUs() >= hintAtUs) {
        hint(machine);
        hintAtUs = clock.monotonicUs() + HINT_US;
      }
      return timeout(clock, rules.joinAttemptUs, attemptJoin(machine, spec), 'etcd join');
    });
    // The limit also cuts an attempt that is under way.
    const joined = yield* timeout(clock, rules.joinLimitUs, attempts, 'etcd join');
    log.event(etcdPhase, { phase: 'learner-added', memberId: joined.learnerId });
    return joined;
  } catch (error) {
    if (isDefect(error)) throw error;
    log.event(etcdPhase, { phase: 'join-given-up', memberId: '' });
    throw new NodeError(
      `failed to build initial etcd cluster: failed to build cluster arguments: ${errorSet([...seen, 'timeout'])}`,
    );
  }
}

function hint(machine: Machine): void {
  const addresses = machine.state.get(NodeAddresses, 'current-no-k8s')?.spec.addresses ?? [];
  machine.kmsg.talos(
    'etcd is waiting to join the cluster, if this node is the first node of the cluster, please run `talosctl bootstrap` against one of the following IPs:',
  );
  machine.kmsg.talos(`[${addresses.map(addressOf).join(' ')}]`);
}

/** List, drop every member of the same name, add a learner, list again: each call may reach another server. */
function* attemptJoin(machine: Machine, spec: EtcdSpecSpec): Task<Joined> {
  const client = yield* openControlPlaneEtcd(machine, { requireLeader: true });
  try {
    const before = yield* labelled('error getting etcd members', client.memberList());
    for (const member of before.members) {
      if (member.name === spec.name) yield* labelled('error removing member', client.memberRemove(member.id));
    }
    const added = yield* labelled('error adding member', client.memberAdd(peerUrls(spec), true));
    const learnerId = added.member?.id ?? '';
    const after = yield* labelled('error getting second etcd member list', client.memberList());
    return { learnerId, initialCluster: initialCluster(after.members, learnerId, spec.name) };
  } finally {
    client.close();
  }
}

/** Members that have not started have no name yet; the own one is filled in. */
export function initialCluster(members: readonly Member[], ownId: string, ownName: string): string {
  return members
    .flatMap((member) => member.peerUrls.map((url) => `${member.id === ownId ? ownName : member.name}=${url}`))
    .join(',');
}

function* labelled<T>(what: string, call: Task<T>): Task<T> {
  try {
    return yield* call;
  } catch (error) {
    if (isDefect(error)) throw error;
    throw new NodeError(`${what}: ${errorText(error)}`);
  }
}
