import { repeated } from '../rpc/composite-fields.ts';
import { bool, bytes, nested, optional, string, uint32 } from '../rpc/fields.ts';
import { type MessageOf, message } from '../rpc/message.ts';
import { serverStream, service, unary } from '../rpc/service.ts';
import { Duration } from '../rpc/well-known.ts';

/**
 * The discovery service: sidero.discovery.server.Cluster (reference/network-config.md C.7, C.8; field numbers from the
 * public discovery-api). What members tell each other travels sealed: sidero.discovery.client.
 */

export const DiscoveredAffiliate = message('sidero.discovery.server.Affiliate', {
  id: string(1),
  /** Sealed. */
  data: bytes(2),
  /** Sealed. */
  endpoints: repeated(bytes(3)),
});
export type DiscoveredAffiliate = MessageOf<typeof DiscoveredAffiliate>;

export const HelloRequest = message('sidero.discovery.server.HelloRequest', {
  clusterId: string(1),
  clientVersion: string(2),
});
export type HelloRequest = MessageOf<typeof HelloRequest>;

export const RedirectMessage = message('sidero.discovery.server.RedirectMessage', { endpoint: string(1) });
export type RedirectMessage = MessageOf<typeof RedirectMessage>;

export const HelloResponse = message('sidero.discovery.server.HelloResponse', {
  /** When set, the client is to connect there instead. */
  redirect: nested(1, RedirectMessage),
  /** The client's address as the server sees it: 4 or 16 bytes. */
  clientIp: bytes(2),
});
export type HelloResponse = MessageOf<typeof HelloResponse>;

export const AffiliateUpdateRequest = message('sidero.discovery.server.AffiliateUpdateRequest', {
  clusterId: string(1),
  affiliateId: string(2),
  /** Null leaves the data as it is. */
  affiliateData: optional(bytes(3)),
  /** Merged with those already known. */
  affiliateEndpoints: repeated(bytes(4)),
  ttl: nested(5, Duration),
});
export type AffiliateUpdateRequest = MessageOf<typeof AffiliateUpdateRequest>;

export const AffiliateUpdateResponse = message('sidero.discovery.server.AffiliateUpdateResponse', {});

export const AffiliateDeleteRequest = message('sidero.discovery.server.AffiliateDeleteRequest', {
  clusterId: string(1),
  affiliateId: string(2),
});
export type AffiliateDeleteRequest = MessageOf<typeof AffiliateDeleteRequest>;

export const AffiliateDeleteResponse = message('sidero.discovery.server.AffiliateDeleteResponse', {});

export const ListRequest = message('sidero.discovery.server.ListRequest', { clusterId: string(1) });
export type ListRequest = MessageOf<typeof ListRequest>;

export const ListResponse = message('sidero.discovery.server.ListResponse', {
  affiliates: repeated(nested(1, DiscoveredAffiliate)),
});
export type ListResponse = MessageOf<typeof ListResponse>;

export const WatchRequest = message('sidero.discovery.server.WatchRequest', { clusterId: string(1) });
export type WatchRequest = MessageOf<typeof WatchRequest>;

/** The first one holds everybody; later ones hold who changed. */
export const WatchResponse = message('sidero.discovery.server.WatchResponse', {
  affiliates: repeated(nested(1, DiscoveredAffiliate)),
  /** Then only ids count. */
  deleted: bool(2),
});
export type WatchResponse = MessageOf<typeof WatchResponse>;

export const Cluster = service('sidero.discovery.server.Cluster', {
  Hello: unary(HelloRequest, HelloResponse),
  AffiliateUpdate: unary(AffiliateUpdateRequest, AffiliateUpdateResponse),
  AffiliateDelete: unary(AffiliateDeleteRequest, AffiliateDeleteResponse),
  List: unary(ListRequest, ListResponse),
  Watch: serverStream(WatchRequest, WatchResponse),
});

export const IpPrefix = message('sidero.discovery.client.IPPrefix', { ip: bytes(1), bits: uint32(2) });
export type IpPrefix = MessageOf<typeof IpPrefix>;

export const KubeSpan = message('sidero.discovery.client.KubeSpan', {
  publicKey: string(1),
  address: bytes(2),
  additionalAddresses: repeated(nested(3, IpPrefix)),
});
export type KubeSpan = MessageOf<typeof KubeSpan>;

export const ControlPlane = message('sidero.discovery.client.ControlPlane', { apiServerPort: uint32(1) });
export type ControlPlane = MessageOf<typeof ControlPlane>;

/** What a member tells of itself; sealed into {@link DiscoveredAffiliate}. Addresses are 4 or 16 bytes. */
export const Affiliate = message('sidero.discovery.client.Affiliate', {
  nodeId: string(1),
  addresses: repeated(bytes(2)),
  hostname: string(3),
  nodename: string(4),
  machineType: string(5),
  operatingSystem: string(6),
  kubespan: nested(7, KubeSpan),
  controlPlane: nested(8, ControlPlane),
});
export type Affiliate = MessageOf<typeof Affiliate>;

/** Where a member's KubeSpan can be reached; sealed into {@link DiscoveredAffiliate}. */
export const AffiliateEndpoint = message('sidero.discovery.client.Endpoint', { ip: bytes(1), port: uint32(2) });
export type AffiliateEndpoint = MessageOf<typeof AffiliateEndpoint>;
