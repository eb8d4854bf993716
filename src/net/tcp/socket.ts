import type { Timer } from '../../platform/clock.ts';
import { NetError, type NetErrorCode } from '../../platform/errors.ts';
import { type Connection, type DialOptions, type Endpoint, hostPort, type Segment } from '../../platform/net.ts';
import type { Task } from '../../platform/task.ts';
import { connectionBroken } from '../events.ts';
import type { NetKernel } from '../kernel.ts';
import type { Namespace } from '../namespace.ts';
import { type LossWatcher, Packet, type PacketKind } from '../packet.ts';
import type { SocketProcess } from '../process.ts';
import { FIN_TIMEOUT_US } from './constants.ts';
import type { Handshake } from './handshake.ts';
import { Keepalive } from './keepalive.ts';
import { ReceiveSide } from './receive-side.ts';
import { SendSide } from './send-side.ts';

const END_TEXT: Readonly<Partial<Record<NetErrorCode, string>>> = Object.freeze({
  reset: 'connection reset by peer',
  timeout: 'connection timed out',
  closed: 'use of closed network connection',
});

/** One end of a connection in a kernel, and what its process holds of it. */
export class TcpSocket implements Connection {
  readonly namespace: Namespace;
  readonly kernel: NetKernel;
  readonly process: SocketProcess;
  readonly local: Endpoint;
  readonly remote: Endpoint;
  readonly sendSide: SendSide;
  readonly receiveSide: ReceiveSide;
  peerSocket: TcpSocket | undefined;
  /** Until it is established. */
  handshake: Handshake | undefined;
  established = false;
  /** Nothing is left of it in the kernel. */
  dead = false;
  /** The process closed it; the kernel finishes what is under way. */
  orphaned = false;
  #keepalive: Keepalive | undefined;
  #finTimer: Timer | undefined;
  #end: NetErrorCode | undefined;

  constructor(namespace: Namespace, process: SocketProcess, local: Endpoint, remote: Endpoint) {
    this.namespace = namespace;
    this.kernel = namespace.kernel;
    this.process = process;
    this.local = local;
    this.remote = remote;
    this.sendSide = new SendSide(this);
    this.receiveSide = new ReceiveSide(this);
    process.sockets.add(this);
  }

  describe(): string {
    const { local, remote } = this;
    return `net/${hostPort(local)}>${hostPort(remote)}`;
  }

  /** Both ends know each other now. */
  establish(peer: TcpSocket): void {
    this.established = true;
    this.handshake?.end();
    this.handshake = undefined;
    this.peerSocket = peer;
    this.sendSide.peer = peer.receiveSide;
    this.receiveSide.open = true;
    this.receiveSide.lastHeardUs = this.kernel.nowUs();
    this.sendSide.resumeSending();
  }

  /** Options that a dial gives. */
  configure(options: DialOptions): void {
    if (options.userTimeoutUs !== undefined) this.sendSide.limitUs = options.userTimeoutUs;
    if (options.keepalive !== undefined)
      this.#keepalive = new Keepalive(this, options.keepalive, options.userTimeoutUs);
  }

  lastHeardUs(): number {
    return Math.max(this.receiveSide.lastHeardUs, this.sendSide.lastAckAtUs);
  }

