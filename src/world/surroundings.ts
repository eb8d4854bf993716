import type { DhcpLease, Surroundings } from '../nodes/surroundings.ts';
import { INTERNET_NAMES, prefixLengthOf } from './layout.ts';
import type { WorldMachine, WorldSpec } from './spec.ts';

const DAY_US = 86_400_000_000;

/** What DHCP and DNS answer to one machine: its reservation, and the names of the simulated internet. */
export function surroundingsOf(spec: WorldSpec, machine: WorldMachine): Surroundings {
  const network = spec.networks.find((candidate) => candidate.name === machine.network)!;
  const lease: DhcpLease = {
    address: `${machine.address}/${prefixLengthOf(network.cidr)}`,
    ...(network.gateway !== undefined && { gateway: network.gateway }),
    leaseUs: DAY_US,
  };
  return {
    dhcp: (link) => (link.physical ? lease : undefined),
    resolve: (name) => INTERNET_NAMES[name] ?? [],
    extensionsOf: (schematic) => spec.schematics?.[schematic] ?? [],
  };
}
