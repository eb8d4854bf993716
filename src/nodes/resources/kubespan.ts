import { resourceKind } from '../../cosi/index.ts';

/** Resources of KubeSpan (reference/network-config.md resource table and C.9, reference/lifecycle-api-cli.md E.6). */

export interface KubeSpanConfigSpec {
  readonly enabled: boolean;
  readonly clusterId: string;
  /** Every peer's pre-shared key: the cluster secret as it is written. */
  readonly sharedSecret: string;
  /** Peers that are down are not reached by another way. */
  readonly forceRouting: boolean;
  readonly advertiseKubernetesNetworks: boolean;
  readonly mtu: number;
  readonly endpointFilters: readonly string[];
  readonly harvestExtraEndpoints: boolean;
  /** `address:port`, announced besides the addresses of the machine. */
  readonly extraEndpoints: readonly string[];
}

/** Id `kubespan`. */
export const KubeSpanConfigs = resourceKind<KubeSpanConfigSpec>('config', 'KubeSpanConfigs.kubespan.talos.dev', {
  sensitive: true,
});
export const KUBESPAN = 'kubespan';

export interface KubeSpanIdentitySpec {
  /** With the length of one host. */
  readonly address: string;
  readonly subnet: string;
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Id `local`. */
export const KubeSpanIdentities = resourceKind<KubeSpanIdentitySpec>(
  'kubespan',
  'KubeSpanIdentities.kubespan.talos.dev',
  {
    sensitive: true,
    columns: [
      { name: 'Address', jsonPath: '{.address}' },
      { name: 'PublicKey', jsonPath: '{.publicKey}' },
    ],
  },
);

export interface KubeSpanPeerSpecSpec {
  readonly address: string;
  readonly allowedIPs: readonly string[];
  readonly endpoints: readonly string[];
  readonly label: string;
}

/** Ids are public keys. */
export const KubeSpanPeerSpecs = resourceKind<KubeSpanPeerSpecSpec>(
  'kubespan',
  'KubeSpanPeerSpecs.kubespan.talos.dev',
  {
    columns: [
      { name: 'Label', jsonPath: '{.label}' },
      { name: 'Endpoints', jsonPath: '{.endpoints}' },
    ],
  },
);

export type KubeSpanPeerState = 'unknown' | 'up' | 'down';

export interface KubeSpanPeerStatusSpec {
  /** `address:port`; empty while there is none. */
  readonly endpoint: string;
  readonly label: string;
  readonly state: KubeSpanPeerState;
  readonly receiveBytes: number;
  readonly transmitBytes: number;
  readonly lastHandshakeTime: string;
  readonly lastUsedEndpoint: string;
  readonly lastEndpointChange: string;
}

/** Ids are public keys. */
export const KubeSpanPeerStatuses = resourceKind<KubeSpanPeerStatusSpec>(
  'kubespan',
  'KubeSpanPeerStatuses.kubespan.talos.dev',
  {
    columns: [
      { name: 'Label', jsonPath: '{.label}' },
      { name: 'Endpoint', jsonPath: '{.endpoint}' },
      { name: 'State', jsonPath: '{.state}' },
      { name: 'Rx', jsonPath: '{.receiveBytes}' },
      { name: 'Tx', jsonPath: '{.transmitBytes}' },
    ],
  },
);

export interface KubeSpanEndpointSpec {
  readonly affiliateID: string;
  readonly endpoint: string;
}

/** Ids are public keys: where a peer was heard, for others to know. */
export const KubeSpanEndpoints = resourceKind<KubeSpanEndpointSpec>(
  'kubespan',
  'KubeSpanEndpoints.kubespan.talos.dev',
  {
    columns: [
      { name: 'Endpoint', jsonPath: '{.endpoint}' },
      { name: 'Affiliate ID', jsonPath: '{.affiliateID}' },
    ],
  },
);
