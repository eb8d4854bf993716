import type { Timer } from '../../platform/clock.ts';
import { RETRANSMIT_MAX_US, WINDOW_PROBE_US } from './constants.ts';
import type { TcpSocket } from './socket.ts';

/** Asks again and again whether the peer has room, so that a lost update of its window does not stop a connection for ever. */
export class WindowProbe {
  readonly #socket: TcpSocket;
  #timer: Timer | undefined;
  #pauseUs = WINDOW_PROBE_US;

  constructor(socket: TcpSocket) {
    this.#socket = socket;
  }

  /** There is something to send and no room for it. */
  start(): void {
    if (this.#timer === undefined) this.#timer = this.#socket.kernel.schedule(this.#pauseUs, () => this.#due());
  }

  #due(): void {
    const socket = this.#socket;
    this.#timer = undefined;
    this.#pauseUs = Math.min(this.#pauseUs * 2, RETRANSMIT_MAX_US);
    if (socket.kernel.nowUs() - socket.lastHeardUs() >= socket.sendSide.limitUs) socket.broke('timeout');
    else {
      socket.sendControl('probe');
      this.start();
    }
  }

  /** There is room. */
  stop(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#pauseUs = WINDOW_PROBE_US;
  }
}
