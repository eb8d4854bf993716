import type { Controller } from '../../../cosi/index.ts';
import {
  AddressSpecs,
  type HostnameSpecSpec,
  HostnameSpecs,
  LayeredAddressSpecs,
  LayeredHostnameSpecs,
  LayeredLinkSpecs,
  LayeredOperatorSpecs,
  LayeredResolverSpecs,
  LayeredRouteSpecs,
  LayeredTimeServerSpecs,
  type LinkSpecSpec,
  LinkSpecs,
  OperatorSpecs,
  type ResolverSpecSpec,
  ResolverSpecs,
  RouteSpecs,
  type TimeServerSpecSpec,
  TimeServerSpecs,
} from '../../resources/network.ts';
import { lastWins, mergeController } from './merge.ts';
import { routeId } from './route-config.ts';

/** The merge controllers, one for each kind (reference/network-config.md D.2, D.6, D.7). */
export const mergeControllers: readonly Controller[] = Object.freeze([
  mergeController({
    name: 'network.AddressMergeController',
    from: LayeredAddressSpecs,
    to: AddressSpecs,
    mergedId: (spec) => `${spec.linkName}/${spec.address}`,
    fold: lastWins,
  }),
  mergeController({
    name: 'network.LinkMergeController',
    from: LayeredLinkSpecs,
    to: LinkSpecs,
    mergedId: (spec) => spec.name,
    fold: foldLinks,
  }),
  mergeController({
    name: 'network.RouteMergeController',
    from: LayeredRouteSpecs,
    to: RouteSpecs,
    mergedId: (spec) => routeId(spec.dst, spec.gateway, spec.priority),
    fold: lastWins,
  }),
  mergeController({
    name: 'network.OperatorMergeController',
    from: LayeredOperatorSpecs,
    to: OperatorSpecs,
    mergedId: (spec) => `${spec.operator}/${spec.linkName}`,
    fold: lastWins,
  }),
  mergeController({
    name: 'network.HostnameMergeController',
    from: LayeredHostnameSpecs,
    to: HostnameSpecs,
    mergedId: () => 'hostname',
    fold: foldHostnames,
  }),
  mergeController({
    name: 'network.TimeServerMergeController',
    from: LayeredTimeServerSpecs,
    to: TimeServerSpecs,
    mergedId: () => 'timeservers',
    fold: foldTimeServers,
  }),
  mergeController({
    name: 'network.ResolverMergeController',
    from: LayeredResolverSpecs,
    to: ResolverSpecs,
    mergedId: () => 'resolvers',
    fold: foldResolvers,
  }),
]);

/** Field by field; what is zero or false cannot override. */
function foldLinks(specs: readonly LinkSpecSpec[]): LinkSpecSpec {
  return specs.reduce((low, high) => ({
    name: high.name,
    up: low.up || high.up,
    mtu: high.mtu === 0 ? low.mtu : high.mtu,
    ...((high.wireguard ?? low.wireguard) !== undefined && { wireguard: high.wireguard ?? low.wireguard }),
    layer: high.layer,
  }));
}

/** Highest layer wins as a whole; within a layer the first id. */
function foldHostnames(specs: readonly HostnameSpecSpec[]): HostnameSpecSpec {
  const highest = specs[specs.length - 1]!.layer;
  return specs.find((spec) => spec.layer === highest)!;
}

/** A higher layer replaces, the same layer appends. */
function foldTimeServers(specs: readonly TimeServerSpecSpec[]): TimeServerSpecSpec {
  return specs.reduce((low, high) =>
    low.layer === high.layer ? { ...high, timeServers: [...low.timeServers, ...high.timeServers] } : high,
  );
}

/** As time servers; but servers of an address family that the higher layer lacks stay behind its own. */
function foldResolvers(specs: readonly ResolverSpecSpec[]): ResolverSpecSpec {
  return specs.reduce((low, high) => {
    if (low.layer === high.layer) return { ...high, dnsServers: [...low.dnsServers, ...high.dnsServers] };
    if (high.dnsServers.length === 0) return { ...high, dnsServers: low.dnsServers };
    const families = new Set(high.dnsServers.map((server) => server.includes(':')));
    const kept = low.dnsServers.filter((server) => !families.has(server.includes(':')));
    return { ...high, dnsServers: [...high.dnsServers, ...kept] };
  });
}
