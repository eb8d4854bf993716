import type { Timer } from '../platform/clock.ts';
import { NetError } from '../platform/errors.ts';
import type { EventFields, EventKind, Log } from '../platform/log.ts';
import type { LinkInfo, MachineNet } from '../platform/net.ts';
import type { Random } from '../platform/random.ts';
import { canonicalAddress, familyOf } from './address.ts';
import type { SocketOwner } from './deps.ts';
import { neighbourFailed, neighbourLearned } from './events.ts';
import { KernelTimers } from './kernel-timers.ts';
import { Lane } from './lane.ts';
import { loopbackLatency } from './latency.ts';
import { Link } from './link.ts';
import { LinkSettings } from './link-settings.ts';
import { PUBLIC_NAMESERVERS } from './names.ts';
import { Namespace } from './namespace.ts';
import type { Nat } from './nat/nat.ts';
import type { Neighbour } from './neighbour.ts';
import type { Network } from './network.ts';
import type { Nic } from './nic.ts';
import type { Packet } from './packet.ts';
import { podControl } from './pod.ts';
import { processNet, SocketProcess } from './process.ts';
import { RouteTable } from './routes.ts';
import { LOOPBACK_INFO, MachineSocketApi } from './socket-api.ts';
import type { KernelControl, PodControl, ProcessNet } from './types.ts';
import type { WireguardDevice } from './wireguard/device.ts';

const LOOPBACK_BANDWIDTH_BYTES_PER_SEC = 5_000_000_000;
/** Host routes keep their own loopback speed for the life of a kernel: drawn once, one way. */
const LOOPBACK_MIN_US = 12;
const LOOPBACK_MAX_US = 52;

/** The network part of one incarnation of a machine's kernel: links, addresses, routes, neighbours, sockets. */
export class NetKernel implements KernelControl {
  readonly network: Network;
  readonly node: string;
  /** Passes packets on that are for somebody else. */
  readonly forwards: boolean;
  readonly links: readonly Link[];
  readonly routeTable = new RouteTable();
  readonly random: Random;
  readonly neighbourDraws: Random;
  readonly nameDraws: Random;
  readonly host: Namespace;
  readonly processes = new Set<SocketProcess>();
  /** Whom its processes ask for names. */
  nameservers: readonly string[] = PUBLIC_NAMESERVERS;
  /** Set on routers that translate addresses. */
  nat: Nat | undefined;
  /** The WireGuard link, where there is one. */
  tunnel: WireguardDevice | undefined;
  /** Counts changes of the ARP caches: paths that relied on an older one are looked up again. */
  neighbourVersion = 0;
  alive = true;
  frozen = false;
  #loopbackUs: number;
  #owners = new Map<string, Namespace>();
  readonly settings: LinkSettings;
  #timers: KernelTimers;
  #log: Log;

