import { inNamespace, resourceKind } from '../../cosi/index.ts';

/** Where a network setting comes from; later ones win (reference/network-config.md D.1). */
export type ConfigLayer = 'default' | 'cmdline' | 'platform' | 'operator' | 'configuration';

export const LAYERS: readonly ConfigLayer[] = Object.freeze([
  'default',
  'cmdline',
  'platform',
  'operator',
  'configuration',
]);

/** Layered specs live here, merged ones in `network`. */
export const LAYERED = 'network-config';

export interface LinkStatusSpec {
  readonly index: number;
  readonly type: string;
  readonly kind: string;
  readonly hardwareAddr: string;
  readonly operationalState: 'up' | 'down' | 'unknown';
  /** Carrier. */
  readonly linkState: boolean;
  readonly mtu: number;
  readonly physical: boolean;
}

/** Ids are link names. */
export const LinkStatuses = resourceKind<LinkStatusSpec>('network', 'LinkStatuses.net.talos.dev', {
  aliases: ['link', 'links'],
  sensitive: true,
  columns: [
    { name: 'Type', jsonPath: '{.type}' },
    { name: 'Kind', jsonPath: '{.kind}' },
    { name: 'Hw Addr', jsonPath: '{.hardwareAddr}' },
    { name: 'Oper State', jsonPath: '{.operationalState}' },
    { name: 'Link State', jsonPath: '{.linkState}' },
  ],
});

/** What makes a link a WireGuard one. */
export interface WireguardSpec {
  readonly privateKey: string;
  readonly publicKey: string;
  readonly listenPort: number;
  readonly peers: readonly {
    readonly publicKey: string;
    readonly presharedKey: string;
    /** `address:port`; empty leaves what the kernel has. */
    readonly endpoint: string;
    readonly persistentKeepaliveSec: number;
    readonly allowedIPs: readonly string[];
  }[];
}

export interface LinkSpecSpec {
  readonly name: string;
  readonly up: boolean;
  readonly mtu: number;
  readonly wireguard?: WireguardSpec;
  readonly layer: ConfigLayer;
}
export const LinkSpecs = resourceKind<LinkSpecSpec>('network', 'LinkSpecs.net.talos.dev', { sensitive: true });
export const LayeredLinkSpecs = inNamespace(LinkSpecs, LAYERED);

export interface AddressSpecSpec {
  /** With prefix length. */
  readonly address: string;
  readonly linkName: string;
  readonly announceWithARP: boolean;
  readonly layer: ConfigLayer;
}
export const AddressSpecs = resourceKind<AddressSpecSpec>('network', 'AddressSpecs.net.talos.dev');
export const LayeredAddressSpecs = inNamespace(AddressSpecs, LAYERED);

export interface AddressStatusSpec {
  readonly address: string;
  readonly linkName: string;
  readonly family: 'inet4' | 'inet6';
  readonly scope: 'global' | 'link' | 'host';
}

/** Ids `<link>/<cidr>`. */
export const AddressStatuses = resourceKind<AddressStatusSpec>('network', 'AddressStatuses.net.talos.dev', {
  aliases: ['address', 'addresses'],
  columns: [
    { name: 'Address', jsonPath: '{.address}' },
    { name: 'Link', jsonPath: '{.linkName}' },
  ],
});

export interface RouteSpecSpec {
  readonly dst: string;
  readonly gateway: string;
  readonly outLinkName: string;
  readonly priority: number;
  readonly layer: ConfigLayer;
}
export const RouteSpecs = resourceKind<RouteSpecSpec>('network', 'RouteSpecs.net.talos.dev');
export const LayeredRouteSpecs = inNamespace(RouteSpecs, LAYERED);

export interface RouteStatusSpec {
  readonly dst: string;
  readonly gateway: string;
  readonly outLinkName: string;
  readonly priority: number;
}
export const RouteStatuses = resourceKind<RouteStatusSpec>('network', 'RouteStatuses.net.talos.dev', {
  aliases: ['route', 'routes'],
  columns: [
    { name: 'Destination', jsonPath: '{.dst}' },
    { name: 'Gateway', jsonPath: '{.gateway}' },
    { name: 'Link', jsonPath: '{.outLinkName}' },
    { name: 'Metric', jsonPath: '{.priority}' },
  ],
});

export interface OperatorSpecSpec {
  readonly operator: 'dhcp4' | 'vip';
  readonly linkName: string;
  readonly requireUp: boolean;
  readonly routeMetric: number;
  /** Without prefix; empty for DHCP. */
  readonly vip: string;
  readonly layer: ConfigLayer;
}

