import type { DhcpLease, Surroundings } from '../nodes/surroundings.ts';
import { prefixLengthOf } from './layout.ts';
import type { WorldMachine, WorldSpec } from './spec.ts';

const DAY_US = 86_400_000_000;

/** What DHCP answers to one machine, and what the image factory knows. */
export function surroundingsOf(spec: WorldSpec, machine: WorldMachine): Surroundings {
  const network = spec.networks.find((candidate) => candidate.name === machine.network)!;
  const lease: DhcpLease = {
    address: `${machine.address}/${prefixLengthOf(network.cidr)}`,
    ...(network.gateway !== undefined && { gateway: network.gateway }),
    ...(spec.dns !== undefined && { dnsServers: [spec.dns.address] }),
    leaseUs: DAY_US,
  };
  return {
    dhcp: (link) => (link.physical ? lease : undefined),
    extensionsOf: (schematic) => spec.schematics?.[schematic] ?? [],
  };
}
