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

/** What the world around a machine answers outside of connections and datagrams; there may be no DHCP server on a segment. */
export interface Surroundings {
  dhcp(link: LinkInfo): DhcpLease | undefined;
  /** Names of the system extensions that an installer of the image factory brings, by the id of its schematic. */
  extensionsOf(schematic: string): readonly string[];
}
