/** DHCP, host name, resolvers, time, probes, routing and shared addresses, from v1.12 on (reference E.4). */
import { block, bool, field, flag, int, list, str, strings, struct, structType, text } from '../build.ts';
import { durationCodec } from '../codecs.ts';
import type { DocumentSpec, Field, StructSpec } from '../types.ts';
import { addressCodec, enumCodec, prefixCodec, urlCodec } from './codecs.ts';
import { expression, kindOf, table } from './meta.ts';

const selector: StructSpec = struct('network.LinkSelector', [expression('match', 'Expression that selects the link.')]);

const CLIENT_IDS: readonly string[] = Object.freeze(['none', 'mac', 'duid']);
const metric = field('routeMetric', int('uint32'), 'Metric of the routes.');
const ignoreHostname = flag('ignoreHostname', 'Do not take the host name.');
const clientId: readonly Field[] = Object.freeze([
  field(
    'clientIdentifier',
    text(enumCodec('nethelpers.ClientIdentifier', CLIENT_IDS, undefined)),
    'Client identifier.',
    { pointer: true, default: 'mac', values: CLIENT_IDS },
  ),
  field('duidRaw', str, 'DUID in hexadecimal.'),
]);

const hostname: readonly Field[] = Object.freeze([
  field(
    'auto',
    text(enumCodec('nethelpers.AutoHostnameKind', ['off', 'addr', 'stable'], undefined)),
    'Generated host name.',
    {
      pointer: true,
      values: ['off', 'stable'],
    },
  ),
  field('hostname', str, 'Static host name.'),
]);

const DNS: readonly string[] = Object.freeze(['Do53', 'DoT', 'DoH']);
const resolver: readonly Field[] = Object.freeze([
  field(
    'nameservers',
    list(
      structType(
        struct('network.NameserverConfig', [
          field('address', text(addressCodec), 'Address.', { print: 'always' }),
          field('protocol', text(enumCodec('nethelpers.DNSProtocol', DNS, 'Do53')), 'Protocol.', {
            since: 14,
            default: 'Do53',
            values: DNS,
          }),
          field('tlsServerName', str, 'Name in the certificate.', { since: 14 }),
        ]),
      ),
    ),
    'Name servers.',
  ),
  field(
    'searchDomains',
    structType(
      struct('network.SearchDomainsConfig', [
        field('domains', strings, 'Search domains.'),
        flag('disableDefault', 'Do not add the domain of the host.'),
      ]),
    ),
    'Search domains.',
  ),
  block(
    'hostDNS',
    struct('network.HostDNSConfig', [
      flag('enabled', 'Caching resolver on the host.'),
      flag('forwardKubeDNSToHost', 'Cluster DNS asks the host.'),
      flag('resolveMemberNames', 'Resolve names of members.'),
    ]),
    'Resolver on the host.',
    { since: 14 },
  ),
]);

const time: readonly Field[] = Object.freeze([
  flag('enabled', 'Sync the clock.', { default: 'true' }),
  field('bootTimeout', text(durationCodec), 'How long boot waits for the first sync.'),
  block(
    'ntp',
    struct('network.NTPConfig', [
      field('servers', strings, 'Servers.'),
      flag('useNTS', 'Network time security.', { since: 14 }),
    ]),
    'NTP.',
  ),
  block('ptp', struct('network.PTPConfig', [field('devices', strings, 'Devices.')]), 'PTP.'),
]);

const kubespan: readonly Field[] = Object.freeze([
  flag('enabled', 'Use KubeSpan.'),
  flag('advertiseKubernetesNetworks', 'Announce pod networks.'),
  flag('allowDownPeerBypass', 'Send around peers that are down.'),
  flag('harvestExtraEndpoints', 'Announce endpoints that work for others.'),
  field('mtu', int('uint32'), 'MTU.', { pointer: true }),
  block(
    'filters',
    struct('network.KubeSpanFiltersConfig', [
      field('endpoints', strings, 'Which endpoints to announce.'),
      field('excludeAdvertisedNetworks', list(text(prefixCodec)), 'Networks not to announce.'),
    ]),
    'Filters.',
  ),
]);

const linkName = field('link', str, 'Link that holds the address.', { print: 'always' });

function probe(target: Field): readonly Field[] {
  return [
    field('interval', text(durationCodec), 'Time between probes.', { default: '1s' }),
    field('failureThreshold', int('int'), 'Failures before it counts as failed.'),
    target,
    field('timeout', text(durationCodec), 'Time to answer.', { default: '10s' }),
  ];
}

