/** Network links, from v1.12 on (reference/network-config.md E.4). */
import { field, flag, int, list, str, strings, struct, structType, text } from '../build.ts';
import { durationCodec } from '../codecs.ts';
import type { DocumentSpec, Field, StructSpec } from '../types.ts';
import { addressCodec, addressPortCodec, enumCodec, prefixCodec } from './codecs.ts';
import { count, kindOf, table } from './meta.ts';

const address: StructSpec = struct('network.AddressConfig', [
  field('address', text(prefixCodec), 'Address with its prefix length.', { print: 'always' }),
  field('routePriority', int('uint32'), 'Metric of the route of the prefix.', { pointer: true }),
]);

const route: StructSpec = struct('network.RouteConfig', [
  field('destination', text(prefixCodec), 'Where to; absent means the default route.'),
  field('gateway', text(addressCodec), 'Next hop.'),
  field('source', text(addressCodec), 'Preferred source address.'),
  field('metric', int('uint32'), 'Metric.'),
  field('mtu', int('uint32'), 'MTU.'),
  table(),
]);

/** Settings that all links share; they stand at the end of each kind. */
const common: readonly Field[] = Object.freeze([
  flag('up', 'Bring the link up.'),
  field('mtu', int('uint32'), 'MTU.'),
  field('addresses', list(structType(address)), 'Static addresses.'),
  field('routes', list(structType(route)), 'Static routes.'),
  flag('multicast', 'Multicast.'),
]);

const hardwareAddr = field('hardwareAddr', str, 'Hardware address.');
const links = field('links', strings, 'Links below this one.');
const byte = (name: string, doc: string): Field => field(name, int('uint8'), doc, { pointer: true });
const words = (name: string, goType: string, values: readonly string[], doc: string): Field =>
  field(name, text(enumCodec(goType, values, undefined)), doc, { pointer: true, values });

const BOND_MODES: readonly string[] = Object.freeze([
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'balance-tlb',
  'balance-alb',
]);
const HASH_POLICIES: readonly string[] = Object.freeze([
  'layer2',
  'layer3+4',
  'layer2+3',
  'encap2+3',
  'encap3+4',
  'vlan+srcmac',
]);
const ARP_VALIDATE: readonly string[] = Object.freeze([
  'none',
  'active',
  'backup',
  'all',
  'filter',
  'filter_active',
  'filter_backup',
]);

const bond: readonly Field[] = Object.freeze([
  hardwareAddr,
  links,
  words('bondMode', 'nethelpers.BondMode', BOND_MODES, 'Mode.'),
  count('miimon', 'Interval of link checks in milliseconds.'),
  count('updelay', 'Delay before a link counts as up, in milliseconds.'),
  count('downdelay', 'Delay before a link counts as down, in milliseconds.'),
  flag('useCarrier', 'Ask the driver for the carrier.'),
  words('xmitHashPolicy', 'nethelpers.BondXmitHashPolicy', HASH_POLICIES, 'How packets are spread.'),
  count('arpInterval', 'Interval of ARP checks in milliseconds.'),
  field('arpIpTargets', list(text(addressCodec)), 'Targets of ARP checks.'),
  field('nsIp6Targets', list(text(addressCodec)), 'Targets of neighbour checks.'),
  words('arpValidate', 'nethelpers.ARPValidate', ARP_VALIDATE, 'Which ARP packets count.'),
  words('arpAllTargets', 'nethelpers.ARPAllTargets', ['any', 'all'], 'Whether one target is enough.'),
  words('lacpRate', 'nethelpers.LACPRate', ['slow', 'fast'], 'LACP rate.'),
  words('failOverMac', 'nethelpers.FailOverMAC', ['none', 'active', 'follow'], 'Whose hardware address is used.'),
  words('adSelect', 'nethelpers.ADSelect', ['stable', 'bandwidth', 'count'], 'Choice of the aggregator.'),
  field('adActorSysPrio', int('uint16'), 'LACP system priority.', { pointer: true }),
  field('adUserPortKey', int('uint16'), 'LACP port key.', { pointer: true }),
  words('adLACPActive', 'nethelpers.ADLACPActive', ['on', 'off'], 'Send LACP packets.'),
  field('primary', str, 'Preferred link.', { pointer: true }),
  words('primaryReselect', 'nethelpers.PrimaryReselect', ['always', 'better', 'failure'], 'When to go back to it.'),
  count('resendIGMP', 'IGMP reports after a failover.'),
  count('minLinks', 'Links that must be up.'),
  count('lpInterval', 'Interval of learning packets in seconds.'),
  count('packetsPerSlave', 'Packets through one link before the next.'),
  byte('numPeerNotif', 'Notifications after a failover.'),
  byte('tlbLogicalLb', 'Dynamic spreading.'),
  byte('allSlavesActive', 'Deliver packets of inactive links.'),
  count('peerNotifDelay', 'Delay between notifications in milliseconds.'),
  byte('missedMax', 'Missed checks before a link counts as down.'),
]);

