import type { Timer } from '../../platform/clock.ts';
import { NetError } from '../../platform/errors.ts';
import { hostPort } from '../../platform/net.ts';
import type { Fail, Resume, Task } from '../../platform/task.ts';
import { nothingToCancel, wait } from '../../platform/task.ts';
import { connectionOpened, connectionRefused } from '../events.ts';
import type { LossWatcher, Packet } from '../packet.ts';
import { SYN_ACK_RETRIES, SYN_RETRIES, SYN_TIMEOUT_US } from './constants.ts';
import type { TcpListener } from './listener.ts';
import type { TcpSocket } from './socket.ts';

/** A socket on its way to being established. */
export interface Handshake extends LossWatcher {
  input(packet: Packet): void;
  refused(): void;
  failed(code: 'unreachable' | 'timeout'): void;
  end(): void;
}

const TEXT = Object.freeze({
  refused: 'connection refused',
  unreachable: 'no route to host',
  timeout: 'connection timed out',
});

/** The side that dials: SYN after 0, 1, 3, 7, … 63 s, given up after 127 s or the dial's own limit. */
export class Dialling implements Handshake {
  readonly #socket: TcpSocket;
  #retryTimer: Timer | undefined;
  #limitTimer: Timer | undefined;
  #sent = 0;
  #settled = false;
  #error: NetError | undefined;
  #waiter: { readonly resume: Resume<void>; readonly fail: Fail } | undefined;

  constructor(socket: TcpSocket, limitUs: number | undefined) {
    this.#socket = socket;
    socket.handshake = this;
    if (limitUs !== undefined) {
      this.#limitTimer = socket.kernel.schedule(limitUs, () => this.failed('timeout'));
    }
    this.#sendSyn();
  }

  #sendSyn(): void {
    if (this.#sent > SYN_RETRIES) {
      this.failed('timeout');
      return;
    }
    const pauseUs = SYN_TIMEOUT_US << this.#sent++;
    this.#retryTimer = this.#socket.kernel.schedule(pauseUs, () => this.#sendSyn());
    this.#socket.sendControl('syn');
  }

  input(packet: Packet): void {
    const socket = this.#socket;
    if (packet.kind !== 'syn-ack' || packet.target !== socket) return;
    socket.establish(packet.socket!);
    socket.sendControl('ack', packet.socket!.handshake);
    socket.kernel.report(connectionOpened, () => ({
      local: hostPort(socket.local),
      remote: hostPort(socket.remote),
    }));
    this.#settled = true;
    this.#waiter?.resume();
  }

  /** Nothing to do: a SYN is sent again by the clock. */
  lost(): void {}

  refused(): void {
    this.#fail('refused');
  }

  failed(code: 'unreachable' | 'timeout'): void {
    this.#fail(code);
  }

  #fail(code: 'refused' | 'unreachable' | 'timeout'): void {
    if (this.#settled) return;
    this.#settled = true;
    const remote = hostPort(this.#socket.remote);
    this.#error = new NetError(code, `dial tcp ${remote}: ${TEXT[code]}`);
    this.#socket.kernel.report(connectionRefused, () => ({ remote, reason: code }));
    this.#socket.handshakeFailed(code);
    this.#waiter?.fail(this.#error);
  }

  end(): void {
    this.#retryTimer?.cancel();
    this.#limitTimer?.cancel();
  }

  /** Waits until it is established; throws why it is not. */
  outcome(): Task<void> {
    return wait<void>((resume, fail) => {
      if (this.#error !== undefined) fail(this.#error);
      else if (this.#settled) resume();
      else this.#waiter = { resume, fail };
      return nothingToCancel;
    });
  }
}

/** The side that was dialled: established by the acknowledgement of its SYN-ACK, or by the first data. */
export class Answering implements Handshake {
  readonly #socket: TcpSocket;
  readonly #dialler: TcpSocket;
  readonly #listener: TcpListener;
  #timer: Timer | undefined;
  #sent = 0;

  constructor(socket: TcpSocket, dialler: TcpSocket, listener: TcpListener) {
    this.#socket = socket;
    this.#dialler = dialler;
    this.#listener = listener;
    socket.handshake = this;
    this.#answer();
  }

  #answer(): void {
    this.#sent++;
    this.#socket.peerSocket = this.#dialler;
    this.#socket.sendControl('syn-ack', this);
  }

  /** The SYN-ACK or its acknowledgement got lost: it is sent again after 1, 3, 7, … s. */
  lost(): void {
    if (this.#timer !== undefined || this.#socket.established) return;
    this.#timer = this.#socket.kernel.schedule(SYN_TIMEOUT_US << (this.#sent - 1), () => {
      this.#timer = undefined;
      if (this.#sent > SYN_ACK_RETRIES) this.failed();
      else this.#answer();
    });
  }

  input(packet: Packet): void {
    if (packet.socket !== this.#dialler) return;
    if (packet.kind === 'syn') {
      this.#answer();
      return;
    }
    if (packet.kind !== 'ack' && packet.kind !== 'data' && packet.kind !== 'probe') return;
    this.#socket.establish(this.#dialler);
    this.#listener.established(this.#socket);
  }

  refused(): void {
    this.failed();
  }

  failed(): void {
    this.#listener.gaveUp(this.#socket);
    this.#socket.handshakeFailed('reset');
  }

  end(): void {
    this.#timer?.cancel();
  }
}
