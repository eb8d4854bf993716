import { NetError } from '../../platform/errors.ts';
import { type Connection, type Endpoint, hostPort, type Listener } from '../../platform/net.ts';
import type { Task } from '../../platform/task.ts';
import { Waiting } from '../../platform/waiting.ts';
import type { Namespace } from '../namespace.ts';
import type { Packet } from '../packet.ts';
import type { SocketProcess } from '../process.ts';
import { ACCEPT_BACKLOG } from './constants.ts';
import { Answering } from './handshake.ts';
import { TcpSocket } from './socket.ts';

/** A listening socket with its queue of connections that wait to be accepted. */
export class TcpListener implements Listener {
  readonly local: Endpoint;
  readonly namespace: Namespace;
  readonly process: SocketProcess;
  #pending = new Set<TcpSocket>();
  #queue: TcpSocket[] = [];
  readonly #acceptors = new Waiting();
  #closed = false;

  constructor(namespace: Namespace, process: SocketProcess, local: Endpoint) {
    this.namespace = namespace;
    this.process = process;
    this.local = local;
    process.listeners.add(this);
  }

  /** A SYN for this socket; dropped when too many connections wait already. */
  input(packet: Packet): void {
    if (this.#queue.length + this.#pending.size >= ACCEPT_BACKLOG) {
      packet.lost();
      return;
    }
    const socket = new TcpSocket(this.namespace, this.process, packet.to, packet.from);
    this.namespace.register(socket);
    this.#pending.add(socket);
    new Answering(socket, packet.socket!, this);
  }

  established(socket: TcpSocket): void {
    this.#pending.delete(socket);
    this.#queue.push(socket);
    this.#acceptors.wake();
  }

  gaveUp(socket: TcpSocket): void {
    this.#pending.delete(socket);
  }

  *accept(): Task<Connection> {
    for (;;) {
      if (this.#closed) {
        throw new NetError('closed', `accept tcp ${hostPort(this.local)}: use of closed network connection`);
      }
      const socket = this.#queue.shift();
      if (socket !== undefined) return socket;
      yield* this.#acceptors.woken();
    }
  }

  /** Connections that were not accepted are reset. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.namespace.stopListening(this);
    this.process.listeners.delete(this);
    for (const socket of [...this.#pending, ...this.#queue.splice(0)]) {
      if (!socket.established) socket.sendReset();
      socket.abort();
    }
    this.#pending.clear();
    this.#acceptors.wake();
  }

  /** The kernel is gone. */
  vanish(): void {
    this.#closed = true;
    this.#acceptors.forget();
    this.#queue = [];
    this.#pending.clear();
  }
}
