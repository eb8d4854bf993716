import type { LinkInfo } from '../platform/net.ts';

/** What a DHCP server hands out (reference/network-config.md D.5). */
export interface DhcpLease {
  /** With prefix length: `10.0.0.10/24`. */
  readonly address: string;
  readonly gateway?: string;
  readonly dnsServers?: readonly string[];
  readonly timeServers?: readonly string[];
  readonly hostname?: string;
  readonly leaseUs: number;
}

/**
 * What the network around a machine answers outside of connections and datagrams. Both may give nothing at any time:
 * no DHCP server on the segment, no DNS server, no such name.
 */
export interface Surroundings {
  dhcp(link: LinkInfo): DhcpLease | undefined;
  /** Addresses of a host name, in the order of the answer. Empty: it cannot be resolved now. */
  resolve(name: string): readonly string[];
  /** Names of the system extensions that an installer of the image factory brings, by the id of its schematic. */
  extensionsOf(schematic: string): readonly string[];
}
