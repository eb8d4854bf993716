import type { Endpoint, MachineNet, Net, Route } from '../platform/net.ts';
import type { SocketOwner } from './deps.ts';
import type { NetworkFaults } from './faults.ts';
import type { LatencyModel } from './latency.ts';
import type { Names } from './names.ts';

/** A layer 2 segment: everybody on it hears everybody's broadcasts. */
export interface SegmentSpec {
  readonly name: string;
  /** Latency one way between any two hosts of the segment (default: {@link lanLatency}). */
  readonly latency?: LatencyModel;
  /** Of each directed pair of hosts, in bytes per second (default 1.25e9: 10 Gbit/s). */
  readonly bandwidthBytesPerSec?: number;
}

/** A network card: hardware, it survives reboots. */
export interface NicSpec {
  /** Name of the link as kernels show it: `eth0`. */
  readonly link: string;
  readonly segment: string;
  /** Default: derived from the node's name and the link, locally administered. */
  readonly mac?: string;
  readonly mtuBytes?: number;
}

export interface NodeSpec {
  readonly name: string;
  readonly nics: readonly NicSpec[];
}

/** Joins segments; always powered, forwards, and tells nobody when it cannot (a dial through it times out). */
export interface RouterSpec {
  readonly name: string;
  /** One per segment; `address` with prefix length. */
  readonly ports: readonly { readonly segment: string; readonly address: string }[];
  readonly routes?: readonly Pick<Route, 'destination' | 'gateway'>[];
  /** Sites whose addresses it translates. Each public address is one of its own. */
  readonly nats?: readonly NatSpec[];
}

/** A site that the rest of the world sees under one public IPv4 address. */
export interface NatSpec {
  /** The network of the site, as CIDR. */
  readonly inside: string;
  readonly publicAddress: string;
  /** Ports of the public address that lead to a machine inside, for everybody. */
  readonly forwards: readonly { readonly protocol: 'tcp' | 'udp'; readonly port: number; readonly to: Endpoint }[];
}

/** The whole simulated network. */
export interface NetworkControl {
  addSegment(spec: SegmentSpec): void;
  addNode(spec: NodeSpec): void;
  addRouter(spec: RouterSpec): void;
  /** Starts a kernel on the node: no addresses but loopback, links up, empty ARP caches, no connections. */
  boot(node: string): KernelControl;
  /** The kernel that runs on a node now. */
  kernelOf(node: string): KernelControl | undefined;
  readonly faults: NetworkFaults;
  readonly names: Names;
}

/** The network part of one machine's kernel, for one incarnation. */
export interface KernelControl {
  readonly node: string;
  /** False after {@link powerOff}. */
  readonly alive: boolean;
  /** Gone at once: nobody is told, nothing more is sent, no callback runs. Also what a reboot ends with. */
  powerOff(): void;
  /** The machine stands still: arriving packets are lost, timers wait; connections live on. */
  freeze(): void;
  thaw(): void;
  /** Sockets of a new process in the machine's own network. */
  openProcess(owner: SocketOwner): ProcessNet<MachineNet>;
  /** A pod sandbox with an address of its own; the machine's kernel routes for it. NetError `address-in-use`. */
  addPod(address: string): PodControl;
}

export interface PodControl {
  readonly address: string;
  openProcess(owner: SocketOwner): ProcessNet<Net>;
  /** Removes the sandbox; its sockets vanish without a word. */
  remove(): void;
}

/** What one process holds of the network. */
export interface ProcessNet<N extends Net> {
  readonly net: N;
  /** SIGSTOP: no callback runs until {@link continue}; the kernel goes on acknowledging until its buffers are full. */
  stop(): void;
  continue(): void;
  /** The process ended, however: the kernel closes what it held (FIN, or RST where data was unread). */
  exit(): void;
}
