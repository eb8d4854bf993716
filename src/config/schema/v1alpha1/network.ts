/** `machine.network` and everything below it (reference/network-config.md E.2, E.2.1). */
import { block, bool, field, flag, int, list, str, strings, struct, structType, text } from '../build.ts';
import { durationCodec } from '../codecs.ts';
import type { StructSpec } from '../types.ts';

const deviceSelector: StructSpec = struct('v1alpha1.NetworkDeviceSelector', [
  field('busPath', str, 'Bus path of the device; `*` matches anything.'),
  field('hardwareAddr', str, 'Hardware address; `*` matches anything.'),
  field('permanentAddr', str, 'Permanent hardware address, which stays the same inside a bond.'),
  field('pciID', str, 'PCI vendor and product ID; `*` matches anything.'),
  field('driver', str, 'Kernel driver; `*` matches anything.'),
  flag('physical', 'Only physical devices.'),
]);

const route: StructSpec = struct('v1alpha1.Route', [
  field('network', str, 'Destination prefix; empty is the default route.', { print: 'always' }),
  field('gateway', str, 'Gateway; empty makes a route of link scope.', { print: 'always' }),
  field('source', str, 'Source address for packets that take the route.'),
  field('metric', int('uint32'), 'Priority; the lower one wins.', { default: '1024' }),
  field('mtu', int('uint32'), 'MTU of the route.'),
]);

const dhcpOptions: StructSpec = struct('v1alpha1.DHCPOptions', [
  field('routeMetric', int('uint32'), 'Priority of routes learnt by DHCP.', { print: 'always', default: '1024' }),
  flag('ipv4', 'Run DHCPv4.', { default: 'true' }),
  flag('ipv6', 'Run DHCPv6.', { default: 'false' }),
  field('duidv6', str, 'Client DUID for DHCPv6, hexadecimal.'),
]);

const vip: StructSpec = struct('v1alpha1.DeviceVIPConfig', [
  field('ip', str, 'The shared address.'),
  block(
    'equinixMetal',
    struct('v1alpha1.VIPEquinixMetalConfig', [
      field('apiToken', str, 'API token of Equinix Metal.', { print: 'always', secret: true }),
    ]),
    'Moves the address through the API of Equinix Metal.',
  ),
  block(
    'hcloud',
    struct('v1alpha1.VIPHCloudConfig', [
      field('apiToken', str, 'API token of Hetzner Cloud.', { print: 'always', secret: true }),
    ]),
    'Moves the address through the API of Hetzner Cloud.',
  ),
]);

const bond: StructSpec = struct('v1alpha1.Bond', [
  field('interfaces', strings, 'Member links by name.', { print: 'always' }),
  field('deviceSelectors', list(structType(deviceSelector)), 'Member links by selector, instead of names.'),
  field('arpIPTarget', strings, 'ARP monitoring targets; refused by validation.'),
  field('mode', str, 'Bond mode.', {
    print: 'always',
    values: ['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'],
  }),
  field('xmitHashPolicy', str, 'Transmit hash policy.'),
  field('lacpRate', str, 'LACP rate, only with 802.3ad.', { values: ['slow', 'fast'] }),
  field('adActorSystem', str, 'System address in LACP; refused by validation.'),
  field('arpValidate', str, 'Which ARP probes and replies are validated.'),
  field('arpAllTargets', str, 'Whether any or all ARP targets must answer.', { values: ['any', 'all'] }),
  field('primary', str, 'Preferred member.'),
  field('primaryReselect', str, 'When to return to the preferred member.'),
  field('failOverMac', str, 'Which hardware address the bond shows after a fail-over.'),
  field('adSelect', str, 'How an aggregator is chosen.'),
  field('miimon', int('uint32'), 'Link monitoring interval in ms.'),
  field('updelay', int('uint32'), 'Delay in ms before a recovered link is used.'),
  field('downdelay', int('uint32'), 'Delay in ms before a failed link is dropped.'),
  field('arpInterval', int('uint32'), 'ARP monitoring interval in ms.'),
  field('resendIgmp', int('uint32'), 'IGMP reports after a fail-over.'),
  field('minLinks', int('uint32'), 'Members needed for carrier.'),
  field('lpInterval', int('uint32'), 'Interval in s of learning packets.'),
  field('packetsPerSlave', int('uint32'), 'Packets per member in round robin.'),
  field('numPeerNotif', int('uint8'), 'Peer notifications after a fail-over.'),
  field('tlbDynamicLb', int('uint8'), 'Dynamic load balancing of the tlb mode.'),
  field('allSlavesActive', int('uint8'), 'Accept duplicate frames on inactive members.'),
  flag('useCarrier', 'Ask the driver for carrier.', { default: 'true' }),
  field('adActorSysPrio', int('uint16'), 'System priority in LACP.'),
  field('adUserPortKey', int('uint16'), 'User part of the LACP port key.'),
  field('peerNotifyDelay', int('uint32'), 'Delay in ms between peer notifications.'),
]);

const bridge: StructSpec = struct('v1alpha1.Bridge', [
  field('interfaces', strings, 'Member links by name.', { print: 'always' }),
  block('stp', struct('v1alpha1.STP', [flag('enabled', 'Run the spanning tree protocol.')]), 'Spanning tree.'),
  block(
    'vlan',
    struct('v1alpha1.BridgeVLAN', [flag('vlanFiltering', 'Filter by VLAN.')]),
    'VLAN awareness of the bridge.',
  ),
]);

