import type { Net } from '../platform/net.ts';
import type { UdpSocket } from './datagram.ts';
import type { SocketOwner } from './deps.ts';
import type { Namespace } from './namespace.ts';
import type { TcpListener } from './tcp/listener.ts';
import type { TcpSocket } from './tcp/socket.ts';
import type { ProcessNet } from './types.ts';

/** What one process has open. Its end and the end of its kernel are different things. */
export class SocketProcess {
  readonly owner: SocketOwner;
  readonly namespace: Namespace;
  readonly sockets = new Set<TcpSocket>();
  readonly listeners = new Set<TcpListener>();
  readonly datagrams = new Set<UdpSocket>();
  readonly #changeListeners = new Set<() => void>();
  #changesHeldBack = false;
  stopped = false;
  exited = false;

  constructor(owner: SocketOwner, namespace: Namespace) {
    this.owner = owner;
    this.namespace = namespace;
  }

  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => {
      this.#changeListeners.delete(listener);
    };
  }

  /** Links, addresses or routes changed. */
  notifyChange(): void {
    if (this.exited) return;
    if (this.stopped) {
      this.#changesHeldBack = true;
      return;
    }
    for (const listener of [...this.#changeListeners]) {
      try {
        listener();
      } catch (error) {
        this.owner.escaped(error);
      }
    }
  }

  stop(): void {
    this.stopped = true;
  }

  continue(): void {
    if (!this.stopped) return;
    this.stopped = false;
    for (const socket of [...this.sockets]) {
      socket.receiveSide.handOver();
      if (socket.dead) this.sockets.delete(socket);
    }
    if (this.#changesHeldBack) {
      this.#changesHeldBack = false;
      this.notifyChange();
    }
  }

  /** The kernel closes what the process held. No code of the process runs. */
  exit(): void {
    if (this.exited) return;
    this.exited = true;
    this.#changeListeners.clear();
    for (const listener of [...this.listeners]) listener.close();
    for (const socket of [...this.datagrams]) socket.close();
    for (const socket of [...this.sockets]) socket.close();
    this.namespace.kernel.processes.delete(this);
  }
}

/** Hands a process over to the simulation's kernel. */
export function processNet<N extends Net>(process: SocketProcess, net: N): ProcessNet<N> {
  return {
    net,
    stop: () => process.stop(),
    continue: () => process.continue(),
    exit: () => process.exit(),
  };
}
