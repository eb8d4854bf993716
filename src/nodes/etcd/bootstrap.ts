import { waitFor } from '../../cosi/index.ts';
import { timeout } from '../../platform/combinators.ts';
import { TimeoutError } from '../../platform/errors.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { failedPrecondition } from '../api/errors.ts';
import { controlPlaneSettings } from '../config/active.ts';
import { NodeError } from '../errors.ts';
import { etcdPhase } from '../events.ts';
import type { Machine } from '../machine.ts';
import { ETCD } from '../resources/etcd.ts';
import { Services, TimeStatuses } from '../resources/runtime.ts';
import { ETCD_DATA, type EtcdServiceOptions, etcdService } from '../services/builtin/etcd.ts';

const CRI_LIMIT_US = 1_000_000;
const TIME_LIMIT_US = 5_000_000;

/**
 * Founds the cluster on this machine. Nothing looks at other machines: the only guard is the local data directory
 * (reference/v1.11.3.md 4.1).
 */
export function* bootstrap(machine: Machine, recover: EtcdServiceOptions['recover']): Task<void> {
  if (!(yield* holdsWithin(machine, CRI_LIMIT_US, criUp(machine)))) {
    throw failedPrecondition('bootstrap is not available yet');
  }
  if (controlPlaneSettings(machine.state) === undefined) {
    throw failedPrecondition('bootstrap can only be performed on a control plane node');
  }
  if (!(yield* holdsWithin(machine, TIME_LIMIT_US, timeSynced(machine)))) {
    throw failedPrecondition('time is not in sync yet');
  }
  if (!(yield* machine.files.isEmptyDirectory(ETCD_DATA))) {
    throw new RpcError('AlreadyExists', 'etcd data directory is not empty');
  }
  machine.kmsg.talos('bootstrap request received');
  yield* bootstrapEtcd(machine, recover);
}

/** Stops the waiting etcd, marks it done, and starts one that founds a cluster. Returns when that was set going. */
function* bootstrapEtcd(machine: Machine, recover: EtcdServiceOptions['recover']): Task<void> {
  const { services, platform } = machine;
  platform.log.event(etcdPhase, { phase: 'bootstrap-requested', memberId: '' });
  yield* services.stop(ETCD);
  services.get(ETCD).force('Finished', 'Bootstrap requested');
  if (!(yield* machine.files.isEmptyDirectory(ETCD_DATA))) throw new NodeError('etcd data directory is not empty');
  yield* services.unload(ETCD);
  services.loadAndStart(etcdService(machine, { bootstrap: true, ...(recover === undefined ? {} : { recover }) }));
}

function* holdsWithin(machine: Machine, limitUs: number, condition: Task<unknown>): Task<boolean> {
  try {
    yield* timeout(machine.platform.clock, limitUs, condition);
    return true;
  } catch (error) {
    if (error instanceof TimeoutError) return false;
    throw error;
  }
}

function* criUp(machine: Machine): Task<void> {
  yield* waitFor(machine.state, Services, 'cri', (cri) => cri?.spec.running === true && cri.spec.healthy);
}

function* timeSynced(machine: Machine): Task<void> {
  yield* waitFor(machine.state, TimeStatuses, 'node', (time) => time?.spec.synced === true);
}