/** Merged ids `<operator>/<link>`: two VIPs on one link are one operator, the last wins (reference/v1.11.3.md 9). */
export const OperatorSpecs = resourceKind<OperatorSpecSpec>('network', 'OperatorSpecs.net.talos.dev', {
  sensitive: true,
});
export const LayeredOperatorSpecs = inNamespace(OperatorSpecs, LAYERED);

export interface HostnameSpecSpec {
  readonly hostname: string;
  readonly domainname: string;
  readonly layer: ConfigLayer;
}
export const HostnameSpecs = resourceKind<HostnameSpecSpec>('network', 'HostnameSpecs.net.talos.dev');
export const LayeredHostnameSpecs = inNamespace(HostnameSpecs, LAYERED);

export interface HostnameStatusSpec {
  readonly hostname: string;
  readonly domainname: string;
}

/** Id `hostname`. */
export const HostnameStatuses = resourceKind<HostnameStatusSpec>('network', 'HostnameStatuses.net.talos.dev', {
  aliases: ['hostname'],
  columns: [
    { name: 'Hostname', jsonPath: '{.hostname}' },
    { name: 'Domainname', jsonPath: '{.domainname}' },
  ],
});

export interface TimeServerSpecSpec {
  readonly timeServers: readonly string[];
  readonly layer: ConfigLayer;
}
export const TimeServerSpecs = resourceKind<TimeServerSpecSpec>('network', 'TimeServerSpecs.net.talos.dev');
export const LayeredTimeServerSpecs = inNamespace(TimeServerSpecs, LAYERED);

export interface TimeServerStatusSpec {
  readonly timeServers: readonly string[];
}

/** Id `timeservers`. */
export const TimeServerStatuses = resourceKind<TimeServerStatusSpec>('network', 'TimeServerStatuses.net.talos.dev', {
  aliases: ['timeserver', 'timeservers'],
  columns: [{ name: 'Timeservers', jsonPath: '{.timeServers}' }],
});

export interface ResolverSpecSpec {
  readonly dnsServers: readonly string[];
  readonly layer: ConfigLayer;
}
export const ResolverSpecs = resourceKind<ResolverSpecSpec>('network', 'ResolverSpecs.net.talos.dev');
export const LayeredResolverSpecs = inNamespace(ResolverSpecs, LAYERED);

export interface ResolverStatusSpec {
  readonly dnsServers: readonly string[];
}

/** Id `resolvers`. */
export const ResolverStatuses = resourceKind<ResolverStatusSpec>('network', 'ResolverStatuses.net.talos.dev', {
  aliases: ['resolvers'],
  columns: [{ name: 'Resolvers', jsonPath: '{.dnsServers}' }],
});

export interface NodeAddressFilterSpec {
  readonly includeSubnets: readonly string[];
  readonly excludeSubnets: readonly string[];
}

/** Ids `no-k8s`, `only-k8s`. */
export const NodeAddressFilters = resourceKind<NodeAddressFilterSpec>('network', 'NodeAddressFilters.net.talos.dev', {
  columns: [
    { name: 'Include Subnets', jsonPath: '{.includeSubnets}' },
    { name: 'Exclude Subnets', jsonPath: '{.excludeSubnets}' },
  ],
});

export interface NodeAddressSpec {
  /** With prefix length. */
  readonly addresses: readonly string[];
  readonly sortAlgorithm: 'v1' | 'v2';
}

/** Ids `default`, `current`, `routed`, `accumulative`, and each of them with `-no-k8s` and `-only-k8s`. */
export const NodeAddresses = resourceKind<NodeAddressSpec>('network', 'NodeAddresses.net.talos.dev', {
  columns: [
    { name: 'Addresses', jsonPath: '{.addresses}' },
    { name: 'SortAlgorithm', jsonPath: '{.sortAlgorithm}' },
  ],
});

export interface NetworkStatusSpec {
  readonly addressReady: boolean;
  readonly connectivityReady: boolean;
  readonly hostnameReady: boolean;
  readonly etcFilesReady: boolean;
}

/** Id `status`. */
export const NetworkStatuses = resourceKind<NetworkStatusSpec>('network', 'NetworkStatuses.net.talos.dev', {
  aliases: ['netstatus', 'netstatuses'],
  columns: [
    { name: 'Address', jsonPath: '{.addressReady}' },
    { name: 'Connectivity', jsonPath: '{.connectivityReady}' },
    { name: 'Hostname', jsonPath: '{.hostnameReady}' },
    { name: 'Etc', jsonPath: '{.etcFilesReady}' },
  ],
});
