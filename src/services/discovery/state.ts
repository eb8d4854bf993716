import { ClusterState } from './cluster.ts';

/** An affiliate that expired. */
export interface Expired {
  readonly clusterId: string;
  readonly affiliateId: string;
}

/** Every cluster that the service knows. */
export class DiscoveryState {
  readonly #clusters = new Map<string, ClusterState>();

  /** The cluster, made when it is new. */
  cluster(id: string): ClusterState {
    let cluster = this.#clusters.get(id);
    if (cluster === undefined) {
      cluster = new ClusterState();
      this.#clusters.set(id, cluster);
    }
    return cluster;
  }

  get clusters(): readonly (readonly [id: string, cluster: ClusterState])[] {
    return [...this.#clusters];
  }

  /** Takes away what has expired, and clusters that nobody is in or watches. */
  collect(nowUs: number): readonly Expired[] {
    const expired: Expired[] = [];
    for (const [clusterId, cluster] of [...this.#clusters]) {
      for (const affiliateId of cluster.collect(nowUs)) expired.push({ clusterId, affiliateId });
      if (cluster.idle) this.#clusters.delete(clusterId);
    }
    return expired;
  }
}
