import { NetError } from '../platform/errors.ts';
import type { Route } from '../platform/net.ts';
import { type Cidr, canonicalAddress, contains, parseCidr } from './address.ts';
import type { Link } from './link.ts';

interface Entry {
  readonly route: Route;
  readonly destination: Cidr;
}

/** Where a packet goes next: over which link, and to whom on it. */
export interface NextHop {
  readonly link: Link;
  readonly address: string;
}

/** The routing table of one kernel: longest prefix first, then the smallest metric, then the oldest. */
export class RouteTable {
  #entries: Entry[] = [];

  list(): readonly Route[] {
    return this.#entries.map((entry) => entry.route);
  }

  /** Adding the same route twice is fine. NetError `address-not-available` when it cannot be parsed. */
  add(route: Route): boolean {
    const destination = parseCidr(route.destination);
    if (destination === null) {
      throw new NetError('address-not-available', `${route.destination} is not a network`);
    }
    if (route.gateway !== undefined) canonicalAddress(route.gateway);
    if (this.#entries.some((entry) => sameRoute(entry.route, route))) return false;
    this.#entries.push({ route, destination });
    return true;
  }

  remove(route: Route): boolean {
    const at = this.#entries.findIndex((entry) => sameRoute(entry.route, route));
    if (at < 0) return false;
    this.#entries.splice(at, 1);
    return true;
  }

  /** Picks the next hop among the networks of the links themselves and the routes. */
  lookup(target: string, bytes: Uint8Array, links: readonly Link[]): NextHop | undefined {
    let best: NextHop | undefined;
    let bestBits = -1;
    let bestMetric = 0;
    for (const link of links) {
      if (!link.adminUp) continue;
      for (const cidr of link.addresses) {
        if (cidr.prefixBits <= bestBits || !contains(cidr, bytes)) continue;
        best = { link, address: target };
        bestBits = cidr.prefixBits;
      }
    }
    for (const { route, destination } of this.#entries) {
      if (destination.prefixBits < bestBits || !contains(destination, bytes)) continue;
      if (destination.prefixBits === bestBits && route.metric >= bestMetric) continue;
      const link = links.find((candidate) => candidate.name === route.link);
      if (link === undefined || !link.adminUp) continue;
      best = { link, address: route.gateway ?? target };
      bestBits = destination.prefixBits;
      bestMetric = route.metric;
    }
    return best;
  }
}

function sameRoute(a: Route, b: Route): boolean {
  return a.destination === b.destination && a.gateway === b.gateway && a.link === b.link && a.metric === b.metric;
}
