import { isIPv6 } from 'node:net';
import type { Endpoint } from '../../platform/net.ts';

/** Addresses that mean "this machine" to a program. */
const OWN_ADDRESSES: readonly string[] = Object.freeze(['0.0.0.0', '127.0.0.1', '::', '::1', 'localhost', '']);

/**
 * The one address of a machine on a host. Whatever a program binds or dials that means its own machine becomes that
 * address, so that several machines run on 127.0.0.x with the command lines of real ones.
 */
export class SelfAddress {
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  /** The address to bind or dial for what a program named. */
  map(address: string): string {
    return OWN_ADDRESSES.includes(address) ? this.address : address;
  }

  /** The local address to dial `to` from, when it is of the same family. */
  sourceFor(to: string, wanted?: string): string | undefined {
    const source = wanted === undefined ? this.address : this.map(wanted);
    return isIPv6(source) === isIPv6(to) ? source : undefined;
  }
}

/** An endpoint from what a socket tells of itself. */
export function endpointOf(address: string | undefined, port: number | undefined): Endpoint {
  return { address: address ?? '', port: port ?? 0 };
}
