import { cidrContains, parseCidr, parseIpv4 } from '../scenario/addresses.ts';
import type { NetworkSpec } from '../scenario/model.ts';
import {
  type Card,
  cardOf,
  deviceNotes,
  devicesOf,
  gatewayOf,
  primaryDevice,
  staticAddress,
  vipOf,
} from './devices.ts';
import type { TriedConfig } from './tried-config.ts';

/** Where a machine stands in the world that is made for it. */
export interface Placement {
  readonly address: string;
  /** Name of its network. */
  readonly network: string;
  readonly card: Card;
  /** Where the address comes from, and what of its links has no model. */
  readonly notes: readonly string[];
}

const FALLBACK_CIDR = '10.0.0.0/24';
const SMALLEST_PREFIX = 27;

/** Gives every config a place: its own address where it has one, a DHCP lease that suits it otherwise. */
export class Layout {
  readonly networks: NetworkSpec[] = [];
  /** Addresses that no machine and no station may take: shared ones, and endpoints. */
  readonly reserved = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #shared = new Set<string>();

  constructor(configs: readonly TriedConfig[]) {
    for (const { settings, legacy } of configs) {
      for (const device of devicesOf(legacy)) {
        const own = staticAddress(device);
        if (own !== undefined) this.#taken.add(withoutPrefix(own));
        if (vipOf(device) !== '') this.#shared.add(vipOf(device));
      }
      const { host } = settings.cluster.endpoint;
      if (parseIpv4(host) !== undefined) this.reserved.add(host);
    }
    for (const address of this.#shared) this.reserved.add(address);
  }

  place(config: TriedConfig): Placement {
    const devices = devicesOf(config.legacy);
    const device = primaryDevice(devices);
    const notes = deviceNotes(devices, device);
    const card = cardOf(device);
    const own = device === undefined ? undefined : staticAddress(device);
    if (own !== undefined) {
      return { address: withoutPrefix(own), network: this.#network(own, gatewayOf(device!)).name, card, notes };
    }
    const lease = this.#lease(config);
    this.#taken.add(lease.address);
    const network = this.#network(lease.cidr, undefined).name;
    return { address: lease.address, network, card, notes: [`DHCP gives it ${lease.address}: ${lease.why}`, ...notes] };
  }

  /** A lease that fits what the config says elsewhere about its network. */
  #lease({ settings }: TriedConfig): { readonly address: string; readonly cidr: string; readonly why: string } {
    const { host } = settings.cluster.endpoint;
    const isFree = parseIpv4(host) !== undefined && !this.#shared.has(host) && !this.#taken.has(host);
    if (settings.machineType !== 'worker' && isFree) {
      return { address: host, cidr: `${host}/24`, why: 'the endpoint is this address, and no link has one' };
    }
    const hints = [
      ...settings.machine.kubelet.validSubnets,
      ...(settings.cluster.etcd?.advertisedSubnets ?? []),
      ...[...this.reserved].map((address) => `${address}/24`),
    ];
    const cidr = hints.find(isRoomy);
    return cidr === undefined
      ? { address: this.#free(FALLBACK_CIDR), cidr: FALLBACK_CIDR, why: 'the config does not tell its network' }
      : { address: this.#free(cidr), cidr, why: `the config speaks of ${cidr}` };
  }

  #free(cidr: string): string {
    const first = firstOf(cidr);
    for (let offset = 10; ; offset++) {
      const address = ipv4Text(first + offset);
      if (!this.#taken.has(address) && !this.reserved.has(address)) return address;
    }
  }

  /** The segment of a prefix, with a router: at the gateway of the config, or where nobody is. */
  #network(cidr: string, gateway: string | undefined): NetworkSpec {
    const parsed = parseCidr(cidr)!;
    const known = this.networks.find((network) => cidrContains(parseCidr(network.cidr)!, parsed.base));
    if (known !== undefined) return known;
    const first = firstOf(cidr);
    const candidates = [1, 2, 3, 4, 5].map((offset) => ipv4Text(first + offset));
    const usable = gateway !== undefined && cidrContains(parsed, parseIpv4(gateway)!) ? [gateway] : [];
    const router = [...usable, ...candidates].find(
      (address) => !this.#taken.has(address) && !this.reserved.has(address),
    );
    const network: NetworkSpec = {
      name: `lan-${this.networks.length + 1}`,
      cidr: `${ipv4Text(first)}/${parsed.prefixLength}`,
      ...(router !== undefined && { gateway: router }),
    };
    this.networks.push(network);
    return network;
  }
}

function withoutPrefix(cidr: string): string {
  return cidr.slice(0, cidr.indexOf('/'));
}

/** Networks too small for a machine, a router and an operator are no hint. */
function isRoomy(cidr: string): boolean {
  const parsed = parseCidr(cidr);
  return parsed !== undefined && parsed.prefixLength <= SMALLEST_PREFIX && parsed.prefixLength > 0;
}

/** The network address of a prefix as a number. */
function firstOf(cidr: string): number {
  const { base, prefixLength } = parseCidr(cidr)!;
  const hostBits = 32 - prefixLength;
  return hostBits === 32 ? 0 : ((base >>> hostBits) << hostBits) >>> 0;
}

function ipv4Text(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}