  send(segment: Segment): boolean {
    if (this.#end !== undefined || this.sendSide.finQueued) return false;
    this.sendSide.push(segment);
    return true;
  }

  unsentBytes(): number {
    return this.sendSide.unsentBytes();
  }

  drained(bytes: number): Task<void> {
    return this.sendSide.drained(bytes);
  }

  receive(): Task<Segment | undefined> {
    return this.receiveSide.receive();
  }

  consume(onSegment: (segment: Segment) => void, onEnd: (error: Error | undefined) => void): void {
    this.receiveSide.consume(onSegment, onEnd);
  }

  /** Why nothing can be sent any more. */
  sendError(): NetError | undefined {
    return this.#end === undefined ? undefined : this.errorFor(this.#end);
  }

  /** The error that a reader or writer gets. Made when it is thrown: most connections end without anybody asking. */
  errorFor(code: NetErrorCode): NetError {
    return new NetError(code, `${this.describe()}: ${END_TEXT[code] ?? code}`);
  }

  shutdownWrite(): void {
    if (this.#end === undefined && !this.sendSide.finQueued) this.sendSide.push(undefined);
  }

  /** Linux: closing with unread data resets the connection instead. */
  close(): void {
    if (this.orphaned) return;
    if (this.dead) {
      this.#failLocally();
      return;
    }
    if (this.receiveSide.hasUnread) {
      this.abort();
      return;
    }
    this.shutdownWrite();
    this.orphaned = true;
    this.#failLocally();
    this.finSettled();
  }

  abort(): void {
    if (this.dead) return;
    if (this.established) this.sendReset();
    this.#failLocally();
    this.#remove('closed');
  }

  #failLocally(): void {
    this.#end ??= 'closed';
    this.receiveSide.end('closed');
    this.process.sockets.delete(this);
  }

  /** The kernel gave up on it, or the peer reset it. */
  broke(code: 'reset' | 'timeout'): void {
    if (this.dead) return;
    const isOver = this.receiveSide.finReceived && this.sendSide.finQueued;
    if (!this.orphaned && !isOver) {
      this.kernel.report(connectionBroken, () => ({
        local: hostPort(this.local),
        remote: hostPort(this.remote),
        reason: code,
      }));
    }
    this.#end ??= code;
    this.#remove(code);
    this.receiveSide.end(code);
  }

  /** Nothing of it stays in the kernel; writers that wait are told why, unless there is no reason. */
  #remove(reason: NetErrorCode | undefined): void {
    this.dead = true;
    this.handshake?.end();
    this.handshake = undefined;
    this.receiveSide.open = false;
    this.#keepalive?.end();
    this.#finTimer?.cancel();
    this.sendSide.end(reason === undefined ? undefined : () => this.errorFor(reason));
    this.namespace.forget(this);
    if (!this.process.stopped) this.process.sockets.delete(this);
  }

  /** The kernel is gone, and so is this, without a word. */
  vanish(): void {
    this.#end ??= 'reset';
    this.#remove(undefined);
    this.receiveSide.vanish();
  }

  /** The peer's FIN was received in its turn. */
  finArrived(): void {
    this.#finishIfOver();
  }

  /** The peer's kernel has our FIN. */
  finSettled(): void {
    this.#finishIfOver();
    if (this.orphaned && !this.dead && this.sendSide.finDelivered && this.#finTimer === undefined) {
      this.#finTimer = this.kernel.schedule(FIN_TIMEOUT_US, () => this.#remove(undefined));
    }
  }

  #finishIfOver(): void {
    if (this.receiveSide.finReceived && this.sendSide.finDelivered && !this.dead) this.#remove(undefined);
  }

  /** Sends a packet without data to the peer. */
  sendControl(kind: PacketKind, watcher?: LossWatcher): void {
    this.kernel.transmit(
      new Packet({
        kind,
        from: this.local,
        to: this.remote,
        origin: this.namespace,
        socket: this,
        target: this.peerSocket,
        ackSeq: this.receiveSide.nextSeq - 1,
        watcher,
      }),
    );
  }

  /** An acknowledgement that travels as a packet; when it gets lost the sender starts to doubt. */
  sendAck(sender: SendSide): void {
    this.sendControl('ack', sender);
  }

  sendReset(): void {
    this.sendControl('rst');
  }

  /** A packet of the peer, or one that claims to be. */
  input(packet: Packet): void {
    if (packet.kind === 'rst') {
      if (packet.target === this) this.#resetArrived();
      return;
    }
    if (this.handshake !== undefined) {
      this.handshake.input(packet);
      if (!this.established) return;
    }
    if (packet.socket !== this.peerSocket) {
      this.namespace.answerWithReset(packet);
      return;
    }
    this.#inputEstablished(packet);
  }

  #inputEstablished(packet: Packet): void {
    this.receiveSide.lastHeardUs = this.kernel.nowUs();
    switch (packet.kind) {
      case 'data':
        if (this.orphaned && packet.record!.segment !== undefined && packet.record!.seq >= this.receiveSide.nextSeq) {
          this.dataAfterClose();
        } else this.receiveSide.deliver(packet.record!);
        break;
      case 'ack':
        this.sendSide.acknowledged(packet.ackSeq);
        break;
      case 'probe':
      case 'syn-ack':
        this.sendControl('ack');
        break;
      default:
        break;
    }
  }

  /** Data for a process that closed its end (Linux answers with a reset). */
  dataAfterClose(): void {
    if (!this.orphaned || this.dead) return;
    this.sendReset();
    this.#remove(undefined);
  }

  #resetArrived(): void {
    if (this.handshake !== undefined) this.handshake.refused();
    else this.broke('reset');
  }

  /** While dialling: no route, nobody answers ARP, or no answer at all. */
  dialFailed(code: 'unreachable' | 'timeout'): void {
    this.handshake?.failed(code);
  }

  /** While dialling: why it failed. */
  handshakeFailed(code: NetErrorCode): void {
    this.#end ??= code;
    this.#remove(code);
    this.process.sockets.delete(this);
  }
}
