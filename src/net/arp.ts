import type { Due } from './deps.ts';
import type { Lane } from './lane.ts';
import type { Nic } from './nic.ts';

/** ARP frame, or neighbour solicitation, padded to the smallest Ethernet frame. */
export const ARP_SIZE_BYTES = 64;

/** Who-has, is-at, or a gratuitous announcement, on its way to one card of the segment. */
export class ArpFrame implements Due {
  readonly kind: 'request' | 'reply' | 'announcement';
  readonly senderAddress: string;
  readonly senderMac: string;
  readonly targetAddress: string;
  readonly #to: Nic;
  readonly #lane: Lane;

  constructor(kind: ArpFrame['kind'], from: Nic, senderAddress: string, targetAddress: string, to: Nic, lane: Lane) {
    this.kind = kind;
    this.senderAddress = senderAddress;
    this.senderMac = from.mac;
    this.targetAddress = targetAddress;
    this.#to = to;
    this.#lane = lane;
  }

  get owner(): string {
    return `net/${this.#lane.from}>${this.#lane.to}/arp`;
  }

  fire(): void {
    this.#lane.refresh(this.#to.network.rules);
    if (this.#lane.blocked || this.#to.kernel === undefined) return;
    this.#to.link!.hearArp(this);
  }
}