const vlan: StructSpec = struct('v1alpha1.Vlan', [
  field('addresses', strings, 'Addresses, with or without prefix length.'),
  field('cidr', str, 'One address.', { deprecated: 'addresses' }),
  field('routes', list(structType(route), { elementPointer: true }), 'Routes over the VLAN.', { print: 'always' }),
  flag('dhcp', 'Run DHCP on the VLAN.'),
  field('vlanId', int('uint16'), 'VLAN id.', { print: 'always' }),
  field('mtu', int('uint32'), 'MTU of the VLAN.'),
  block('vip', vip, 'Shared address on the VLAN.'),
  block('dhcpOptions', dhcpOptions, 'DHCP settings.'),
]);

const wireguard: StructSpec = struct('v1alpha1.DeviceWireguardConfig', [
  field('privateKey', str, 'Private key, base64 of 32 bytes.', { secret: true }),
  field('listenPort', int('int'), 'UDP port to listen on.'),
  field('firewallMark', int('int'), 'Mark of outgoing packets.'),
  field(
    'peers',
    list(
      structType(
        struct('v1alpha1.DeviceWireguardPeer', [
          field('publicKey', str, 'Public key, base64 of 32 bytes.'),
          field('endpoint', str, 'Address and port of the peer.'),
          field('persistentKeepaliveInterval', text(durationCodec), 'Keep-alive interval.'),
          field('allowedIPs', strings, 'Prefixes reached through the peer.'),
        ]),
      ),
      { elementPointer: true },
    ),
    'Peers.',
  ),
]);

const device: StructSpec = struct('v1alpha1.Device', [
  field('interface', str, 'Link name; or use deviceSelector.'),
  block('deviceSelector', deviceSelector, 'Selects the link by properties instead of a name.'),
  field('addresses', strings, 'Static addresses; one without prefix length is a host address.'),
  field('cidr', str, 'One static address.', { deprecated: 'addresses' }),
  field('routes', list(structType(route), { elementPointer: true }), 'Static routes over the link.'),
  block('bond', bond, 'Makes the link a bond.'),
  block('bridge', bridge, 'Makes the link a bridge.'),
  block(
    'bridgePort',
    struct('v1alpha1.BridgePort', [field('master', str, 'The bridge to join.')]),
    'Joins the link to a bridge.',
  ),
  field(
    'vlans',
    list(structType(vlan), {
      goType: 'v1alpha1.VlanList',
      elementPointer: true,
      mergeBy: { keys: ['vlanId'], action: 'merge' },
    }),
    'VLANs on the link.',
  ),
  field('mtu', int('int'), 'MTU of the link.'),
  flag('dhcp', 'Run DHCP on the link.'),
  flag('ignore', 'Leave the link alone.'),
  flag('dummy', 'Makes the link a dummy one.'),
  block('dhcpOptions', dhcpOptions, 'DHCP settings.'),
  block('wireguard', wireguard, 'Makes the link a WireGuard tunnel.'),
  block('vip', vip, 'Shared address on the link, control planes only.'),
]);

const kubespan: StructSpec = struct('v1alpha1.NetworkKubeSpan', [
  flag('enabled', 'Run KubeSpan; needs discovery.'),
  flag('advertiseKubernetesNetworks', 'Announce the pod networks of the node.'),
  flag('allowDownPeerBypass', 'Let traffic bypass the tunnel while a peer is down.'),
  flag('harvestExtraEndpoints', 'Publish endpoints learnt from peers.'),
  field('mtu', int('uint32'), 'MTU of the tunnel link.', { pointer: true, default: '1420' }),
  block(
    'filters',
    struct('v1alpha1.KubeSpanFilters', [
      field('endpoints', strings, 'Prefixes that filter the announced endpoints; `!` excludes.'),
      field('excludeAdvertisedNetworks', strings, 'Networks never announced.', { since: 12 }),
    ]),
    'Address filters.',
  ),
]);

/** `machine.network`. */
export const networkConfig: StructSpec = struct('v1alpha1.NetworkConfig', [
  field('hostname', str, 'Static host name.', { deprecated: 'HostnameConfig' }),
  field(
    'interfaces',
    list(structType(device), {
      goType: 'v1alpha1.NetworkDeviceList',
      elementPointer: true,
      mergeBy: { keys: ['interface', 'deviceSelector'], action: 'merge' },
    }),
    'Links and their addresses.',
    { deprecated: 'link documents' },
  ),
  field('nameservers', strings, 'DNS servers.', { default: '1.1.1.1, 8.8.8.8', deprecated: 'ResolverConfig' }),
  field('searchDomains', strings, 'DNS search domains.', { deprecated: 'ResolverConfig' }),
  field(
    'extraHostEntries',
    list(
      structType(
        struct('v1alpha1.ExtraHost', [
          field('ip', str, 'Address.', { print: 'always' }),
          field('aliases', strings, 'Names for the address.', { print: 'always' }),
        ]),
      ),
      { elementPointer: true },
    ),
    'Extra lines of /etc/hosts.',
    { deprecated: 'StaticHostConfig' },
  ),
  block('kubespan', kubespan, 'KubeSpan.', { deprecated: 'KubeSpanConfig' }),
  field('disableSearchDomain', bool, 'Leave the domain of the host name out of the search domains.', {
    pointer: true,
    deprecated: 'ResolverConfig',
  }),
]);
