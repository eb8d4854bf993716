/** Firewall, KubeSpan endpoints and Ethernet settings (reference E.4; v1.11.3.md 11.1). */
import { block, bool, field, flag, list, map, strings, struct, structType, text } from '../build.ts';
import type { DocumentSpec, StructSpec } from '../types.ts';
import { addressPortCodec, enumCodec, portRangeCodec, prefixCodec } from './codecs.ts';
import { count, documentKind, header, named } from './meta.ts';

const defaultAction: StructSpec = struct('network.DefaultActionConfigV1Alpha1', [
  ...header,
  field(
    'ingress',
    text(enumCodec('nethelpers.DefaultAction', ['accept', 'block'], 'accept')),
    'What happens to packets that no rule allows.',
    { print: 'always', default: 'accept' },
  ),
]);

const rule: StructSpec = struct('network.RuleConfigV1Alpha1', [
  ...named('Rule.'),
  field(
    'portSelector',
    structType(
      struct('network.RulePortSelector', [
        field('ports', list(text(portRangeCodec), { goType: 'network.PortRanges' }), 'Ports and port ranges.', {
          print: 'always',
          merge: 'replace',
        }),
        field(
          'protocol',
          text(enumCodec('nethelpers.Protocol', ['tcp', 'udp', 'icmp', 'icmpv6'], undefined)),
          'Protocol.',
          { print: 'always' },
        ),
      ]),
    ),
    'Which ports of the machine.',
    { print: 'always' },
  ),
  field(
    'ingress',
    list(
      structType(
        struct('network.IngressRule', [
          field('subnet', text(prefixCodec), 'Source network that may connect.', { print: 'always' }),
          field('except', text(prefixCodec), 'Part of it that may not.'),
        ]),
      ),
      { goType: 'network.IngressConfig' },
    ),
    'Who may connect.',
    { print: 'always', merge: 'replace' },
  ),
]);

const kubespanEndpoints: StructSpec = struct('network.KubespanEndpointsConfigV1Alpha1', [
  ...header,
  field('extraAnnouncedEndpoints', list(text(addressPortCodec)), 'Endpoints to announce besides the found ones.', {
    print: 'always',
  }),
]);

const ethernet: StructSpec = struct('network.EthernetConfigV1Alpha1', [
  ...named('Link.'),
  field('features', map(bool), 'Driver features to switch.'),
  block(
    'rings',
    struct('network.EthernetRingsConfig', [
      count('rx', 'Receive rings.'),
      count('tx', 'Transmit rings.'),
      count('rx-mini', 'Mini receive rings.'),
      count('rx-jumbo', 'Jumbo receive rings.'),
      count('rx-buf-len', 'Receive buffer length.'),
      count('cqe-size', 'Completion queue entry size.'),
      flag('tx-push', 'Transmit push.'),
      flag('rx-push', 'Receive push.'),
      count('tx-push-buf-len', 'Transmit push buffer length.'),
      flag('tcp-data-split', 'Split TCP data.'),
    ]),
    'Ring sizes.',
  ),
  block(
    'channels',
    struct('network.EthernetChannelsConfig', [
      count('rx', 'Receive channels.'),
      count('tx', 'Transmit channels.'),
      count('other', 'Other channels.'),
      count('combined', 'Combined channels.'),
    ]),
    'Channels.',
  ),
  field('wakeOnLan', strings, 'Wake-on-LAN modes.', { since: 13 }),
]);

export const networkDocuments: readonly DocumentSpec[] = Object.freeze([
  documentKind('NetworkDefaultActionConfig', 'network', defaultAction, 'Default of the ingress firewall.'),
  documentKind('NetworkRuleConfig', 'network', rule, 'A rule of the ingress firewall.'),
  documentKind('KubeSpanEndpointsConfig', 'network', kubespanEndpoints, 'Extra KubeSpan endpoints.'),
  documentKind('EthernetConfig', 'network', ethernet, 'Settings of an Ethernet link.'),
]);
