/** Shapes that the accessors hand out: every default applied, nothing optional that has a default. */
import type { ConfigObject } from '../schema/types.ts';

/** A CA as PEM text; empty where the config has none. */
export interface CertificateAndKey {
  readonly crt: string;
  readonly key: string;
}

export interface Route {
  /** Empty for the default route. */
  readonly network: string;
  /** Empty for a route of link scope. */
  readonly gateway: string;
  readonly source: string;
  /** 0 when not given; controllers then use 1024. */
  readonly metric: number;
  readonly mtu: number;
}

export interface DhcpOptions {
  readonly routeMetric: number;
  readonly ipv4: boolean;
  readonly ipv6: boolean;
  readonly duidv6: string;
}

export interface VipConfig {
  readonly ip: string;
  readonly equinixMetalToken: string | undefined;
  readonly hcloudToken: string | undefined;
}

export interface Vlan {
  readonly id: number;
  readonly addresses: readonly string[];
  readonly routes: readonly Route[];
  readonly dhcp: boolean;
  readonly mtu: number;
  readonly vip: VipConfig | undefined;
  readonly dhcpOptions: DhcpOptions;
}

/** One entry of `machine.network.interfaces`. */
export interface Device {
  readonly interface: string;
  /** Raw selector; undefined when the device is named. */
  readonly selector: ConfigObject | undefined;
  readonly addresses: readonly string[];
  readonly routes: readonly Route[];
  /** Raw bond settings. */
  readonly bond: ConfigObject | undefined;
  readonly bridge: ConfigObject | undefined;
  readonly bridgePortMaster: string;
  readonly vlans: readonly Vlan[];
  readonly mtu: number;
  readonly dhcp: boolean;
  readonly ignore: boolean;
  readonly dummy: boolean;
  readonly dhcpOptions: DhcpOptions;
  readonly wireguard: ConfigObject | undefined;
  readonly vip: VipConfig | undefined;
}

/** Images and versions of a release, used where the config names none (reference/v1.11.3.md 1). */
export interface ReleaseDefaults {
  readonly kubernetesVersion: string;
  readonly kubeletImage: string;
  readonly etcdImage: string;
  readonly coreDnsImage: string;
  readonly installerImage: string;
}

/** Defaults of v1.11.3. */
export const V1_11_3_DEFAULTS: ReleaseDefaults = Object.freeze({
  kubernetesVersion: '1.34.1',
  kubeletImage: 'ghcr.io/siderolabs/kubelet',
  etcdImage: 'gcr.io/etcd-development/etcd:v3.6.5',
  coreDnsImage: 'registry.k8s.io/coredns/coredns:v1.12.4',
  installerImage: 'ghcr.io/siderolabs/installer:v1.11.3',
});