const peer: StructSpec = struct('network.WireguardPeer', [
  field('publicKey', str, 'Public key.'),
  field('presharedKey', str, 'Preshared key.', { secret: true }),
  field('endpoint', text(addressPortCodec), 'Endpoint as address:port.'),
  field('persistentKeepaliveInterval', text(durationCodec), 'Keepalive.'),
  field('allowedIPs', list(text(prefixCodec)), 'Networks behind the peer.'),
]);

const switched = (name: string, goType: string, key: string, doc: string): Field =>
  field(name, structType(struct(goType, [flag(key, 'Switch.')])), doc);

/** Link kinds share one space of names (reference E.6). */
const LINK_KINDS: readonly string[] = Object.freeze([
  'LinkConfig',
  'DummyLinkConfig',
  'BondConfig',
  'BridgeConfig',
  'VLANConfig',
  'VethConfig',
  'VRFConfig',
  'WireguardConfig',
]);

function link(kind: string, since: number, doc: string, fields: readonly Field[]): DocumentSpec {
  const conflictsWith = LINK_KINDS.filter((other) => other !== kind);
  return kindOf({ kind, group: 'network', since, doc, name: 'Link.', fields: [...fields, ...common], conflictsWith });
}

export const linkDocuments: readonly DocumentSpec[] = Object.freeze([
  link('LinkConfig', 12, 'A physical link.', []),
  link('DummyLinkConfig', 12, 'A dummy link.', [hardwareAddr]),
  link('BondConfig', 12, 'A bond.', bond),
  link('BridgeConfig', 12, 'A bridge.', [
    hardwareAddr,
    links,
    switched('stp', 'network.BridgeSTPConfig', 'enabled', 'Spanning tree.'),
    switched('vlan', 'network.BridgeVLANConfig', 'filtering', 'VLAN filtering.'),
  ]),
  link('VLANConfig', 12, 'A VLAN.', [
    field('vlanID', int('uint16'), 'VLAN id.'),
    words('vlanMode', 'nethelpers.VLANProtocol', ['802.1q', '802.1ad'], 'VLAN protocol.'),
    field('parent', str, 'Link below.'),
  ]),
  link('VethConfig', 14, 'A pair of virtual Ethernet links.', [
    field(
      'peer',
      structType(struct('network.VethPeerConfig', [field('name', str, 'Link.', { print: 'always' }), ...common])),
      'Other end.',
      { print: 'always' },
    ),
  ]),
  link('VRFConfig', 13, 'A virtual routing table.', [hardwareAddr, links, table({ print: 'always' })]),
  link('WireguardConfig', 12, 'A WireGuard link.', [
    field('privateKey', str, 'Private key.', { secret: true }),
    field('listenPort', int('int'), 'Port.'),
    field('firewallMark', int('int'), 'Firewall mark.'),
    field('peers', list(structType(peer)), 'Peers.'),
  ]),
]);
