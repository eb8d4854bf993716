import type { Timer } from '../../platform/clock.ts';
import type { KeepaliveOptions } from '../../platform/net.ts';
import type { TcpSocket } from './socket.ts';

/**
 * Keepalive as Linux does it. While the way to the peer and back is healthy a probe would be answered for sure: then no
 * packet is sent, only the timer goes on.
 */
export class Keepalive {
  readonly #socket: TcpSocket;
  readonly #options: KeepaliveOptions;
  /** Set: decides instead of the number of probes. */
  readonly #userTimeoutUs: number | undefined;
  #timer: Timer | undefined;
  #probesOut = 0;
  #ended = false;

  constructor(socket: TcpSocket, options: KeepaliveOptions, userTimeoutUs: number | undefined) {
    this.#socket = socket;
    this.#options = options;
    this.#userTimeoutUs = userTimeoutUs;
    this.#arm(options.idleUs);
  }

  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #arm(delayUs: number): void {
    this.#timer = this.#socket.kernel.schedule(delayUs, () => {
      const againUs = this.#check();
      if (!this.#ended) this.#arm(againUs);
    });
  }

  /** Probes or gives up; returns when to look again. */
  #check(): number {
    const socket = this.#socket;
    const nowUs = socket.kernel.nowUs();
    const silentUs = nowUs - socket.lastHeardUs();
    const { idleUs, intervalUs, probes } = this.#options;
    if (silentUs < idleUs) {
      this.#probesOut = 0;
      return idleUs - silentUs;
    }
    if (socket.sendSide.hasUnassured) return idleUs; // retransmission finds out
    const isSpent =
      this.#userTimeoutUs === undefined
        ? this.#probesOut >= probes
        : this.#probesOut > 0 && silentUs >= this.#userTimeoutUs;
    if (isSpent) {
      socket.sendReset();
      socket.broke('timeout');
      return intervalUs;
    }
    if (this.#wouldBeAnswered(nowUs)) {
      this.#probesOut = 0;
      socket.receiveSide.lastHeardUs = nowUs;
      return idleUs;
    }
    this.#probesOut++;
    socket.sendControl('probe');
    return intervalUs;
  }

  #wouldBeAnswered(nowUs: number): boolean {
    const { peerSocket, sendSide, receiveSide } = this.#socket;
    if (peerSocket === undefined || !receiveSide.open || !peerSocket.receiveSide.open) return false;
    return sendSide.path(nowUs).plain && peerSocket.sendSide.path(nowUs).plain;
  }
}
