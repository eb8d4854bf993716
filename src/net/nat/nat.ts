import type { Endpoint } from '../../platform/net.ts';
import { addressBytes } from '../address.ts';
import type { Packet } from '../packet.ts';
import type { NatSpec } from '../types.ts';
import { NatSite, type Protocol } from './site.ts';

/** Both ends of a packet as they are behind the gateway. */
export interface Passage {
  readonly from: Endpoint;
  readonly to: Endpoint;
}

/** Address translation at a router: what leaves a site carries its public address, what comes back finds its way in. */
export class Nat {
  readonly #sites: readonly NatSite[];

  constructor(specs: readonly NatSpec[]) {
    this.#sites = specs.map((spec) => new NatSite(spec));
  }

  /**
   * How a packet goes on; undefined when the gateway drops it. A site's own public address leads nowhere from inside, and
   * nobody outside reaches an inner address.
   */
  translate(protocol: Protocol, from: Endpoint, to: Endpoint, nowUs: number): Passage | undefined {
    const source = addressBytes(from.address);
    const target = addressBytes(to.address);
    const home = this.#sites.find((site) => site.holds(source));
    const away = this.#sites.find((site) => site.publicAddress === to.address);
    if (away !== undefined ? away === home : this.#sites.some((site) => site.holds(target))) return undefined;
    const seenFrom = home === undefined ? from : home.outgoing(protocol, from, to, nowUs);
    const seenTo = away === undefined ? to : away.incoming(protocol, seenFrom, to.port, nowUs);
    return seenTo === undefined ? undefined : { from: seenFrom, to: seenTo };
  }

  /** The packet as it goes on; undefined when it is dropped. */
  pass(packet: Packet, nowUs: number): Packet | undefined {
    const { from, to } = packet;
    const passage = this.translate(packet.kind === 'datagram' ? 'udp' : 'tcp', from, to, nowUs);
    if (passage === undefined) return undefined;
    return passage.from === from && passage.to === to ? packet : packet.readdressed(passage.from, passage.to);
  }
}
