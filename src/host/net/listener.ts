import type { Server, Socket } from 'node:net';
import { NetError } from '../../platform/errors.ts';
import { type Connection, type Endpoint, hostPort, type Listener } from '../../platform/net.ts';
import type { Task } from '../../platform/task.ts';
import { Waiting } from '../../platform/waiting.ts';
import type { HostExecutor } from '../executor.ts';
import { HostConnection } from './connection.ts';
import { endpointOf } from './self.ts';

/** A listening socket that hands out what arrives. */
export class ListeningSocket {
  readonly local: Endpoint;
  readonly #server: Server;
  #onSocket: ((socket: Socket) => void) | undefined;
  #waiting: Socket[] = [];

  constructor(server: Server, local: Endpoint, executor: HostExecutor) {
    this.#server = server;
    this.local = local;
    server.on('connection', (socket) => executor.enter(() => this.#arrived(socket)));
    server.on('error', () => {}); // an accept that failed concerns nobody but the one who dialled
  }

  /** Who gets the sockets; those that wait come first. */
  onSocket(listener: (socket: Socket) => void): void {
    this.#onSocket = listener;
    for (const socket of this.#waiting.splice(0)) listener(socket);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #arrived(socket: Socket): void {
    if (this.#onSocket === undefined) this.#waiting.push(socket);
    else this.#onSocket(socket);
  }
}

/** The port's listener over a listening socket. */
export class HostListener implements Listener {
  readonly local: Endpoint;
  readonly #socket: ListeningSocket;
  #queue: HostConnection[] = [];
  readonly #waiting = new Waiting();
  #closed = false;

  constructor(
    socket: ListeningSocket,
    executor: HostExecutor,
    onOpen: (connection: HostConnection, socket: Socket) => void,
  ) {
    this.#socket = socket;
    this.local = socket.local;
    socket.onSocket((accepted) => {
      if (this.#closed) {
        accepted.destroy();
        return;
      }
      const at = endpointOf(accepted.localAddress, accepted.localPort);
      const from = endpointOf(accepted.remoteAddress, accepted.remotePort);
      const connection = new HostConnection(accepted, at, from, executor);
      onOpen(connection, accepted);
      this.#queue.push(connection);
      this.#waiting.wake();
    });
  }

  *accept(): Task<Connection> {
    for (;;) {
      if (this.#closed)
        throw new NetError('closed', `accept tcp ${hostPort(this.local)}: use of closed network connection`);
      const next = this.#queue.shift();
      if (next !== undefined) return next;
      yield* this.#waiting.woken();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
    for (const connection of this.#queue.splice(0)) connection.abort();
    this.#waiting.wake();
  }
}
