import type { Server, Socket } from 'node:net';
import { NetError } from '../../platform/errors.ts';
import type { Connection, Endpoint, Listener } from '../../platform/net.ts';
import { type Task, wait } from '../../platform/task.ts';
import type { HostExecutor } from '../executor.ts';
import { HostConnection } from './connection.ts';
import { endpointOf } from './self.ts';

/** A listening socket. */
export class HostListener implements Listener {
  readonly local: Endpoint;
  readonly #server: Server;
  readonly #accept: (socket: Socket) => HostConnection;
  #queue: HostConnection[] = [];
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(
    server: Server,
    local: Endpoint,
    executor: HostExecutor,
    onOpen: (connection: HostConnection, socket: Socket) => void,
  ) {
    this.#server = server;
    this.local = local;
    this.#accept = (socket) => {
      const at = endpointOf(socket.localAddress, socket.localPort);
      const from = endpointOf(socket.remoteAddress, socket.remotePort);
      const connection = new HostConnection(socket, at, from, executor);
      onOpen(connection, socket);
      return connection;
    };
    server.on('connection', (socket) => executor.enter(() => this.#arrived(socket)));
    server.on('error', () => executor.enter(() => this.close()));
  }

  *accept(): Task<Connection> {
    for (;;) {
      if (this.#closed) throw new NetError('closed', 'listener closed');
      const next = this.#queue.shift();
      if (next !== undefined) return next;
      yield* wait<void>((resume) => {
        this.#waiting.push(resume);
        return () => {
          this.#waiting = this.#waiting.filter((other) => other !== resume);
        };
      });
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#server.close();
    for (const connection of this.#queue.splice(0)) connection.abort();
    this.#wake();
  }

  #arrived(socket: Socket): void {
    if (this.#closed) {
      socket.destroy();
      return;
    }
    this.#queue.push(this.#accept(socket));
    this.#wake();
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
