import type { Affiliate, AffiliateUpdateRequest, WatchResponse } from '../../api/discovery.ts';
import { toHex } from '../../platform/bytes.ts';
import { RpcError } from '../../platform/rpc.ts';
import { microseconds } from '../../rpc/well-known.ts';

/** Limits of the public service (reference/network-config.md C.8). */
const MAX_ID_BYTES = 256;
const MAX_DATA_BYTES = 2048;
const MAX_ENDPOINT_BYTES = 32;
const MAX_TTL_US = 1_800_000_000;
const MAX_AFFILIATES = 1024;
const MAX_ENDPOINTS = 64;
/** Events that may wait for one subscriber. */
export const WATCH_BUFFER = 32;

interface Endpoint {
  readonly bytes: Uint8Array;
  expiresAtUs: number;
}

interface Record_ {
  data: Uint8Array;
  expiresAtUs: number;
  readonly endpoints: Map<string, Endpoint>;
}

export type Subscriber = (event: WatchResponse) => void;

interface Cluster {
  readonly affiliates: Map<string, Record_>;
  readonly subscribers: Set<Subscriber>;
}

/** What the service knows: ciphertext by cluster and affiliate, each with its time to live. */
export class DiscoveryState {
  readonly #clusters = new Map<string, Cluster>();
  readonly #nowUs: () => number;

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs;
  }

  update(request: AffiliateUpdateRequest): void {
    checkUpdate(request);
    const cluster = this.#cluster(request.clusterId);
    const expiresAtUs = this.#nowUs() + microseconds(request.ttl!);
    let record = cluster.affiliates.get(request.affiliateId);
    let changed = request.affiliateData !== null;
    if (record === undefined) {
      if (cluster.affiliates.size >= MAX_AFFILIATES)
        throw new RpcError('ResourceExhausted', 'too many affiliates in the cluster');
      record = { data: new Uint8Array(), expiresAtUs, endpoints: new Map() };
      cluster.affiliates.set(request.affiliateId, record);
      changed = true;
    }
    record.expiresAtUs = Math.max(record.expiresAtUs, expiresAtUs);
    if (request.affiliateData !== null) record.data = request.affiliateData;
    for (const bytes of request.affiliateEndpoints) {
      const key = toHex(bytes);
      const known = record.endpoints.get(key);
      if (known !== undefined) {
        known.expiresAtUs = expiresAtUs;
        continue;
      }
      if (record.endpoints.size >= MAX_ENDPOINTS)
        throw new RpcError('ResourceExhausted', 'too many endpoints in the affiliate');
      record.endpoints.set(key, { bytes, expiresAtUs });
      changed = true;
    }
    if (changed) this.#tell(cluster, { affiliates: [snapshotOf(request.affiliateId, record)], deleted: false });
  }

  remove(clusterId: string, affiliateId: string): void {
    checkId('cluster', clusterId);
    checkId('affiliate', affiliateId);
    const cluster = this.#cluster(clusterId);
    if (cluster.affiliates.delete(affiliateId)) this.#tell(cluster, deletionOf(affiliateId));
  }

  list(clusterId: string): Affiliate[] {
    checkId('cluster', clusterId);
    const cluster = this.#clusters.get(clusterId);
    return cluster === undefined ? [] : [...cluster.affiliates].map(([id, record]) => snapshotOf(id, record));
  }

  /** Tells of every later event; the returned function ends that. */
  subscribe(clusterId: string, subscriber: Subscriber): () => void {
    const cluster = this.#cluster(clusterId);
    cluster.subscribers.add(subscriber);
    return () => cluster.subscribers.delete(subscriber);
  }

  /** Drops what has expired. An endpoint that goes alone is told as a deletion of its affiliate (quirk). */
  collect(): void {
    const nowUs = this.#nowUs();
    for (const [clusterId, cluster] of this.#clusters) {
      for (const [id, record] of cluster.affiliates) {
        let lostEndpoint = false;
        for (const [key, endpoint] of record.endpoints)
          if (endpoint.expiresAtUs <= nowUs) lostEndpoint = record.endpoints.delete(key);
        const expired = record.expiresAtUs < nowUs;
        if (expired) cluster.affiliates.delete(id);
        if (expired || lostEndpoint) this.#tell(cluster, deletionOf(id));
      }
      if (cluster.affiliates.size + cluster.subscribers.size === 0) this.#clusters.delete(clusterId);
    }
  }

  #cluster(id: string): Cluster {
    let cluster = this.#clusters.get(id);
    if (cluster === undefined) {
      cluster = { affiliates: new Map(), subscribers: new Set() };
      this.#clusters.set(id, cluster);
    }
    return cluster;
  }

  #tell(cluster: Cluster, event: WatchResponse): void {
    for (const subscriber of [...cluster.subscribers]) subscriber(event);
  }
}

function snapshotOf(id: string, record: Record_): Affiliate {
  return { id, data: record.data, endpoints: [...record.endpoints.values()].map((endpoint) => endpoint.bytes) };
}

function deletionOf(id: string): WatchResponse {
  return { affiliates: [{ id, data: new Uint8Array(), endpoints: [] }], deleted: true };
}

export function checkId(what: string, id: string): void {
  if (id.length === 0) throw new RpcError('InvalidArgument', `${what} ID can't be empty`);
  if (id.length > MAX_ID_BYTES) throw new RpcError('InvalidArgument', `${what} ID is too long`);
}

function checkUpdate(request: AffiliateUpdateRequest): void {
  checkId('cluster', request.clusterId);
  checkId('affiliate', request.affiliateId);
  if ((request.affiliateData?.length ?? 0) > MAX_DATA_BYTES)
    throw new RpcError('InvalidArgument', 'affiliate data is too big');
  if (request.affiliateEndpoints.some((endpoint) => endpoint.length > MAX_ENDPOINT_BYTES))
    throw new RpcError('InvalidArgument', 'affiliate endpoint is too big');
  if (request.ttl === null || microseconds(request.ttl) > MAX_TTL_US)
    throw new RpcError('InvalidArgument', 'affiliate TTL is too large');
}