const bgpNeighbor: StructSpec = struct('network.BGPNeighborConfig', [
  field('address', text(addressCodec), 'Address.'),
  field('link', str, 'Link of an unnumbered session.'),
  field('peerASN', int('uint32'), 'AS of the neighbour.'),
  field('localASN', int('uint32'), 'AS shown to it.'),
  field('passive', bool, 'Wait for its connection.'),
  field('holdTime', text(durationCodec), 'Hold time.'),
  block(
    'bfd',
    struct('network.BGPBFDConfig', [
      field('transmitInterval', text(durationCodec), 'Send interval.'),
      field('receiveInterval', text(durationCodec), 'Receive interval.'),
      field('detectMultiplier', int('uint8'), 'Missed packets.'),
    ]),
    'Failure detection.',
  ),
]);

const bgpImport: StructSpec = struct('network.BGPImportConfig', [
  field('bgpInstance', str, 'Source.', { print: 'always' }),
  field('prefixes', list(text(prefixCodec)), 'Networks.', { print: 'always' }),
]);

const bgp: readonly Field[] = Object.freeze([
  field('vrf', str, 'VRF.'),
  field('localASN', int('uint32'), 'AS number.', { print: 'always' }),
  field('routerID', text(addressCodec), 'Router id.'),
  field('routeSource', text(addressCodec), 'Preferred source address.'),
  field('advertise', strings, 'What to announce.', { merge: 'replace' }),
  flag('multipath', 'Use several routes.'),
  field('maxPaths', int('uint8'), 'How many.'),
  flag('installRoutes', 'Put routes into the kernel.', { default: 'true' }),
  field('importRoutes', list(structType(bgpImport)), 'Routes of other instances.', { merge: 'replace' }),
  field('neighbors', list(structType(bgpNeighbor)), 'Neighbours.', { merge: 'replace' }),
]);

const ACTIONS: readonly string[] = Object.freeze(['unspec', 'unicast', 'blackhole', 'unreachable', 'prohibit']);

const rule: readonly Field[] = Object.freeze([
  field('src', text(prefixCodec), 'Source network.'),
  field('dst', text(prefixCodec), 'Destination network.'),
  table({ print: 'always' }),
  field('action', text(enumCodec('nethelpers.RoutingRuleAction', ACTIONS, 'unspec')), 'Action.', {
    default: 'unicast',
    values: ACTIONS.slice(1),
  }),
  field('iifName', str, 'Incoming link.'),
  field('oifName', str, 'Outgoing link.'),
  field('fwMark', int('uint32'), 'Firewall mark.'),
  field('fwMask', int('uint32'), 'Mask of it.'),
]);

function net(
  kind: string,
  since: number,
  doc: string,
  fields: readonly Field[],
  name?: string,
  conflictsWith: readonly string[] = [],
): DocumentSpec {
  return kindOf({ kind, group: 'network', since, doc, name, fields, conflictsWith });
}

const linkSelector = field('selector', structType(selector), 'Which link.');
const ignoreRoutes = flag('ignoreRoutes', 'Do not take routes.');
const dhcp: readonly Field[] = Object.freeze([metric, ignoreHostname, ignoreRoutes, ...clientId]);
const dhcp6: readonly Field[] = Object.freeze([metric, ignoreHostname, ...clientId]);
const hostnames = field('hostnames', strings, 'Names.', { print: 'always' });
const apiToken = field('apiToken', str, 'API token.', { secret: true, print: 'always' });
const endpoint = field('endpoint', str, 'host:port.', { print: 'always' });
const url = field('url', text(urlCodec), 'URL.', { print: 'always' });
const routeMetric = field('metric', int('uint32'), 'Metric.');

export const netconfDocuments: readonly DocumentSpec[] = Object.freeze([
  net('LinkAliasConfig', 12, 'Another name of a link.', [linkSelector], 'Alias.'),
  net('DHCPv4Config', 12, 'DHCP on a link.', dhcp, 'Link.'),
  net('DHCPv6Config', 12, 'DHCPv6 on a link.', dhcp6, 'Link.'),
  net('HostnameConfig', 12, 'Host name.', hostname),
  net('ResolverConfig', 12, 'Name servers.', resolver),
  net('StaticHostConfig', 12, 'A line of /etc/hosts.', [hostnames], 'Address.'),
  net('TimeSyncConfig', 12, 'Clock.', time),
  net('KubeSpanConfig', 13, 'KubeSpan.', kubespan),
  net('Layer2VIPConfig', 12, 'Shared address by ARP.', [linkName], 'Address.', ['HCloudVIPConfig']),
  net('HCloudVIPConfig', 12, 'Shared address of Hetzner Cloud.', [linkName, apiToken], 'Address.', ['Layer2VIPConfig']),
  net('TCPProbeConfig', 13, 'Probe by TCP.', probe(endpoint), 'Probe.'),
  net('HTTPProbeConfig', 14, 'Probe by HTTP.', probe(url), 'Probe.'),
  net('BlackholeRouteConfig', 13, 'Network whose packets are dropped.', [routeMetric], 'Network.'),
  net('RoutingRuleConfig', 13, 'Routing rule.', rule, 'Priority.'),
  net('BGPInstanceConfig', 14, 'BGP instance.', bgp, 'Instance.'),
]);
