/** `machine.network` with defaults (reference/network-config.md E.2, E.2.1). */
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { at, flagAt, listAt, numberAt, objectAt, stringsAt, textAt } from '../view.ts';
import type { Device, DhcpOptions, Route, VipConfig, Vlan } from './types.ts';

/** Metric of DHCP routes when none is given. */
const DEFAULT_ROUTE_METRIC = 1024;
const DEFAULT_KUBESPAN_MTU = 1420;

export interface KubeSpanConfig {
  readonly enabled: boolean;
  readonly advertiseKubernetesNetworks: boolean;
  readonly forceRouting: boolean;
  readonly harvestExtraEndpoints: boolean;
  readonly mtu: number;
  readonly filterEndpoints: readonly string[];
  readonly excludeAdvertisedNetworks: readonly string[];
}

export interface NetworkConfig {
  readonly hostname: string;
  readonly devices: readonly Device[];
  readonly resolvers: readonly string[];
  readonly searchDomains: readonly string[];
  readonly disableSearchDomain: boolean;
  readonly extraHosts: readonly { readonly ip: string; readonly aliases: readonly string[] }[];
  readonly kubespan: KubeSpanConfig;
}

export function networkConfig(network: ConfigObject | undefined): NetworkConfig {
  return {
    hostname: textAt(network, 'hostname'),
    devices: listAt(network, 'interfaces').map(device),
    resolvers: stringsAt(network, 'nameservers'),
    searchDomains: stringsAt(network, 'searchDomains'),
    disableSearchDomain: flagAt(network, 'disableSearchDomain') ?? false,
    extraHosts: listAt(network, 'extraHostEntries').map((entry) => ({
      ip: textAt(entry, 'ip'),
      aliases: stringsAt(entry, 'aliases'),
    })),
    kubespan: kubespan(objectAt(network, 'kubespan')),
  };
}

function kubespan(config: ConfigObject | undefined): KubeSpanConfig {
  return {
    enabled: flagAt(config, 'enabled') ?? false,
    advertiseKubernetesNetworks: flagAt(config, 'advertiseKubernetesNetworks') ?? false,
    forceRouting: !(flagAt(config, 'allowDownPeerBypass') ?? false),
    harvestExtraEndpoints: flagAt(config, 'harvestExtraEndpoints') ?? false,
    mtu: at(config, 'mtu') === undefined ? DEFAULT_KUBESPAN_MTU : numberAt(config, 'mtu'),
    filterEndpoints: stringsAt(config, 'filters', 'endpoints'),
    excludeAdvertisedNetworks: stringsAt(config, 'filters', 'excludeAdvertisedNetworks'),
  };
}

function device(value: ConfigValue): Device {
  return {
    interface: textAt(value, 'interface'),
    selector: objectAt(value, 'deviceSelector'),
    addresses: addresses(value),
    routes: routes(value),
    bond: objectAt(value, 'bond'),
    bridge: objectAt(value, 'bridge'),
    bridgePortMaster: textAt(value, 'bridgePort', 'master'),
    vlans: listAt(value, 'vlans').map(vlan),
    mtu: numberAt(value, 'mtu'),
    dhcp: flagAt(value, 'dhcp') ?? false,
    ignore: flagAt(value, 'ignore') ?? false,
    dummy: flagAt(value, 'dummy') ?? false,
    dhcpOptions: dhcpOptions(objectAt(value, 'dhcpOptions')),
    wireguard: objectAt(value, 'wireguard'),
    vip: vip(objectAt(value, 'vip')),
  };
}

function vlan(value: ConfigValue): Vlan {
  return {
    id: numberAt(value, 'vlanId'),
    addresses: addresses(value),
    routes: routes(value),
    dhcp: flagAt(value, 'dhcp') ?? false,
    mtu: numberAt(value, 'mtu'),
    vip: vip(objectAt(value, 'vip')),
    dhcpOptions: dhcpOptions(objectAt(value, 'dhcpOptions')),
  };
}

/** The list, or the deprecated single address. */
function addresses(value: ConfigValue): readonly string[] {
  const cidr = textAt(value, 'cidr');
  return cidr === '' ? stringsAt(value, 'addresses') : [cidr];
}

function routes(value: ConfigValue): readonly Route[] {
  return listAt(value, 'routes').map((route) => ({
    network: textAt(route, 'network'),
    gateway: textAt(route, 'gateway'),
    source: textAt(route, 'source'),
    metric: numberAt(route, 'metric'),
    mtu: numberAt(route, 'mtu'),
  }));
}

function dhcpOptions(value: ConfigObject | undefined): DhcpOptions {
  return {
    routeMetric: numberAt(value, 'routeMetric') || DEFAULT_ROUTE_METRIC,
    ipv4: flagAt(value, 'ipv4') ?? true,
    ipv6: flagAt(value, 'ipv6') ?? false,
    duidv6: textAt(value, 'duidv6'),
  };
}

function vip(value: ConfigObject | undefined): VipConfig | undefined {
  if (value === undefined) {
    return undefined;
  }
  const token = (provider: string): string | undefined =>
    objectAt(value, provider) === undefined ? undefined : textAt(value, provider, 'apiToken');
  return { ip: textAt(value, 'ip'), equinixMetalToken: token('equinixMetal'), hcloudToken: token('hcloud') };
}
