import { decimalId } from '../../api/etcd/ids.ts';
import { waitFor } from '../../cosi/index.ts';
import { timeout } from '../../platform/combinators.ts';
import { TimeoutError } from '../../platform/errors.ts';
import { retry } from '../../platform/retry.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { NodeError } from '../errors.ts';
import { etcdPhase } from '../events.ts';
import type { Machine } from '../machine.ts';
import { ETCD, EtcdMembers, LOCAL_MEMBER } from '../resources/etcd.ts';
import { ETCD_DATA } from '../services/builtin/etcd.ts';
import { openControlPlaneEtcd, withEtcd } from './client.ts';

const LOCAL_ID_LIMIT_US = 180_000_000;
const REMOVE_LIMIT_US = 300_000_000;
const REMOVE_PAUSE_US = 10_000_000;

const RETRIED: readonly string[] = Object.freeze(['etcdserver: unhealthy cluster', 'etcdserver: server stopped']);

/** Takes this machine out of the cluster and throws its data away; etcd stays stopped (reference/v1.11.3.md 2.5). */
export function* leaveCluster(machine: Machine): Task<void> {
  const id = yield* localMemberId(machine);
  yield* withEtcd(openControlPlaneEtcd(machine, { requireLeader: true }), (client) =>
    removeMember(machine, id, () => client.memberRemove(id)),
  );
  yield* machine.services.stop(ETCD);
  yield* machine.files.disk.removeTree(ETCD_DATA);
  machine.platform.log.event(etcdPhase, { phase: 'left', memberId: id });
}

/** Waits up to three minutes: without a healthy etcd nobody knows it. */
export function* localMemberId(machine: Machine): Task<string> {
  try {
    const found = waitFor(machine.state, EtcdMembers, LOCAL_MEMBER, (member) => member !== undefined);
    return (yield* timeout(machine.platform.clock, LOCAL_ID_LIMIT_US, found))!.spec.memberID;
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    throw new NodeError('failed to get local etcd member ID: context deadline exceeded');
  }
}

function* removeMember(machine: Machine, id: string, attempt: () => Task<unknown>): Task<void> {
  const options = {
    limitUs: REMOVE_LIMIT_US,
    pauseUs: () => REMOVE_PAUSE_US,
    retryable: (error: unknown) => error instanceof RpcError && RETRIED.includes(error.message),
  };
  try {
    yield* retry(machine.platform.clock, options, attempt);
  } catch (error) {
    if (error instanceof RpcError && error.message === 'etcdserver: member not found') return;
    if (error instanceof RpcError || error instanceof TimeoutError) {
      throw new NodeError(`failed to remove member ${decimalId(id)}: ${error.message}`);
    }
    throw error;
  }
}
