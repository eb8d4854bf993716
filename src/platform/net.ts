import type { Task } from './task.ts';

export interface Endpoint {
  /** IPv4 or IPv6 address in canonical text; where something is dialled also the name of a host. */
  readonly address: string;
  readonly port: number;
}

/** `10.0.0.10:50000`, `[fd00::1]:50000`; a host name stands as it is. */
export function hostPort({ address, port }: Endpoint): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Reads what {@link hostPort} writes, and forgives: `[fd00::1]`, a bare `fd00::1`, a missing port. Null when it is none. */
export function parseHostPort(text: string, defaultPort: number): Endpoint | null {
  if (text.split(':').length > 2 && !text.startsWith('[')) return { address: text, port: defaultPort };
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text);
  if (match === null) return null;
  return { address: match[1] ?? match[2]!, port: match[3] === undefined ? defaultPort : Number(match[3]) };
}

/** What a connection carries, in order: bytes, or an immutable object with the size it has on the wire. */
export type Segment = Uint8Array | SizedObject;

export interface SizedObject {
  readonly object: unknown;
  readonly sizeBytes: number;
}

export function segmentSizeBytes(segment: Segment): number {
  return segment instanceof Uint8Array ? segment.length : segment.sizeBytes;
}

export interface DialOptions {
  /** How long to wait for the SYN to be answered (default: the kernel's, 127 s). Fails with NetError `timeout`. */
  readonly timeoutUs?: number;
  readonly localAddress?: string;
  /** Time after which unacknowledged data breaks the connection with `timeout` (TCP_USER_TIMEOUT); default off. */
  readonly userTimeoutUs?: number;
  /** Probe an idle connection after this time; default off. */
  readonly keepalive?: KeepaliveOptions;
}

export interface KeepaliveOptions {
  readonly idleUs: number;
  readonly intervalUs: number;
  readonly probes: number;
}

export interface ListenOptions {
  readonly address: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** Sockets of one machine (or pod). */
export interface Net {
  /**
   * Connects; NetError `refused`, `unreachable`, `timeout`, `address-not-available`. The addresses of a name are tried in
   * order, within the limit of the whole; when none answers, the error is that of the first.
   */
  dial(to: Endpoint, options?: DialOptions): Task<Connection>;
  /** Addresses of a host name in the order of the answer, at least one; an address is its own. NetError `unknown-host`. */
  lookup(name: string): Task<readonly string[]>;
  /** Listens; NetError `address-in-use`, `address-not-available`. */
  listen(options: ListenOptions): Task<Listener>;
  /** Opens a datagram socket. */
  bindDatagram(options: ListenOptions): Task<DatagramSocket>;
  /** Links as the kernel shows them now. */
  links(): readonly LinkInfo[];
}

export interface Listener {
  readonly local: Endpoint;
  /** Waits for the next connection; NetError `closed` after close(). */
  accept(): Task<Connection>;
  close(): void;
}

/** How a connection ended for its reader: undefined data means the peer sent FIN. */
export interface Connection {
  readonly local: Endpoint;
  readonly remote: Endpoint;
  /** Queues a segment for sending. Returns false when the connection is already broken; never blocks. */
  send(segment: Segment): boolean;
  /** Bytes queued and not yet acknowledged by the peer's kernel, for back-pressure. */
  unsentBytes(): number;
  /** Waits until {@link unsentBytes} is at most `bytes`; NetError when the connection broke. */
  drained(bytes: number): Task<void>;
  /** Next segment, undefined after the peer's FIN; NetError `reset`, `timeout`, `closed`. */
  receive(): Task<Segment | undefined>;
  /**
   * For hot paths: hands every segment to `onSegment` as it arrives instead of {@link receive}; `onEnd` is called once,
   * with undefined after FIN or the NetError that broke the connection. Segments that already wait are delivered first.
   */
  consume(onSegment: (segment: Segment) => void, onEnd: (error: Error | undefined) => void): void;
  /** Sends FIN after what is queued; receiving stays possible. */
  shutdownWrite(): void;
  /** Orderly close of both directions. */
  close(): void;
  /** Sends RST and drops what is queued. */
  abort(): void;
}

export interface Datagram {
  readonly from: Endpoint;
  readonly payload: Segment;
}

export interface DatagramSocket {
  readonly local: Endpoint;
  send(to: Endpoint, payload: Segment): void;
  receive(): Task<Datagram>;
  close(): void;
}

export interface LinkInfo {
  readonly name: string;
  readonly mac: string;
  readonly up: boolean;
  readonly mtuBytes: number;
  /** Addresses with prefix length, `10.0.0.10/24`, in the order they were added. */
  readonly addresses: readonly string[];
  /** Physical NIC as opposed to loopback, bond, VLAN… */
  readonly physical: boolean;
  /** Of a link that is no card: what it is. */
  readonly kind?: 'wireguard';
}

/** A WireGuard link: who it is, where it listens, and whom it speaks with. Keys are base64 texts. */
export interface WireguardConfig {
  readonly publicKey: string;
  readonly listenPort: number;
  readonly mtuBytes: number;
  readonly peers: readonly WireguardPeerConfig[];
}

export interface WireguardPeerConfig {
  readonly publicKey: string;
  readonly presharedKey: string;
  /** Null leaves the endpoint as the kernel has it: a peer that roams changes it by itself. */
  readonly endpoint: Endpoint | null;
  /** 0 sends none. */
  readonly keepaliveUs: number;
  /** Networks that are behind the peer, as CIDR: what goes to them, and what may come from there. */
  readonly allowedIps: readonly string[];
}

/** What the kernel knows of a peer. */
export interface WireguardPeerState {
  readonly publicKey: string;
  readonly endpoint: Endpoint | null;
  /** Time since the last handshake; null when there was none. */
  readonly handshakeAgeUs: number | null;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

export interface Route {
  /** CIDR; `0.0.0.0/0` is the default route. */
  readonly destination: string;
  readonly gateway?: string;
  readonly link: string;
  readonly metric: number;
}

/** What a machine's own supervisor may do to its network. */
export interface MachineNet extends Net {
  /** Whom every process of the machine asks for names, in this order. */
  setNameservers(addresses: readonly string[]): void;
  /** Adds `10.0.0.5/32` to a link; NetError `address-not-available` when the link is missing. Adding twice is fine. */
  addAddress(link: string, cidr: string): void;
  /** Removes an address: connections bound to it stay until their timeouts, new packets to it are not answered. */
  removeAddress(link: string, cidr: string): void;
  setLinkUp(link: string, up: boolean): void;
  setMtu(link: string, mtuBytes: number): void;
  routes(): readonly Route[];
  addRoute(route: Route): void;
  removeRoute(route: Route): void;
  /**
   * Makes a WireGuard link, or gives one this configuration; undefined takes it away. A machine has at most one.
   * NetError `address-in-use` when the port is taken.
   */
  setWireguard(link: string, config: WireguardConfig | undefined): void;
  /** Peers of a WireGuard link; none where there is no such link. */
  wireguardPeers(link: string): readonly WireguardPeerState[];
  /**
   * What goes to these networks (CIDR) leaves by the WireGuard link, whatever the routes say: firewall mark, routing rule and
   * routing table in one. Replaces the earlier list. The link's own packets are not diverted.
   */
  divert(link: string, networks: readonly string[]): void;
  /** Sends one gratuitous ARP (or unsolicited neighbour advertisement) for an address of the link. */
  announce(link: string, address: string): void;
  /** Called at every change of links, addresses or routes, until the returned function is called. */
  onChange(listener: () => void): () => void;
}
