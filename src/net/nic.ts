import type { NetKernel } from './kernel.ts';
import type { Lane } from './lane.ts';
import type { Link } from './link.ts';
import type { Network } from './network.ts';
import type { Packet } from './packet.ts';
import type { Segment } from './segment.ts';

/** A network card: it stays when the kernel above it goes. */
export class Nic {
  readonly network: Network;
  readonly node: string;
  readonly linkName: string;
  readonly mac: string;
  readonly segment: Segment;
  readonly mtuBytes: number;
  /** The cable is in. */
  plugged = true;
  /** The link of the kernel that runs now. */
  link: Link | undefined;
  #lanes = new Map<Nic, Lane>();

  constructor(network: Network, node: string, linkName: string, mac: string, segment: Segment, mtuBytes: number) {
    this.network = network;
    this.node = node;
    this.linkName = linkName;
    this.mac = mac;
    this.segment = segment;
    this.mtuBytes = mtuBytes;
  }

  /** Kernel that would take a frame now. */
  get kernel(): NetKernel | undefined {
    const link = this.link;
    if (link === undefined || !this.plugged || !link.adminUp || link.kernel.frozen) return undefined;
    return link.kernel;
  }

  /** The directed link to another card of the segment, as the active faults make it. */
  laneTo(other: Nic): Lane {
    let lane = this.#lanes.get(other);
    if (lane === undefined) {
      lane = this.segment.makeLane(this.node, other.node);
      this.#lanes.set(other, lane);
    }
    lane.refresh(this.network.rules);
    return lane;
  }

  /** Puts a frame on the wire to another card. */
  send(packet: Packet, to: Nic): void {
    const lane = this.laneTo(to);
    packet.nic = to;
    packet.lane = lane;
    if (!this.plugged || lane.blocked || lane.loses(this.#frames(packet), packet.messageClass)) {
      packet.lost();
      return;
    }
    if (lane.clogged) {
      this.network.park(lane, packet);
      packet.lost();
      return;
    }
    this.network.launch(packet, lane);
    if (lane.duplicates(packet.messageClass)) this.network.launch(packet.copy(), lane);
  }

  #frames(packet: Packet): number {
    return packet.kind === 'datagram' ? Math.ceil(packet.sizeBytes / (this.link?.mtuBytes ?? this.mtuBytes)) : 1;
  }

  /** A frame reaches this card. */
  arrived(packet: Packet, lane: Lane): void {
    lane.refresh(this.network.rules);
    const kernel = this.kernel;
    if (lane.blocked || kernel === undefined) packet.lost();
    else kernel.input(packet);
  }
}
