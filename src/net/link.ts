import type { LinkInfo } from '../platform/net.ts';
import { type Cidr, contains } from './address.ts';
import { ARP_SIZE_BYTES, ArpFrame } from './arp.ts';
import type { NetKernel } from './kernel.ts';
import { Neighbour } from './neighbour.ts';
import type { Nic } from './nic.ts';
import type { Packet } from './packet.ts';

/** A kernel's view of one network card: addresses, neighbours, up or down. */
export class Link {
  readonly kernel: NetKernel;
  readonly name: string;
  readonly nic: Nic;
  adminUp = true;
  mtuBytes: number;
  readonly addresses: Cidr[] = [];
  #neighbours = new Map<string, Neighbour>();

  constructor(kernel: NetKernel, nic: Nic) {
    this.kernel = kernel;
    this.nic = nic;
    this.name = nic.linkName;
    this.mtuBytes = nic.mtuBytes;
  }

  get info(): LinkInfo {
    return {
      name: this.name,
      mac: this.nic.mac,
      up: this.adminUp && this.nic.plugged,
      mtuBytes: this.mtuBytes,
      addresses: this.addresses.map((cidr) => cidr.text),
      physical: true,
    };
  }

  neighbour(address: string): Neighbour {
    let entry = this.#neighbours.get(address);
    if (entry === undefined) {
      entry = new Neighbour(this, address);
      this.#neighbours.set(address, entry);
    }
    return entry;
  }

  /** The ARP cache, for tests and views. */
  neighbours(): readonly Neighbour[] {
    return [...this.#neighbours.values()];
  }

  forgetNeighbours(): void {
    for (const entry of this.#neighbours.values()) entry.forget();
    this.#neighbours.clear();
    this.kernel.neighboursChanged();
  }

  /** The address to speak with towards `target`: the first in the same network, else the first of its family. */
  sourceFor(target: string): string | undefined {
    const bytes = this.kernel.network.bytesOf(target);
    let first: string | undefined;
    for (const cidr of this.addresses) {
      if (cidr.bytes.length !== bytes.length) continue;
      if (contains(cidr, bytes)) return cidr.address;
      first ??= cidr.address;
    }
    return first;
  }

  /** Sends a packet to a neighbour whose card is known. */
  emit(packet: Packet, neighbour: Neighbour): void {
    const to = this.nic.segment.byMac(neighbour.mac);
    if (to === undefined || !this.adminUp) packet.lost();
    else this.nic.send(packet, to);
  }

  /** Asks who has an address: everybody, or (to probe) one card. */
  ask(address: string, mac: string | undefined): void {
    const source = this.sourceFor(address) ?? '0.0.0.0';
    for (const nic of this.nic.segment.nics) {
      if (nic === this.nic) continue;
      if (mac === undefined ? !this.#concerns(nic, source, address) : nic.mac !== mac) continue;
      this.#sendArp('request', source, address, nic);
    }
  }

  /** Tells everybody that this card has an address now. */
  announce(address: string): void {
    for (const nic of this.nic.segment.nics) {
      if (nic === this.nic || this.kernel.network.losesAnnouncements(nic.node)) continue;
      if (nic.link?.wouldLearn(address, this.nic.mac) === true) this.#sendArp('announcement', address, address, nic);
    }
  }

  /** Whether hearing that `mac` has an address would change anything here. */
  wouldLearn(address: string, mac: string): boolean {
    const entry = this.#neighbours.get(address);
    return entry !== undefined && entry.mac !== mac;
  }

  #sendArp(kind: ArpFrame['kind'], sender: string, target: string, to: Nic): void {
    const network = this.kernel.network;
    const lane = this.nic.laneTo(to);
    if (!this.adminUp || !this.nic.plugged || lane.blocked || lane.clogged || lane.loses(1, 'arp')) return;
    const frame = new ArpFrame(kind, this.nic, sender, target, to, lane);
    const { scheduler } = network.deps;
    scheduler.post(lane.delayUs(scheduler.nowUs(), ARP_SIZE_BYTES, 'arp'), frame);
  }

  hearArp(frame: ArpFrame): void {
    const nowUs = this.kernel.network.deps.scheduler.nowUs();
    if (frame.kind === 'reply') {
      this.#neighbours.get(frame.senderAddress)?.answered(frame.senderMac, nowUs);
      return;
    }
    const isForUs = frame.kind === 'request' && this.kernel.answersFor(frame.targetAddress);
    const entry = isForUs ? this.neighbour(frame.senderAddress) : this.#neighbours.get(frame.senderAddress);
    entry?.heard(frame.senderMac, nowUs, frame.kind === 'announcement');
    if (!isForUs) return;
    const asker = this.nic.segment.byMac(frame.senderMac);
    if (asker !== undefined) this.#sendArp('reply', frame.targetAddress, frame.senderAddress, asker);
  }

  /** A broadcast question matters to owners of the address and to those who believe another card has the asker's. */
  #concerns(nic: Nic, asker: string, address: string): boolean {
    const link = nic.link;
    return link !== undefined && (link.kernel.answersFor(address) || link.wouldLearn(asker, this.nic.mac));
  }
}
