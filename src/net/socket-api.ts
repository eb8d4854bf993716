import { NetError } from '../platform/errors.ts';
import {
  type Connection,
  type DatagramSocket,
  type DialOptions,
  type Endpoint,
  hostPort,
  type LinkInfo,
  type Listener,
  type ListenOptions,
  type MachineNet,
  type Net,
  type Route,
  type WireguardConfig,
  type WireguardPeerState,
} from '../platform/net.ts';
import type { Task } from '../platform/task.ts';
import { ipBytes } from '../platform/x509/ip.ts';
import { canonicalAddress, isUnspecified, requireCidr } from './address.ts';
import { UdpSocket } from './datagram.ts';
import type { LinkSettings } from './link-settings.ts';
import { dialByName, LOCALHOST, lookupIn } from './names.ts';
import type { SocketProcess } from './process.ts';
import { Dialling } from './tcp/handshake.ts';
import { TcpListener } from './tcp/listener.ts';
import { TcpSocket } from './tcp/socket.ts';

/** The network port as one process sees it. */
export class SocketApi implements Net {
  protected readonly process: SocketProcess;

  constructor(process: SocketProcess) {
    this.process = process;
  }

  *dial(to: Endpoint, options: DialOptions = {}): Task<Connection> {
    const address = to.address === LOCALHOST.name ? LOCALHOST.address : to.address;
    if (ipBytes(address) !== null) return yield* this.#dialAddress({ address, port: to.port }, options);
    return yield* dialByName(this, this.process.namespace.kernel, to, options);
  }

  *lookup(name: string): Task<readonly string[]> {
    return yield* lookupIn(this, this.process.namespace, name);
  }

  *#dialAddress(to: Endpoint, options: DialOptions): Task<Connection> {
    const { namespace } = this.process;
    const target = dialTarget(to.address);
    const remote = { address: target, port: to.port };
    const source = options.localAddress ?? namespace.sourceFor(target);
    if (source === undefined) {
      const text = `dial tcp ${hostPort(remote)}: network is unreachable`;
      throw new NetError('unreachable', text);
    }
    if (!namespace.isOwn(source)) namespace.requireOwn(source);
    const local = { address: source, port: namespace.portFor(source, remote) };
    const socket = new TcpSocket(namespace, this.process, local, remote);
    namespace.register(socket);
    const dialling = new Dialling(socket, options.timeoutUs);
    let connected = false;
    try {
      yield* dialling.outcome();
      connected = true;
    } finally {
      if (!connected) socket.abort();
    }
    socket.configure(options);
    return socket;
  }

  *listen(options: ListenOptions): Task<Listener> {
    const { namespace } = this.process;
    const address = canonicalAddress(options.address);
    namespace.requireOwn(address);
    const port = namespace.listeners.claim(address, options.port);
    const listener = new TcpListener(namespace, this.process, { address, port });
    namespace.listeners.add(address, port, listener);
    return listener;
  }

  *bindDatagram(options: ListenOptions): Task<DatagramSocket> {
    const { namespace } = this.process;
    const address = canonicalAddress(options.address);
    namespace.requireOwn(address);
    const port = namespace.datagrams.claim(address, options.port);
    const socket = new UdpSocket(namespace, this.process, { address, port });
    namespace.datagrams.add(address, port, socket);
    return socket;
  }

  links(): readonly LinkInfo[] {
    const { namespace } = this.process;
    const { podAddress } = namespace;
    if (podAddress === undefined) return namespace.kernel.linkInfos();
    return [LOOPBACK_INFO, podLinkInfo(podAddress)];
  }
}

/** Dialling the unspecified address means this host, as on Linux. */
function dialTarget(address: string): string {
  const target = canonicalAddress(address);
  if (!isUnspecified(target)) return target;
  return target === '::' ? '::1' : '127.0.0.1';
}

export const LOOPBACK_INFO: LinkInfo = Object.freeze({
  name: 'lo',
  mac: '00:00:00:00:00:00',
  up: true,
  mtuBytes: 65_536,
  addresses: Object.freeze(['127.0.0.1/8', '::1/128']),
  physical: false,
});

function podLinkInfo(address: string): LinkInfo {
  return {
    name: 'eth0',
    mac: '',
    up: true,
    mtuBytes: 1_450,
    addresses: [`${address}/${address.includes(':') ? 128 : 32}`],
    physical: false,
  };
}

/** The network port of a machine's own supervisor. */
export class MachineSocketApi extends SocketApi implements MachineNet {
  get #settings(): LinkSettings {
    return this.process.namespace.kernel.settings;
  }

  setNameservers(addresses: readonly string[]): void {
    this.process.namespace.kernel.nameservers = addresses;
  }

  addAddress(link: string, cidr: string): void {
    this.#settings.addAddress(link, cidr);
  }

  removeAddress(link: string, cidr: string): void {
    this.#settings.removeAddress(link, cidr);
  }

  setLinkUp(link: string, up: boolean): void {
    this.#settings.setLinkUp(link, up);
  }

  setMtu(link: string, mtuBytes: number): void {
    this.#settings.setMtu(link, mtuBytes);
  }

  routes(): readonly Route[] {
    return this.process.namespace.kernel.routeTable.list();
  }

  addRoute(route: Route): void {
    this.#settings.addRoute(route);
  }

  removeRoute(route: Route): void {
    this.#settings.removeRoute(route);
  }

  setWireguard(link: string, config: WireguardConfig | undefined): void {
    this.#settings.setWireguard(link, config);
  }

  wireguardPeers(link: string): readonly WireguardPeerState[] {
    const { tunnel } = this.process.namespace.kernel;
    return tunnel?.name === link ? tunnel.peers : [];
  }

  divert(link: string, networks: readonly string[]): void {
    const { tunnel } = this.process.namespace.kernel;
    if (tunnel?.name === link) tunnel.divert(networks.map(requireCidr));
  }

  announce(link: string, address: string): void {
    this.#settings.announce(link, address);
  }

  onChange(listener: () => void): () => void {
    return this.process.onChange(listener);
  }
}
