import type { AffiliateUpdateRequest } from '../../api/discovery.ts';
import { utf8SizeBytes } from '../../platform/bytes.ts';
import { RpcError } from '../../platform/rpc.ts';
import { microseconds } from '../../rpc/well-known.ts';
import {
  AFFILIATE_DATA_MAX_BYTES,
  AFFILIATE_ID_MAX_BYTES,
  CLUSTER_ID_MAX_BYTES,
  ENDPOINT_MAX_BYTES,
  TTL_MAX_US,
} from './limits.ts';

function refuse(when: boolean, text: string): void {
  if (when) throw new RpcError('InvalidArgument', text);
}

/** Throws RpcError InvalidArgument. */
export function validateClusterId(id: string): void {
  refuse(id === '', "cluster ID can't be empty");
  refuse(utf8SizeBytes(id) > CLUSTER_ID_MAX_BYTES, 'cluster ID is too long');
}

/** Throws RpcError InvalidArgument. */
export function validateAffiliateId(id: string): void {
  refuse(id === '', "affiliate ID can't be empty");
  refuse(utf8SizeBytes(id) > AFFILIATE_ID_MAX_BYTES, 'affiliate ID is too long');
}

/** Gives the time to live in microseconds. Throws RpcError InvalidArgument. */
export function validateUpdate(request: AffiliateUpdateRequest): number {
  validateClusterId(request.clusterId);
  validateAffiliateId(request.affiliateId);
  refuse((request.affiliateData?.length ?? 0) > AFFILIATE_DATA_MAX_BYTES, 'affiliate data is too big');
  const tooBig = request.affiliateEndpoints.some((endpoint) => endpoint.length > ENDPOINT_MAX_BYTES);
  refuse(tooBig, 'affiliate endpoint is too big');
  const ttlUs = request.ttl === null ? 0 : microseconds(request.ttl);
  refuse(ttlUs > TTL_MAX_US, 'ttl is too large');
  return ttlUs;
}
