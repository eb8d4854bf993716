import { Bug, NetError } from '../platform/errors.ts';
import type { Route, WireguardConfig } from '../platform/net.ts';
import { canonicalAddress, requireCidr } from './address.ts';
import { addressAdded, addressAnnounced, addressRemoved, linkChanged } from './events.ts';
import type { NetKernel } from './kernel.ts';
import { Link } from './link.ts';
import type { Namespace } from './namespace.ts';
import { WireguardDevice } from './wireguard/device.ts';

/** What a machine's supervisor sets in its kernel: links, their addresses, routes. Whoever listens is told of each change. */
export class LinkSettings {
  readonly #kernel: NetKernel;
  /** Who takes packets to an address. */
  readonly #owners: Map<string, Namespace>;

  constructor(kernel: NetKernel, owners: Map<string, Namespace>) {
    this.#kernel = kernel;
    this.#owners = owners;
  }

  link(name: string): Link {
    const link = this.#kernel.links.find((candidate) => candidate.name === name);
    if (link === undefined) throw new NetError('address-not-available', `no link ${name}`);
    return link;
  }

  /** A card, or the WireGuard link. */
  #anyLink(name: string): Link | WireguardDevice {
    return this.#kernel.tunnel?.name === name ? this.#kernel.tunnel : this.link(name);
  }

  addAddress(linkName: string, text: string): void {
    const link = this.#anyLink(linkName);
    const cidr = requireCidr(text);
    if (link.addresses.some((other) => other.text === cidr.text)) return;
    link.addresses.push(cidr);
    this.#owners.set(cidr.address, this.#kernel.host);
    this.#kernel.report(addressAdded, () => ({ link: linkName, address: cidr.text }));
    this.#changed();
  }

  removeAddress(linkName: string, text: string): void {
    const link = this.#anyLink(linkName);
    const cidr = requireCidr(text);
    const at = link.addresses.findIndex((other) => other.text === cidr.text);
    if (at < 0) return;
    link.addresses.splice(at, 1);
    const isHeldElsewhere = this.#kernel.links.some((other) => other.addresses.some((a) => a.address === cidr.address));
    if (!isHeldElsewhere) this.#owners.delete(cidr.address);
    this.#kernel.report(addressRemoved, () => ({ link: linkName, address: cidr.text }));
    this.#changed();
  }

  setLinkUp(linkName: string, up: boolean): void {
    const link = this.#anyLink(linkName);
    if (link.adminUp === up) return;
    link.adminUp = up;
    this.carrierChanged(link);
  }

  /** Carrier or administrative state of a link changed. */
  carrierChanged(link: Link | WireguardDevice): void {
    const up = link.info.up;
    if (!up && link instanceof Link) link.forgetNeighbours();
    this.#kernel.report(linkChanged, () => ({ link: link.name, up }));
    this.#changed();
  }

  setMtu(linkName: string, mtuBytes: number): void {
    this.#anyLink(linkName).mtuBytes = mtuBytes;
    this.#changed();
  }

  setWireguard(name: string, config: WireguardConfig | undefined): void {
    const { tunnel } = this.#kernel;
    if (config === undefined) {
      if (tunnel?.name !== name) return;
      for (const { text } of [...tunnel.addresses]) this.removeAddress(name, text);
      tunnel.remove();
      this.#kernel.tunnel = undefined;
    } else if (tunnel?.name === name) {
      tunnel.configure(config);
      return;
    } else {
      if (tunnel !== undefined) throw new Bug(`a machine has one WireGuard link: ${tunnel.name}, not also ${name}`);
      this.#kernel.tunnel = new WireguardDevice(this.#kernel, name, config);
    }
    this.#changed();
  }

  addRoute(route: Route): void {
    this.link(route.link);
    if (this.#kernel.routeTable.add(route)) this.#changed();
  }

  removeRoute(route: Route): void {
    if (this.#kernel.routeTable.remove(route)) this.#changed();
  }

  announce(linkName: string, text: string): void {
    const link = this.link(linkName);
    const address = canonicalAddress(text);
    this.#kernel.report(addressAnnounced, () => ({ link: linkName, address, mac: link.nic.mac }));
    link.announce(address);
  }

  #changed(): void {
    this.#kernel.network.changed();
    this.#kernel.tunnel?.changed();
    for (const process of [...this.#kernel.processes]) process.notifyChange();
  }
}
