import type { NicSpec, RouterSpec } from '../net/types.ts';
import type { Route } from '../platform/net.ts';
import type { WorldNetwork, WorldSpec } from './spec.ts';

/** The segment behind the routers, where the services of the internet stand (TEST-NET-3). */
export const INTERNET: WorldNetwork = Object.freeze({
  name: 'internet',
  cidr: '203.0.113.0/24',
  gateway: '203.0.113.1',
  latencyUs: 8_000,
  jitterUs: 4_000,
});

/** Addresses of the services that every machine is told of by name. */
export const INTERNET_ADDRESSES = Object.freeze({ discovery: '203.0.113.10', time: '203.0.113.20' });

/** Names that the simulated DNS knows. */
export const INTERNET_NAMES: Readonly<Record<string, readonly string[]>> = Object.freeze({
  'discovery.talos.dev': [INTERNET_ADDRESSES.discovery],
  'time.cloudflare.com': [INTERNET_ADDRESSES.time],
});

export function prefixLengthOf(cidr: string): number {
  return Number(cidr.slice(cidr.indexOf('/') + 1));
}

/** The router that joins every network which names a gateway with the internet, and translates where they say so. */
export function routerOf(spec: WorldSpec): RouterSpec {
  const inside = spec.networks.filter((network) => network.gateway !== undefined);
  const nats = inside.flatMap(({ cidr, nat }) =>
    nat === undefined ? [] : [{ inside: cidr, publicAddress: nat.address, forwards: nat.forwards }],
  );
  return {
    name: 'router',
    ports: [...inside, INTERNET].map((network) => ({
      segment: network.name,
      address: `${network.gateway!}/${prefixLengthOf(network.cidr)}`,
    })),
    ...(nats.length > 0 && { nats }),
  };
}

/** The highest address of a network that nobody holds: for stations that the scenario does not name. */
export function freeAddress(network: WorldNetwork, taken: ReadonlySet<string>): string {
  const [base = '', length = ''] = network.cidr.split('/');
  const octets = base.split('.').map(Number);
  const first = ((octets[0]! * 256 + octets[1]!) * 256 + octets[2]!) * 256 + octets[3]!;
  const hosts = hostCount(Number(length));
  const start = first - (first % hosts);
  for (let offset = hosts - 2; offset > 0; offset--) {
    const address = ipv4(start + offset);
    if (!taken.has(address)) return address;
  }
  throw new Error(`no free address in ${network.cidr}`);
}

function hostCount(prefixLength: number): number {
  let count = 1;
  for (let bit = prefixLength; bit < 32; bit++) count *= 2;
  return count;
}

function ipv4(value: number): string {
  return [24, 16, 8, 0]
    .map((shift) => (shift === 24 ? Math.floor(value / 16_777_216) : (value >>> shift) & 255))
    .join('.');
}

/** A machine's or station's card on a segment. */
export function nicOn(segment: string, card: { readonly link?: string; readonly mac?: string } = {}): NicSpec {
  return { link: card.link ?? 'eth0', segment, ...(card.mac !== undefined && { mac: card.mac }) };
}

/** The default route through a network's gateway. */
export function defaultRoute(network: WorldNetwork): Route[] {
  return network.gateway === undefined
    ? []
    : [{ destination: '0.0.0.0/0', gateway: network.gateway, link: 'eth0', metric: 1024 }];
}
