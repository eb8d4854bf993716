import type { Endpoint, Segment } from '../platform/net.ts';
import type { Due } from './deps.ts';
import type { NetKernel } from './kernel.ts';
import type { Lane, MessageClass } from './lane.ts';
import type { Namespace } from './namespace.ts';
import type { Nic } from './nic.ts';
import type { Outgoing } from './tcp/outgoing.ts';
import type { TcpSocket } from './tcp/socket.ts';

export type PacketKind = 'syn' | 'syn-ack' | 'ack' | 'data' | 'probe' | 'rst' | 'datagram';

/** What is told when a packet will certainly not be answered: it then arms the timers that a healthy path can do without. */
export interface LossWatcher {
  lost(packet: Packet): void;
}

/** Size of a TCP segment without data, with options, in an Ethernet frame. */
const CONTROL_SIZE_BYTES = 66;

export interface PacketInit {
  readonly kind: PacketKind;
  readonly from: Endpoint;
  readonly to: Endpoint;
  /** Where it was sent from: loopback addresses stay in this namespace. */
  readonly origin: Namespace;
  readonly sizeBytes?: number | undefined;
  readonly socket?: TcpSocket | undefined;
  readonly target?: TcpSocket | undefined;
  readonly record?: Outgoing | undefined;
  readonly ackSeq?: number | undefined;
  readonly payload?: Segment | undefined;
  readonly watcher?: LossWatcher | undefined;
}

/**
 * A packet on its way outside the fast path of healthy connections: handshakes, acknowledgements that matter, resets,
 * probes, retransmissions, datagrams, and data on a link that is not plain.
 */
export class Packet implements Due {
  readonly kind: PacketKind;
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly origin: Namespace;
  readonly sizeBytes: number;
  /** The sending socket; stands for valid sequence numbers: only its real peer accepts the packet. */
  readonly socket: TcpSocket | undefined;
  /** The socket that the packet answers. */
  readonly target: TcpSocket | undefined;
  readonly record: Outgoing | undefined;
  /** All records up to this one were received. */
  readonly ackSeq: number;
  readonly payload: Segment | undefined;
  readonly watcher: LossWatcher | undefined;
  /** The lane it is on, and where that ends. */
  lane: Lane | undefined;
  nic: Nic | undefined;
  hopsLeft = 64;

  constructor(init: PacketInit) {
    this.kind = init.kind;
    this.from = init.from;
    this.to = init.to;
    this.origin = init.origin;
    this.sizeBytes = init.sizeBytes ?? CONTROL_SIZE_BYTES;
    this.socket = init.socket;
    this.target = init.target;
    this.record = init.record;
    this.ackSeq = init.ackSeq ?? -1;
    this.payload = init.payload;
    this.watcher = init.watcher;
  }

  get messageClass(): MessageClass {
    return this.kind === 'data' ? 'segment' : this.kind === 'datagram' ? 'datagram' : 'control';
  }

  get owner(): string {
    return `net/${this.from.address}>${this.to.address}/${this.kind}`;
  }

  /** It goes nowhere; whoever must know is told. */
  lost(): void {
    this.watcher?.lost(this);
  }

  /** `kernel` has no route, or no neighbour answers for the next hop. A router keeps that to itself. */
  unreachable(kernel: NetKernel): void {
    if (this.kind === 'syn' && kernel === this.origin.kernel) this.socket!.dialFailed('unreachable');
    else this.lost();
  }

  /** What keeps it behind earlier segments of its connection. */
  inOrder(atUs: number): number {
    return this.kind === 'data' || (this.kind === 'rst' && this.socket !== undefined)
      ? this.socket!.sendSide.inOrder(atUs)
      : atUs;
  }

  fire(): void {
    const lane = this.lane;
    const nic = this.nic;
    if (nic === undefined) {
      this.origin.kernel.arrivedLocally(this);
      return;
    }
    nic.arrived(this, lane!);
  }

  /** The same packet as it leaves a router that translates addresses. */
  readdressed(from: Endpoint, to: Endpoint): Packet {
    const twin = new Packet({ ...this, from, to });
    twin.hopsLeft = this.hopsLeft;
    return twin;
  }

  /** A second copy of a packet that is under way. */
  copy(): Packet {
    const twin = new Packet(this);
    twin.lane = this.lane;
    twin.nic = this.nic;
    twin.hopsLeft = this.hopsLeft;
    return twin;
  }
}