  constructor(network: Network, node: string, nics: readonly Nic[], random: Random, forwards: boolean) {
    this.network = network;
    this.node = node;
    this.forwards = forwards;
    this.random = random;
    this.neighbourDraws = random.stream('neighbours');
    this.nameDraws = random.stream('names');
    this.#loopbackUs = random.stream('loopback').int(LOOPBACK_MIN_US, LOOPBACK_MAX_US);
    this.#timers = new KernelTimers(network.deps.scheduler);
    this.#log = network.deps.log.child(node);
    this.host = this.#makeNamespace('host');
    this.links = nics.map((nic) => new Link(this, nic));
    for (const link of this.links) link.nic.link = link;
    this.settings = new LinkSettings(this, this.#owners);
  }

  #makeNamespace(name: string, podAddress?: string): Namespace {
    const base = {
      latency: loopbackLatency(this.#loopbackUs),
      bandwidthBytesPerSec: LOOPBACK_BANDWIDTH_BYTES_PER_SEC,
    };
    const lane = new Lane(this.node, this.node, base, this.random.stream(`${name}/lo`));
    return new Namespace(this, name, lane, podAddress);
  }

  nowUs(): number {
    return this.network.deps.scheduler.nowUs();
  }

  /** A timer of this kernel: waits while the machine is frozen, never fires once it is gone. */
  schedule(delayUs: number, callback: () => void): Timer {
    return this.#timers.schedule(delayUs, callback);
  }

  // Addresses.

  /** The namespace that takes packets to an address; undefined when no address of this machine is meant. */
  ownerOf(address: string): Namespace | undefined {
    return this.#owners.get(address);
  }

  /** Whether ARP requests for the address are answered: any address of the machine on any link, as Linux does. */
  answersFor(address: string): boolean {
    return this.#owners.get(address) === this.host;
  }

  /** An address of the machine in the family of `like`. */
  firstAddress(like: string): string | undefined {
    const family = familyOf(like);
    for (const link of this.links) {
      for (const cidr of link.addresses) if (familyOf(cidr.address) === family) return cidr.address;
    }
    return undefined;
  }

  linkInfos(): readonly LinkInfo[] {
    const cards = this.links.map((link) => link.info);
    return [LOOPBACK_INFO, ...cards, ...(this.tunnel === undefined ? [] : [this.tunnel.info])];
  }

  neighboursChanged(): void {
    this.neighbourVersion++;
  }

  reportNeighbour(entry: Neighbour): void {
    const link = entry.link.name;
    const { address, mac } = entry;
    if (entry.state === 'failed') this.report(neighbourFailed, () => ({ link, address }));
    else this.report(neighbourLearned, () => ({ link, address, mac }));
  }

  /** Logs an event of this node; its fields are only made when somebody wants it. */
  report<F extends EventFields>(kind: EventKind<F>, fields: () => F): void {
    if (this.network.deps.wants(kind)) this.#log.event(kind, fields());
  }

  // Packets.

  /** Sends a packet of a socket of this kernel. */
  transmit(packet: Packet): void {
    if (!this.alive || this.frozen) packet.lost();
    else if (packet.origin.isLocalTarget(packet.to.address)) this.network.launch(packet, packet.origin.loopback);
    else if (this.ownerOf(packet.from.address) !== packet.origin) packet.lost();
    else if (this.tunnel?.takes(packet.to.address) === true) this.tunnel.send(packet);
    else this.#forward(packet);
  }

  /** Like {@link transmit} for what a tunnel has wrapped already. */
  transmitByRoute(packet: Packet): void {
    if (!this.alive || this.frozen) packet.lost();
    else this.#forward(packet);
  }

  #forward(packet: Packet): void {
    const target = packet.to.address;
    const hop = this.routeTable.lookup(target, this.network.bytesOf(target), this.links);
    if (hop === undefined) {
      packet.unreachable(this);
      return;
    }
    const neighbour = hop.link.neighbour(hop.address);
    if (neighbour.use(this.nowUs())) hop.link.emit(packet, neighbour);
    else neighbour.enqueue(packet);
  }

  /** A packet of this kernel to itself arrives. */
  arrivedLocally(packet: Packet): void {
    if (!this.alive || this.frozen) {
      packet.lost();
      return;
    }
    const target = this.#owners.get(packet.to.address) ?? packet.origin;
    if (target.isOwn(packet.to.address)) target.input(packet);
    else packet.lost();
  }

  /** A packet arrives at one of the links. */
  input(packet: Packet): void {
    if (this.nat !== undefined) this.#inputTranslated(packet, this.nat);
    else this.#input(packet);
  }

  #inputTranslated(packet: Packet, nat: Nat): void {
    const translated = nat.pass(packet, this.nowUs());
    if (translated === undefined) packet.lost();
    else this.#input(translated);
  }

  #input(packet: Packet): void {
    const target = this.#owners.get(packet.to.address);
    if (target !== undefined) target.input(packet);
    else if (this.forwards && --packet.hopsLeft > 0) this.#forward(packet);
    else packet.lost();
  }

  // Life and death.

  openProcess(owner: SocketOwner): ProcessNet<MachineNet> {
    const process = new SocketProcess(owner, this.host);
    this.processes.add(process);
    return processNet<MachineNet>(process, new MachineSocketApi(process));
  }

  addPod(text: string): PodControl {
    const address = canonicalAddress(text);
    if (this.#owners.has(address)) throw new NetError('address-in-use', `pod address ${address} is taken`);
    const namespace = this.#makeNamespace(`pod/${address}`, address);
    this.#owners.set(address, namespace);
    this.network.changed();
    return podControl(namespace, address, () => {
      if (this.#owners.get(address) !== namespace) return;
      this.#owners.delete(address);
      namespace.vanish();
      this.network.changed();
    });
  }

  powerOff(): void {
    if (!this.alive) return;
    this.alive = false;
    this.#timers.end();
    for (const link of this.links) {
      if (link.nic.link === link) link.nic.link = undefined;
    }
    for (const namespace of new Set([this.host, ...this.#owners.values()])) namespace.vanish();
    this.#owners.clear();
    this.processes.clear();
    this.network.changed();
  }

  freeze(): void {
    if (this.frozen || !this.alive) return;
    this.frozen = true;
    this.#timers.hold();
    this.network.changed();
  }

  thaw(): void {
    if (!this.frozen) return;
    this.frozen = false;
    this.network.changed();
    this.#timers.release();
  }
}
