import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns';
import { createServer, isIP, isIPv6, Socket } from 'node:net';
import { NetError } from '../../platform/errors.ts';
import {
  type Connection,
  type DatagramSocket,
  type DialOptions,
  type Endpoint,
  hostPort,
  type LinkInfo,
  type Listener,
  type ListenOptions,
  type Net,
} from '../../platform/net.ts';
import { nothingToCancel, type Task, wait } from '../../platform/task.ts';
import type { HostExecutor } from '../executor.ts';
import { HostConnection } from './connection.ts';
import { HostDatagramSocket } from './datagram.ts';
import { netError } from './errors.ts';
import { HostListener, ListeningSocket } from './listener.ts';
import { endpointOf, SelfAddress } from './self.ts';

export type { ListeningSocket } from './listener.ts';

interface Closable {
  close(): void;
}

/** Sockets of one process, on the address of its machine. */
export class HostNet implements Net {
  readonly self: SelfAddress;
  readonly #executor: HostExecutor;
  /** Listening and datagram sockets. */
  readonly #bound = new Set<Closable>();
  /** Every connected socket, with what closes it: itself, or the connection over it. */
  readonly #connected = new Map<Socket, Closable>();

  constructor(self: string, executor: HostExecutor) {
    this.self = new SelfAddress(self);
    this.#executor = executor;
  }

