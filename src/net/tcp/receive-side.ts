import type { NetErrorCode } from '../../platform/errors.ts';
import { type Segment, segmentSizeBytes } from '../../platform/net.ts';
import type { Task } from '../../platform/task.ts';
import { Waiting } from '../../platform/waiting.ts';
import type { NetScheduler } from '../deps.ts';
import type { Network } from '../network.ts';
import { RECEIVE_BUFFER_BYTES } from './constants.ts';
import type { Outgoing } from './outgoing.ts';
import type { TcpSocket } from './socket.ts';

interface Consumer {
  readonly onSegment: (segment: Segment) => void;
  readonly onEnd: (error: Error | undefined) => void;
}

/** The receiving half of a connection: puts segments in order, keeps what the process has not read, acknowledges. */
export class ReceiveSide {
  readonly socket: TcpSocket;
  readonly #network: Network;
  readonly #scheduler: NetScheduler;
  /** The connection is established and its process has not closed it: segments may be handed over without asking. */
  open = false;
  /** Bytes that the process took so far. */
  readBytes = 0;
  lastHeardUs = 0;
  finReceived = false;
  #nextSeq = 0;
  /** What came before its turn, by sequence number; only on links that lose. */
  #early: Map<number, Outgoing> | undefined;
  #buffer: Segment[] = [];
  #bufferHead = 0;
  #ended: NetErrorCode | undefined;
  #consumer: Consumer | undefined;
  readonly #readers = new Waiting();

  constructor(socket: TcpSocket) {
    this.socket = socket;
    this.#network = socket.kernel.network;
    this.#scheduler = this.#network.deps.scheduler;
  }

  /** Everything before this sequence number was received. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  get hasUnread(): boolean {
    return this.#bufferHead < this.#buffer.length;
  }

  /** A segment of the peer arrives. */
  deliver(record: Outgoing): void {
    const nowUs = this.#scheduler.nowUs();
    this.lastHeardUs = nowUs;
    if (record.seq !== this.#nextSeq) {
      this.#outOfOrder(record);
      return;
    }
    this.#nextSeq++;
    this.#acknowledge(record, nowUs);
    this.#take(record);
    if (this.#early !== undefined) this.#takeEarly();
    if (this.socket.sendSide.hasUnassured) this.#piggyback();
  }

  /** When the way back is healthy the acknowledgement needs no event: the sender is told when it will come. */
  #acknowledge(record: Outgoing, nowUs: number): void {
    const path = this.socket.sendSide.path(nowUs);
    if (path.plain && this.#early === undefined) {
      path.confirm(nowUs);
      record.path?.confirm(nowUs);
      record.side.assure(record, nowUs + path.minUs);
    } else this.socket.sendAck(record.side);
  }

  /** Data carries an acknowledgement for the other direction; it matters only where that is in doubt. */
  #piggyback(): void {
    const seq = this.socket.peerSocket?.receiveSide.nextSeq;
    if (seq !== undefined && this.socket.sendSide.inDoubt) this.socket.sendSide.acknowledged(seq - 1);
  }

  #outOfOrder(record: Outgoing): void {
    if (record.seq > this.#nextSeq) {
      this.#early ??= new Map();
      this.#early.set(record.seq, record);
    }
    this.socket.sendAck(record.side);
  }

  #takeEarly(): void {
    const early = this.#early!;
    for (let record = early.get(this.#nextSeq); record !== undefined; record = early.get(this.#nextSeq)) {
      early.delete(this.#nextSeq++);
      this.#take(record);
      if (early.size === 0) {
        this.#early = undefined;
        this.socket.sendAck(record.side);
        return;
      }
    }
  }

  #take(record: Outgoing): void {
    const { segment, rest } = record;
    if (segment === undefined) {
      this.finReceived = true;
      this.#end();
      return;
    }
    this.#takeSegment(segment);
    if (rest === undefined) return;
    for (let i = 0; i < rest.length; i++) {
      if (!this.open) {
        this.socket.dataAfterClose();
        return;
      }
      this.#takeSegment(rest[i]!);
    }
  }

  #takeSegment(segment: Segment): void {
    if (this.#consumer !== undefined && !this.hasUnread && !this.socket.process.stopped) {
      this.readBytes += segmentSizeBytes(segment);
      try {
        this.#consumer.onSegment(segment);
      } catch (error) {
        this.socket.process.owner.escaped(error);
      }
    } else {
      this.#buffer.push(segment);
      this.#readers.wake();
    }
  }

  #end(): void {
    this.#readers.wake();
    this.#finishConsumer();
    this.socket.finArrived();
  }

  /** Next segment; undefined after the FIN. */
  *receive(): Task<Segment | undefined> {
    while (!this.hasUnread) {
      if (this.#ended === 'closed') throw this.socket.errorFor(this.#ended);
      if (this.finReceived) return undefined;
      if (this.#ended !== undefined) throw this.socket.errorFor(this.#ended);
      yield* this.#readers.woken();
    }
    return this.#read();
  }

  #read(): Segment {
    const segment = this.#buffer[this.#bufferHead++]!;
    if (this.#bufferHead === this.#buffer.length) {
      this.#buffer = [];
      this.#bufferHead = 0;
    } else if (this.#bufferHead > 64 && this.#bufferHead * 2 > this.#buffer.length) {
      this.#buffer = this.#buffer.slice(this.#bufferHead);
      this.#bufferHead = 0;
    }
    this.readBytes += segmentSizeBytes(segment);
    this.#updateWindow();
    return segment;
  }

  /** Tells a sender that waits for room, once there is enough of it. */
  #updateWindow(): void {
    const sender = this.socket.peerSocket?.sendSide;
    if (sender?.blocked !== true) return;
    if (!this.hasUnread || sender.unreadByPeer() * 2 <= RECEIVE_BUFFER_BYTES) this.socket.sendAck(sender);
  }

  consume(onSegment: (segment: Segment) => void, onEnd: (error: Error | undefined) => void): void {
    this.#consumer = { onSegment, onEnd };
    this.handOver();
  }

  /** Gives the consumer what waits for it: when it is set, and when its process goes on after a stop. */
  handOver(): void {
    const { process } = this.socket;
    while (this.#consumer !== undefined && this.hasUnread && !process.stopped && !process.exited) {
      const segment = this.#read();
      try {
        this.#consumer.onSegment(segment);
      } catch (error) {
        process.owner.escaped(error);
      }
    }
    this.#finishConsumer();
  }

  #finishConsumer(): void {
    const consumer = this.#consumer;
    const { process } = this.socket;
    if (consumer === undefined || this.hasUnread || process.stopped || process.exited) return;
    const ended = this.#ended;
    if (!this.finReceived && ended === undefined) return;
    this.#consumer = undefined;
    try {
      consumer.onEnd(this.finReceived || ended === undefined ? undefined : this.socket.errorFor(ended));
    } catch (error) {
      process.owner.escaped(error);
    }
  }

  /** The connection broke or was closed on this side; what had been received before a break can still be read. */
  end(reason: NetErrorCode): void {
    this.open = false;
    if (this.#ended !== undefined && reason !== 'closed') return;
    this.#ended = reason;
    this.#early = undefined;
    if (reason === 'closed') {
      this.#buffer = [];
      this.#bufferHead = 0;
      this.#consumer = undefined;
    }
    this.#readers.wake();
    this.#finishConsumer();
  }

  /** The kernel is gone: nobody is told anything. */
  vanish(): void {
    this.open = false;
    this.#readers.forget();
    this.#consumer = undefined;
  }
}
