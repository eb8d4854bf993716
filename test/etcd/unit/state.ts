import { ETCD_3_6 } from '../../../src/etcd/behaviour.ts';
import { ReplicatedState } from '../../../src/etcd/server/state/replicated.ts';

/** The state of a member that has applied nothing. */
export function newState(): ReplicatedState {
  return new ReplicatedState({
    clusterId: '00000000000000c1',
    memberId: '00000000000000a1',
    maxLearners: 1,
    minLeaseTtlSec: 2,
    storesLeaseCheckpoints: false,
    behaviour: ETCD_3_6,
  });
}