  *dial(to: Endpoint, options: DialOptions = {}): Task<Connection> {
    const socket = yield* this.dialSocket(to, options);
    const local = endpointOf(socket.localAddress, socket.localPort);
    const connection = new HostConnection(socket, local, to, this.#executor, options.userTimeoutUs);
    this.#connected.set(socket, connection);
    return connection;
  }

  *lookup(name: string): Task<readonly string[]> {
    if (isIP(name) !== 0) return [name];
    if (name === 'localhost') return [this.self.address];
    return yield* wait<readonly string[]>((resume, fail) => {
      lookup(name, { all: true, order: 'verbatim' }, (error, found) =>
        this.#executor.enter(() => {
          if (error === null) resume(found.map(({ address }) => address));
          else fail(new NetError('unknown-host', `lookup ${name}: ${lookupProblem(error)}`));
        }),
      );
      return nothingToCancel;
    });
  }

  /** A connected socket, for layers that bring their own protocol. Fails like {@link dial}. */
  *dialSocket(to: Endpoint, options: DialOptions = {}): Task<Socket> {
    let first: NetError | undefined;
    for (const address of yield* this.lookup(this.self.map(to.address)))
      try {
        return yield* this.#dialAddress({ address, port: to.port }, options);
      } catch (error) {
        if (!(error instanceof NetError)) throw error;
        first ??= new NetError(error.code, error.message, { address, port: to.port });
      }
    throw first!;
  }

  *#dialAddress(to: Endpoint, options: DialOptions): Task<Socket> {
    const host = this.#address(to);
    const doing = `dial tcp ${hostPort(to)}`;
    return yield* wait<Socket>((resume, fail) => {
      const socket = new Socket({ allowHalfOpen: true });
      const localAddress = this.self.sourceFor(host, options.localAddress);
      const timer =
        options.timeoutUs === undefined
          ? undefined
          : setTimeout(() => failed(new NetError('timeout', `${doing}: i/o timeout`)), options.timeoutUs / 1_000);
      const failed = (error: Error): void => {
        clearTimeout(timer);
        socket.destroy();
        this.#executor.enter(() => fail(error instanceof NetError ? error : netError(error, `${doing}: connect`)));
      };
      socket.once('error', failed);
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.removeListener('error', failed);
        if (options.keepalive !== undefined) socket.setKeepAlive(true, options.keepalive.idleUs / 1_000);
        this.#keep(socket);
        this.#executor.enter(() => resume(socket));
      });
      socket.connect({ host, port: to.port, ...(localAddress === undefined ? {} : { localAddress }) });
      return () => {
        clearTimeout(timer);
        socket.destroy();
      };
    });
  }

  *listen(options: ListenOptions): Task<Listener> {
    const listening = yield* this.listenSocket(options);
    return new HostListener(listening, this.#executor, (connection, socket) => this.#connected.set(socket, connection));
  }

  /** A listening socket, for layers that bring their own protocol. Fails like {@link listen}. */
  *listenSocket(options: ListenOptions): Task<ListeningSocket> {
    const host = this.#address(options);
    const doing = `listen tcp ${hostPort(options)}: bind`;
    return yield* wait<ListeningSocket>((resume, fail) => {
      const server = createServer({ allowHalfOpen: true, noDelay: true });
      server.on('connection', (socket) => this.#keep(socket));
      server.once('error', (error) => this.#executor.enter(() => fail(netError(error, doing))));
      server.listen({ host, port: options.port, exclusive: true }, () => {
        server.removeAllListeners('error');
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : options.port;
        const listening = new ListeningSocket(server, { address: options.address, port }, this.#executor);
        this.#bound.add(listening);
        server.once('close', () => this.#bound.delete(listening));
        this.#executor.enter(() => resume(listening));
      });
      return () => server.close();
    });
  }

  *bindDatagram(options: ListenOptions): Task<DatagramSocket> {
    const address = this.#address(options);
    const doing = `listen udp ${hostPort(options)}: bind`;
    return yield* wait<DatagramSocket>((resume, fail) => {
      const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
      socket.once('error', (error) => this.#executor.enter(() => fail(netError(error, doing))));
      socket.bind({ address, port: options.port, exclusive: true }, () => {
        socket.removeAllListeners('error');
        const local = { address: options.address, port: socket.address().port };
        this.#executor.enter(() => {
          const datagrams = new HostDatagramSocket(socket, local, this.self, this.#executor);
          this.#bound.add(datagrams);
          socket.once('close', () => this.#bound.delete(datagrams));
          resume(datagrams);
        });
      });
      return () => socket.close();
    });
  }

  links(): readonly LinkInfo[] {
    const loopback = isIPv6(this.self.address) ? '::1/128' : '127.0.0.1/8';
    return [
      { name: 'lo', mac: '00:00:00:00:00:00', up: true, mtuBytes: 65_536, addresses: [loopback], physical: false },
      {
        name: 'eth0',
        mac: macOf(this.self.address),
        up: true,
        mtuBytes: 1_500,
        addresses: [`${this.self.address}/${isIPv6(this.self.address) ? 64 : 24}`],
        physical: true,
      },
    ];
  }

  /** The real address for the address that a program named. NetError `address-not-available`. */
  #address(named: Endpoint): string {
    const address = this.self.map(named.address);
    if (isIP(address) !== 0 && named.port >= 0 && named.port <= 65_535) return address;
    throw new NetError('address-not-available', `${hostPort(named)} is not an IP address with a port`);
  }

  /** Closes every socket. */
  stop(): void {
    for (const socket of this.#bound) socket.close();
    for (const connection of this.#connected.values()) connection.close();
    this.#bound.clear();
    this.#connected.clear();
  }

  #keep(socket: Socket): void {
    this.#connected.set(socket, { close: () => socket.destroy() });
    socket.once('close', () => this.#connected.delete(socket));
  }
}

/** In Go's words: the resolver knows that there is no such name, or could not be asked. */
function lookupProblem({ code }: NodeJS.ErrnoException): string {
  return code === 'ENOTFOUND' || code === 'ENODATA' ? 'no such host' : `server misbehaving (${code ?? 'unknown'})`;
}

/** A locally administered address that belongs to this machine's address. */
function macOf(address: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < address.length; i++) hash = Math.imul(hash ^ address.charCodeAt(i), 0x01000193) >>> 0;
  const digits = hash.toString(16).padStart(8, '0');
  return `02:00:${digits.match(/../g)!.join(':')}`;
}
