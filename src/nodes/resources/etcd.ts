import { resourceKind } from '../../cosi/index.ts';

export interface EtcdConfigSpec {
  readonly advertiseValidSubnets: readonly string[];
  readonly advertiseExcludeSubnets: readonly string[];
  readonly listenValidSubnets: readonly string[];
  readonly listenExcludeSubnets: readonly string[];
  readonly image: string;
  readonly extraArgs: Readonly<Record<string, string>>;
}

/** Id `etcd`. */
export const EtcdConfigs = resourceKind<EtcdConfigSpec>('etcd', 'EtcdConfigs.etcd.talos.dev', {
  columns: [{ name: 'Image', jsonPath: '{.image}' }],
});

export interface EtcdSpecSpec {
  readonly name: string;
  readonly advertisedAddresses: readonly string[];
  readonly listenPeerAddresses: readonly string[];
  readonly listenClientAddresses: readonly string[];
  readonly image: string;
  readonly extraArgs: Readonly<Record<string, string>>;
}

/** Id `etcd`. */
export const EtcdSpecs = resourceKind<EtcdSpecSpec>('etcd', 'EtcdSpecs.etcd.talos.dev', {
  columns: [
    { name: 'Name', jsonPath: '{.name}' },
    { name: 'AdvertisedAddresses', jsonPath: '{.advertisedAddresses}' },
    { name: 'ListenPeerAddresses', jsonPath: '{.listenPeerAddresses}' },
    { name: 'ListenClientAddresses', jsonPath: '{.listenClientAddresses}' },
  ],
});

export interface PkiStatusSpec {
  readonly ready: boolean;
  readonly version: string;
}

/** Id `etcd`. */
export const PkiStatuses = resourceKind<PkiStatusSpec>('etcd', 'PKIStatuses.etcd.talos.dev', {
  columns: [
    { name: 'Ready', jsonPath: '{.ready}' },
    { name: 'Secrets Version', jsonPath: '{.version}' },
  ],
});

export interface EtcdMemberSpec {
  /** 16 lower-case hexadecimal digits. */
  readonly memberID: string;
}

/** Id `local`. */
export const EtcdMembers = resourceKind<EtcdMemberSpec>('etcd', 'EtcdMembers.etcd.talos.dev', {
  columns: [{ name: 'Member ID', jsonPath: '{.memberID}' }],
});

export const ETCD = 'etcd';
export const LOCAL_MEMBER = 'local';
