import { NetError } from '../platform/errors.ts';
import type { Endpoint } from '../platform/net.ts';
import { isLoopback, isUnspecified } from './address.ts';
import type { DatagramReceiver } from './datagram.ts';
import type { NetKernel } from './kernel.ts';
import type { Lane } from './lane.ts';
import { Packet } from './packet.ts';
import { PortTable } from './ports.ts';
import type { TcpListener } from './tcp/listener.ts';
import type { TcpSocket } from './tcp/socket.ts';

/** A network namespace: ports, connections and a loopback of its own. The machine has one, every pod sandbox another. */
export class Namespace {
  readonly kernel: NetKernel;
  readonly name: string;
  readonly loopback: Lane;
  readonly listeners: PortTable<TcpListener>;
  readonly datagrams: PortTable<DatagramReceiver>;
  /** The only address of a pod; undefined for the machine's own namespace. */
  readonly podAddress: string | undefined;
  #connections = new Map<string, TcpSocket>();

  constructor(kernel: NetKernel, name: string, loopback: Lane, podAddress?: string) {
    this.kernel = kernel;
    this.name = name;
    this.loopback = loopback;
    this.podAddress = podAddress;
    const draws = kernel.random.stream(`${name}/ports`);
    this.listeners = new PortTable('tcp', draws.uint32());
    this.datagrams = new PortTable('udp', draws.uint32());
  }

  /** Whether packets to the address stay inside the kernel. */
  isLocalTarget(address: string): boolean {
    return isLoopback(address) || this.kernel.ownerOf(address) !== undefined;
  }

  /** Whether a socket here may use the address as its own. */
  isOwn(address: string): boolean {
    return isLoopback(address) || this.kernel.ownerOf(address) === this;
  }

  /** NetError `address-not-available` unless a socket may be bound to it. */
  requireOwn(address: string): void {
    if (isUnspecified(address) || this.isOwn(address)) return;
    throw new NetError('address-not-available', `bind ${address}: cannot assign requested address`);
  }

  /** The address to speak with towards `target`; undefined when there is no route. */
  sourceFor(target: string): string | undefined {
    if (isLoopback(target)) return target === '::1' ? '::1' : '127.0.0.1';
    if (this.podAddress !== undefined) return this.podAddress;
    if (this.kernel.ownerOf(target) === this) return target;
    if (this.kernel.ownerOf(target) !== undefined) return this.kernel.firstAddress(target);
    return this.kernel.tunnel?.sourceFor(target) ?? this.routedSourceFor(target);
  }

  /** Like {@link sourceFor} for another machine, by the routes alone. */
  routedSourceFor(target: string): string | undefined {
    const { kernel } = this;
    const hop = kernel.routeTable.lookup(target, kernel.network.bytesOf(target), kernel.links);
    return hop?.link.sourceFor(hop.address);
  }

  register(socket: TcpSocket): void {
    this.#connections.set(connectionKey(socket.local, socket.remote), socket);
  }

  forget(socket: TcpSocket): void {
    const key = connectionKey(socket.local, socket.remote);
    if (this.#connections.get(key) === socket) this.#connections.delete(key);
  }

  /** A local port for a dial: one that makes the four values of the connection unique. */
  portFor(local: string, remote: Endpoint): number {
    return this.listeners.freePort((port) => !this.#connections.has(connectionKey({ address: local, port }, remote)));
  }

  stopListening(listener: TcpListener): void {
    this.listeners.remove(listener.local.address, listener.local.port);
  }

  /** Number of connections the kernel knows of, for tests and views. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** A packet to one of the addresses here. */
  input(packet: Packet): void {
    if (packet.kind === 'datagram') {
      const receiver = this.datagrams.find(packet.to.address, packet.to.port);
      if (receiver === undefined) packet.lost();
      else receiver.input(packet);
      return;
    }
    const socket = this.#connections.get(connectionKey(packet.to, packet.from));
    if (socket !== undefined && !this.#isReplacedBy(packet, socket)) socket.input(packet);
    else if (packet.kind === 'syn') this.#inputSyn(packet);
    else this.answerWithReset(packet);
  }

  /** A SYN of another incarnation of the peer ends what this kernel still takes for a connection. */
  #isReplacedBy(packet: Packet, socket: TcpSocket): boolean {
    if (packet.kind !== 'syn' || packet.socket === socket.peerSocket) return false;
    socket.broke('reset');
    return true;
  }

  #inputSyn(packet: Packet): void {
    const listener = this.listeners.find(packet.to.address, packet.to.port);
    if (listener === undefined) this.answerWithReset(packet);
    else listener.input(packet);
  }

  /** Nobody here knows the connection. */
  answerWithReset(packet: Packet): void {
    if (packet.kind === 'rst') return;
    this.kernel.transmit(
      new Packet({ kind: 'rst', from: packet.to, to: packet.from, origin: this, target: packet.socket }),
    );
  }

  /** Everything here is gone at once, silently. */
  vanish(): void {
    for (const socket of [...this.#connections.values()]) socket.vanish();
    for (const listener of this.listeners.all()) listener.vanish();
    for (const socket of this.datagrams.all()) socket.vanish();
    this.#connections.clear();
  }
}

function connectionKey(local: Endpoint, remote: Endpoint): string {
  return `${local.address}|${local.port}|${remote.address}|${remote.port}`;
}
