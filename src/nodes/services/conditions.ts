import type { Machine } from '../machine.ts';
import { ETCD, EtcdSpecs } from '../resources/etcd.ts';
import { NetworkStatuses } from '../resources/network.ts';
import { EtcFileStatuses, MountStatuses, TimeStatuses } from '../resources/runtime.ts';
import { ApiCertificates, TrustdCertificates } from '../resources/secrets.ts';
import type { Condition } from './condition.ts';

/** Conditions of built-in services (reference/lifecycle-api-cli.md B.2, B.3). */

export function timeSync(machine: Machine): Condition {
  return {
    describe: () => 'time sync',
    met: () => machine.state.get(TimeStatuses, 'node')?.spec.synced === true,
  };
}

export type NetworkFacet = 'address' | 'hostname' | 'etcFiles';

export function network(machine: Machine, ...facets: readonly NetworkFacet[]): Condition {
  return {
    describe: () => 'network',
    met: () => {
      const status = machine.state.get(NetworkStatuses, 'status')?.spec;
      if (status === undefined) return false;
      const ready = { address: status.addressReady, hostname: status.hostnameReady, etcFiles: status.etcFilesReady };
      return facets.every((facet) => ready[facet]);
    },
  };
}

export function etcdSpec(machine: Machine): Condition {
  return {
    describe: () => 'etcd spec',
    met: () => machine.state.get(EtcdSpecs, ETCD) !== undefined,
  };
}

export function apiCertificates(machine: Machine): Condition {
  return {
    describe: () => 'api certificates',
    met: () => machine.state.get(ApiCertificates, 'api') !== undefined,
  };
}

export function trustdCertificates(machine: Machine): Condition {
  return {
    describe: () => 'api certificates',
    met: () => machine.state.get(TrustdCertificates, 'trustd') !== undefined,
  };
}

export function etcFile(machine: Machine, name: string): Condition {
  return {
    describe: () => `/etc files [${name}] to be ready`,
    met: () => machine.state.get(EtcFileStatuses, name) !== undefined,
  };
}

/** A directory on EPHEMERAL, with the volume's id as the message names it. */
export function volume(machine: Machine, id: string): Condition {
  return {
    describe: () => `volume "${id}" to be mounted`,
    met: () => machine.state.get(MountStatuses, 'EPHEMERAL') !== undefined,
  };
}
