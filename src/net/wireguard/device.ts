import type { Endpoint, LinkInfo, WireguardConfig, WireguardPeerState } from '../../platform/net.ts';
import type { Random } from '../../platform/random.ts';
import { type Cidr, contains, requireCidr } from '../address.ts';
import { HEADER_BYTES } from '../datagram.ts';
import type { NetKernel } from '../kernel.ts';
import { Packet } from '../packet.ts';
import { messageSizeBytes, type WireguardMessage } from './messages.ts';
import { WireguardPeer } from './peer.ts';

interface Allowed {
  readonly network: Cidr;
  readonly peer: WireguardPeer;
}

/**
 * A WireGuard link of one kernel. A packet that it takes goes to the peer in whose allowed networks the target is, inside
 * a datagram from the listening port; what comes out of a datagram must be from a network of the peer that sent it.
 */
export class WireguardDevice {
  readonly kernel: NetKernel;
  readonly name: string;
  readonly addresses: Cidr[] = [];
  readonly draws: Random;
  adminUp = true;
  mtuBytes: number;
  #publicKey: string;
  #listenPort = 0;
  #peers = new Map<string, WireguardPeer>();
  #byIndex = new Map<number, WireguardPeer>();
  /** Longest prefix first. */
  #allowed: readonly Allowed[] = [];
  #diverted: readonly Cidr[] = [];
  /** Whom packets for an address go to; null: they do not come here. Empties when anything changes. */
  #decisions = new Map<string, WireguardPeer | 'nobody' | null>();

  /** NetError `address-in-use` when the port is taken. */
  constructor(kernel: NetKernel, name: string, config: WireguardConfig) {
    this.kernel = kernel;
    this.name = name;
    this.draws = kernel.random.stream(`wireguard/${name}`);
    this.mtuBytes = config.mtuBytes;
    this.#publicKey = config.publicKey;
    this.configure(config);
  }

  get publicKey(): string {
    return this.#publicKey;
  }

  get info(): LinkInfo {
    return {
      name: this.name,
      mac: '',
      up: this.adminUp,
      mtuBytes: this.mtuBytes,
      addresses: this.addresses.map((cidr) => cidr.text),
      physical: false,
      kind: 'wireguard',
    };
  }

