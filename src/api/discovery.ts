import { repeated } from '../rpc/composite-fields.ts';
import { bool, bytes, nested, optional, string } from '../rpc/fields.ts';
import { type MessageOf, message } from '../rpc/message.ts';
import { serverStream, service, unary } from '../rpc/service.ts';
import { Duration } from '../rpc/well-known.ts';

/** The discovery service: machines of a cluster find each other through blobs that it cannot read (reference/network-config.md C.7, C.8). */

export const HelloRequest = message('sidero.discovery.server.HelloRequest', {
  clusterId: string(1),
  clientVersion: string(2),
});
export const RedirectMessage = message('sidero.discovery.server.RedirectMessage', { endpoint: string(1) });
export const HelloResponse = message('sidero.discovery.server.HelloResponse', {
  redirect: nested(1, RedirectMessage),
  clientIp: bytes(2),
});

export const AffiliateUpdateRequest = message('sidero.discovery.server.AffiliateUpdateRequest', {
  clusterId: string(1),
  affiliateId: string(2),
  affiliateData: optional(bytes(3)),
  affiliateEndpoints: repeated(bytes(4)),
  ttl: nested(5, Duration),
});
export type AffiliateUpdateRequest = MessageOf<typeof AffiliateUpdateRequest>;
export const AffiliateUpdateResponse = message('sidero.discovery.server.AffiliateUpdateResponse', {});

export const AffiliateDeleteRequest = message('sidero.discovery.server.AffiliateDeleteRequest', {
  clusterId: string(1),
  affiliateId: string(2),
});
export const AffiliateDeleteResponse = message('sidero.discovery.server.AffiliateDeleteResponse', {});

export const Affiliate = message('sidero.discovery.server.Affiliate', {
  id: string(1),
  data: bytes(2),
  endpoints: repeated(bytes(3)),
});
export type Affiliate = MessageOf<typeof Affiliate>;
export const ListRequest = message('sidero.discovery.server.ListRequest', { clusterId: string(1) });
export const ListResponse = message('sidero.discovery.server.ListResponse', {
  affiliates: repeated(nested(1, Affiliate)),
});

export const WatchRequest = message('sidero.discovery.server.WatchRequest', { clusterId: string(1) });
/** The first response is a snapshot; later ones are changes, or deletions of what they name. */
export const WatchResponse = message('sidero.discovery.server.WatchResponse', {
  affiliates: repeated(nested(1, Affiliate)),
  deleted: bool(2),
});
export type WatchResponse = MessageOf<typeof WatchResponse>;

export const DiscoveryService = service('sidero.discovery.server.Cluster', {
  Hello: unary(HelloRequest, HelloResponse),
  AffiliateUpdate: unary(AffiliateUpdateRequest, AffiliateUpdateResponse),
  AffiliateDelete: unary(AffiliateDeleteRequest, AffiliateDeleteResponse),
  List: unary(ListRequest, ListResponse),
  Watch: serverStream(WatchRequest, WatchResponse),
});
