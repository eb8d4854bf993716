import { InternalRaftRequest } from '../../../src/api/etcd/internal.ts';
import { type Behaviour, ETCD_3_6 } from '../../../src/etcd/behaviour.ts';
import { Applier, type ApplyEffects, type ApplyResult } from '../../../src/etcd/server/apply/applier.ts';
import { readFrames } from '../../../src/etcd/server/backend/frame.ts';
import { encodeImage, StateBuilder } from '../../../src/etcd/server/backend/image.ts';
import { hashAt } from '../../../src/etcd/server/mvcc/hash.ts';
import { ReplicatedState } from '../../../src/etcd/server/state/replicated.ts';
import { concatBytes } from '../../../src/platform/bytes.ts';

const COMPACTION_STEP = 100;

/** The state of one member without its log: applies requests, and takes another's image in. */
export class Replica {
  readonly state: ReplicatedState;
  readonly #applier: Applier;

  constructor(memberId: string, changed: (changes: number) => void, behaviour: Behaviour = ETCD_3_6) {
    this.state = new ReplicatedState({
      clusterId: '0000000000000001',
      memberId,
      maxLearners: 1,
      minLeaseTtlSec: 2,
      storesLeaseCheckpoints: true,
      behaviour,
    });
    const nothing = (): void => {};
    const effects: ApplyEffects = {
      changed,
      compacted: (revision) => this.#compact(revision),
      overQuota: nothing,
      alarmsChanged: nothing,
      leaseGranted: nothing,
      leaseRevoked: nothing,
      clusterVersionSet: nothing,
    };
    this.#applier = new Applier(this.state, effects, { quotaBytes: -1, nowUs: () => 0 });
  }

  apply(index: number, request: InternalRaftRequest): ApplyResult {
    const result = this.#applier.apply(request);
    this.state.consistentIndex = index;
    this.state.consistentTerm = 1;
    return result;
  }

  image(): Uint8Array {
    return concatBytes(encodeImage(this.state.export()));
  }

  /** As a received snapshot or a restart does it. */
  load(image: Uint8Array): void {
    const builder = new StateBuilder();
    readFrames(image, (frame) => builder.add(frame));
    this.state.load(builder.finish());
  }

  /** Everything that members must have alike, as text. */
  describe(): string {
    const { store, lessor, cluster, alarms } = this.state;
    const leases = [...lessor.all()].map(({ id, ttlSec, storedRemainingTtlSec, keys }) => {
      return `${id}:${ttlSec}:${storedRemainingTtlSec}:${[...keys].sort().join()}`;
    });
    return JSON.stringify({
      hash: hashAt(store, store.currentRevision),
      compacted: store.compactRevision,
      leases: leases.sort(),
      members: cluster.members(),
      removed: cluster.removedIds(),
      alarms: alarms.all,
      version: cluster.version,
    });
  }

  #compact(revision: number): void {
    const { store } = this.state;
    let from: number | null = 0;
    while (from !== null) from = store.compactStep(revision, from, COMPACTION_STEP);
  }
}

/** The one request of an entry. */
export type OneRequest = Partial<Omit<InternalRaftRequest, 'header'>>;

export function requestOf(id: number, one: OneRequest): InternalRaftRequest {
  const header = { id: id.toString(16).padStart(16, '0'), username: '', authRevision: 0 };
  return InternalRaftRequest.of({ ...one, header });
}