  get peers(): readonly WireguardPeerState[] {
    return [...this.#peers.values()].map((peer) => peer.state);
  }

  configure(config: WireguardConfig): void {
    if (config.publicKey !== this.#publicKey) this.#removePeers(() => true);
    this.#publicKey = config.publicKey;
    this.mtuBytes = config.mtuBytes;
    this.#listen(config.listenPort);
    this.#removePeers((key) => !config.peers.some((peer) => peer.publicKey === key));
    for (const peer of config.peers) {
      const known = this.#peers.get(peer.publicKey);
      if (known === undefined) this.#peers.set(peer.publicKey, new WireguardPeer(this, peer));
      else known.configure(peer);
    }
    this.#allowed = [...this.#peers.values()]
      .flatMap((peer) => peer.allowedIps.map((text) => ({ network: requireCidr(text), peer })))
      .sort((a, b) => b.network.prefixBits - a.network.prefixBits);
    this.changed();
  }

  #removePeers(isGone: (publicKey: string) => boolean): void {
    for (const [key, peer] of this.#peers) {
      if (!isGone(key)) continue;
      peer.end();
      this.#peers.delete(key);
    }
  }

  #listen(port: number): void {
    if (port === this.#listenPort) return;
    const { datagrams } = this.kernel.host;
    datagrams.claim('::', port);
    if (this.#listenPort !== 0) datagrams.remove('::', this.#listenPort);
    datagrams.add('::', port, this);
    this.#listenPort = port;
  }

  divert(networks: readonly Cidr[]): void {
    this.#diverted = networks;
    this.changed();
  }

  /** Addresses, peers or diverted networks are others now. */
  changed(): void {
    this.#decisions.clear();
    this.kernel.network.changed();
  }

  /** Whether what goes to an address leaves by this link. */
  takes(address: string): boolean {
    return this.#peerFor(address) !== null;
  }

  #peerFor(address: string): WireguardPeer | 'nobody' | null {
    let decision = this.#decisions.get(address);
    if (decision === undefined) {
      decision = this.#decide(this.kernel.network.bytesOf(address));
      this.#decisions.set(address, decision);
    }
    return decision;
  }

  #decide(bytes: Uint8Array): WireguardPeer | 'nobody' | null {
    const has = (network: Cidr): boolean => contains(network, bytes);
    if (!this.adminUp || !(this.addresses.some(has) || this.#diverted.some(has))) return null;
    return this.#allowed.find(({ network }) => has(network))?.peer ?? 'nobody';
  }

  /** The address to speak with towards what is on the link itself; what is diverted to it keeps the address of its route. */
  sourceFor(target: string): string | undefined {
    const bytes = this.kernel.network.bytesOf(target);
    return this.addresses.find((network) => contains(network, bytes))?.address;
  }

  /** A packet of this machine that {@link takes} said yes to. */
  send(packet: Packet): void {
    const peer = this.#peerFor(packet.to.address);
    if (peer === null || peer === 'nobody') packet.unreachable(this.kernel);
    else peer.send(packet);
  }

  /** Sends a message of a peer by the routes alone. When it gets lost, so does what it carries. */
  emit(message: WireguardMessage, to: Endpoint): void {
    const { kernel } = this;
    const inner = message.type === 'transport' ? message.inner : undefined;
    const source = kernel.host.routedSourceFor(to.address);
    if (source === undefined) {
      inner?.lost();
      return;
    }
    const sizeBytes = messageSizeBytes(message);
    const packet = new Packet({
      kind: 'datagram',
      from: { address: source, port: this.#listenPort },
      to,
      origin: kernel.host,
      payload: { object: message, sizeBytes },
      sizeBytes: sizeBytes + HEADER_BYTES,
      watcher: inner === undefined ? undefined : { lost: () => inner.lost() },
    });
    kernel.transmitByRoute(packet);
  }

  /** A datagram for the listening port. */
  input(packet: Packet): void {
    const message = this.adminUp ? messageIn(packet) : undefined;
    if (message === undefined) packet.lost();
    else if (message.type === 'initiation') this.#initiated(message, packet.from);
    else if (message.type === 'response') this.#byIndex.get(message.receiver)?.answered(message, packet.from);
    else this.#opened(message, packet);
  }

  #initiated(message: Extract<WireguardMessage, { type: 'initiation' }>, from: Endpoint): void {
    if (message.to === this.publicKey) this.#peers.get(message.from)?.initiated(message, from);
  }

  #opened(message: Extract<WireguardMessage, { type: 'transport' }>, packet: Packet): void {
    const peer = this.#byIndex.get(message.receiver);
    const inner = peer?.opened(message, packet.from);
    if (inner === undefined) packet.lost();
    if (inner === undefined || inner === null) return;
    const source = this.kernel.network.bytesOf(inner.from.address);
    const sender = this.#allowed.find(({ network }) => contains(network, source))?.peer;
    if (sender === peer) this.kernel.input(inner);
    else inner.lost();
  }

  // For peers.

  /** An index that none of this device's sessions has. */
  claimIndex(peer: WireguardPeer): number {
    let index = this.draws.uint32();
    while (this.#byIndex.has(index)) index = this.draws.uint32();
    this.#byIndex.set(index, peer);
    return index;
  }

  release(index: number | undefined): void {
    if (index !== undefined) this.#byIndex.delete(index);
  }

  /** The link is taken away. */
  remove(): void {
    this.#removePeers(() => true);
    this.kernel.host.datagrams.remove('::', this.#listenPort);
  }

  /** The kernel is gone; its timers are, too. */
  vanish(): void {
    this.#peers.clear();
    this.#byIndex.clear();
  }
}

function messageIn(packet: Packet): WireguardMessage | undefined {
  const { payload } = packet;
  if (payload === undefined || payload instanceof Uint8Array) return undefined;
  const { object } = payload;
  return isMessage(object) ? object : undefined;
}

function isMessage(object: unknown): object is WireguardMessage {
  if (typeof object !== 'object' || object === null || !('type' in object)) return false;
  return object.type === 'initiation' || object.type === 'response' || object.type === 'transport';
}
