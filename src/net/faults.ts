/** Ends the fault it was given for; repeats are no-ops. */
export interface FaultHandle {
  readonly id: number;
  heal(): void;
}

/** What a faulty link does to packets. All fields add to what the link does anyway and to other faults on it. */
export interface LinkEffect {
  /** Added to every packet's latency. */
  readonly delayUs?: number;
  /** Added to every packet's latency: uniform in [0, jitterUs]. */
  readonly jitterUs?: number;
  /** Per packet; on connections a lost segment comes late instead. */
  readonly lossPpm?: number;
  /** Per packet; connections do not show it. */
  readonly duplicatePpm?: number;
  /** Caps the link's bandwidth. */
  readonly bandwidthBytesPerSec?: number;
  /** Nothing passes. */
  readonly blocked?: boolean;
  /** Packets are held and come when the fault is healed. */
  readonly clogged?: boolean;
}

/**
 * Faults of links are addressed by directed pairs of nodes (hosts or routers): from any of `from` to any of `to`;
 * `'*'` stands for all others. Healing delivers nothing that was dropped: retransmission does.
 */
export interface NetworkFaults {
  /** Both directions between the two sides; one side may be `'*'`. Nodes in neither side are not affected. */
  partition(left: Nodes, right: Nodes): FaultHandle;
  /** Only packets from `from` to `to` are dropped. */
  partitionOneWay(from: Nodes, to: Nodes): FaultHandle;
  degrade(from: Nodes, to: Nodes, effect: LinkEffect): FaultHandle;
  /** Packets from `from` to `to` are held until healed. */
  clog(from: Nodes, to: Nodes): FaultHandle;
  /**
   * Clogs each of the nodes (both directions, towards everybody) one after another at the given times and unclogs them
   * in another order, as FoundationDB's swizzle does; heals itself at the end. Times count from now.
   */
  swizzle(plan: readonly SwizzleStep[]): FaultHandle;
  /** Blocks both directions for `downUs`, lets pass for `upUs`, and so on until healed. */
  flap(left: Nodes, right: Nodes, downUs: number, upUs: number): FaultHandle;
  /** Pulls the cable of a network card: carrier lost. */
  unplug(node: string, link: string): FaultHandle;
  /** The node's ARP entry for `address` stays as it is now, whatever it hears, and never ages. */
  staleNeighbour(node: string, address: string): FaultHandle;
  /** Gratuitous announcements do not reach the node. */
  loseAnnouncements(node: string): FaultHandle;
  /** A further host of the segment answers ARP for `address`; connections to it are refused. */
  addressHeldTwice(segment: string, address: string, options?: { readonly announce?: boolean }): FaultHandle;
  /** Ends every fault that is still active. */
  healAll(): void;
}

export type Nodes = readonly string[] | '*';

export interface SwizzleStep {
  readonly node: string;
  readonly clogAtUs: number;
  readonly unclogAtUs: number;
}
