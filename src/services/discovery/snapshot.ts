import { type Disk, parentOf, readWhole, writeDurably } from '../../platform/disk.ts';
import type { Task } from '../../platform/task.ts';
import { repeated } from '../../rpc/composite-fields.ts';
import { bytes, int64, nested, string } from '../../rpc/fields.ts';
import { message } from '../../rpc/message.ts';
import { AffiliateRecord } from './affiliate.ts';
import type { DiscoveryState } from './state.ts';

const SECOND_US = 1_000_000;

const EndpointSnapshot = message('discovery.EndpointSnapshot', { data: bytes(1), ttlSeconds: int64(2) });
const AffiliateSnapshot = message('discovery.AffiliateSnapshot', {
  id: string(1),
  data: bytes(2),
  ttlSeconds: int64(3),
  endpoints: repeated(nested(4, EndpointSnapshot)),
});
const ClusterSnapshot = message('discovery.ClusterSnapshot', {
  id: string(1),
  affiliates: repeated(nested(2, AffiliateSnapshot)),
});
const StateSnapshot = message('discovery.StateSnapshot', { clusters: repeated(nested(1, ClusterSnapshot)) });

/** Writes everything down. Times to live are relative and in whole seconds, as the real service keeps them. */
export function* saveSnapshot(disk: Disk, path: string, state: DiscoveryState, nowUs: number): Task<void> {
  const ttlSeconds = (expiresUs: number): number => Math.floor(Math.max(0, expiresUs - nowUs) / SECOND_US);
  const clusters = state.clusters.map(([id, cluster]) => ({
    id,
    affiliates: cluster.affiliates.map((affiliate) => ({
      id: affiliate.id,
      data: affiliate.data,
      ttlSeconds: ttlSeconds(affiliate.expiresUs),
      endpoints: affiliate.endpoints.map(({ data, expiresUs }) => ({ data, ttlSeconds: ttlSeconds(expiresUs) })),
    })),
  }));
  yield* disk.makeDirectory(parentOf(path));
  yield* writeDurably(disk, path, StateSnapshot.encode({ clusters }));
}

/** Reads what was written, if there is anything. Throws DecodeError for a damaged file. */
export function* loadSnapshot(disk: Disk, path: string, state: DiscoveryState, nowUs: number): Task<void> {
  const file = yield* readWhole(disk, path);
  if (file === undefined) return;
  for (const { id, affiliates } of StateSnapshot.decode(file).clusters) {
    const cluster = state.cluster(id);
    for (const { id: affiliateId, data, ttlSeconds, endpoints } of affiliates) {
      const kept = endpoints.map((endpoint) => ({
        data: endpoint.data,
        expiresUs: nowUs + endpoint.ttlSeconds * SECOND_US,
      }));
      cluster.restore(AffiliateRecord.restored(affiliateId, data, nowUs + ttlSeconds * SECOND_US, kept));
    }
  }
}
