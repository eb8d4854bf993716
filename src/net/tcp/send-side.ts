import type { Timer } from '../../platform/clock.ts';
import { type Segment, segmentSizeBytes } from '../../platform/net.ts';
import type { Task } from '../../platform/task.ts';
import { nothingToCancel, wait } from '../../platform/task.ts';
import type { NetScheduler } from '../deps.ts';
import type { NetKernel } from '../kernel.ts';
import type { Passage } from '../nat/nat.ts';
import type { Network } from '../network.ts';
import { type LossWatcher, Packet } from '../packet.ts';
import { findPath, type Path } from '../path.ts';
import {
  DUPLICATE_ACKS,
  HEADER_BYTES,
  ORPHAN_LIMIT_US,
  RECEIVE_BUFFER_BYTES,
  RETRANSMIT_LIMIT_US,
  RETRANSMIT_MAX_US,
  RETRANSMIT_MIN_US,
} from './constants.ts';
import { DrainWaiters } from './drain-waiters.ts';
import { NEVER, Outgoing } from './outgoing.ts';
import type { ReceiveSide } from './receive-side.ts';
import { SendQueue } from './send-queue.ts';
import type { TcpSocket } from './socket.ts';
import { WindowProbe } from './window-probe.ts';

/**
 * The sending half of a connection: sends what is queued, and again what was lost.
 *
 * A segment on a healthy path costs one event, its delivery: whether its acknowledgement will come is known then, so
 * that no timer need run for it. Timers start only in *doubt*: when something was certainly lost.
 */
export class SendSide implements LossWatcher {
  readonly socket: TcpSocket;
  readonly #kernel: NetKernel;
  readonly #network: Network;
  readonly #scheduler: NetScheduler;
  readonly #queue = new SendQueue();
  readonly #waiters = new DrainWaiters(this.#queue);
  readonly #windowProbe: WindowProbe;
  /** The other end's receiving half, once the connection is established. */
  peer: ReceiveSide | undefined;
  /** How long unacknowledged data is put up with. */
  limitUs = RETRANSMIT_LIMIT_US;
  #path: Path | undefined;
  #lastAckAtUs = 0;
  #lastArrivalUs = 0;
  #sentBytes = 0;
  /** Was sent in this instant, if that still lasts, on a healthy path: what follows may go with it. */
  #latest: Outgoing | undefined;
  #finSeq = NEVER;
  /** Runs while in doubt. */
  #timer: Timer | undefined;
  #timeoutUs = RETRANSMIT_MIN_US;
  /** Only the oldest segment is sent, again and again, until it is acknowledged. */
  #recovering = false;
  #duplicateAcks = 0;
  #ackTimer: Timer | undefined;

  constructor(socket: TcpSocket) {
    this.socket = socket;
    this.#kernel = socket.kernel;
    this.#network = socket.kernel.network;
    this.#scheduler = this.#network.deps.scheduler;
    this.#windowProbe = new WindowProbe(socket);
  }

  /** Segments of one connection do not overtake each other: the earliest arrival for the next one. */
  inOrder(atUs: number): number {
    if (atUs > this.#lastArrivalUs) this.#lastArrivalUs = atUs;
    return this.#lastArrivalUs;
  }

  /** Queues a segment, or (undefined) the FIN, and sends it when it may go at once. */
  push(segment: Segment | undefined): void {
    const queue = this.#queue;
    const nowUs = this.#scheduler.nowUs();
    queue.settle(nowUs);
    const sizeBytes = segment === undefined ? 0 : segmentSizeBytes(segment);
    if (segment !== undefined && this.#joinLatest(segment, sizeBytes, nowUs)) return;
    const record = new Outgoing(this, queue.nextSeq++, segment, sizeBytes);
    if (segment === undefined) this.#finSeq = record.seq;
    const isNext = !queue.hasUnsent;
    queue.push(record);
    if (isNext && this.#maySend(record)) {
      queue.countSent();
      this.#send(record, nowUs);
    }
  }

  /**
   * What a connection sends in one instant travels as one, as far as the wire takes it without a pause: Linux corks
   * small writes while others are on their way out, and gRPC writes what several calls have to say at one go.
   */
  #joinLatest(segment: Segment, sizeBytes: number, nowUs: number): boolean {
    const latest = this.#latest;
    if (latest === undefined || latest.firstSentAtUs !== nowUs || latest.sentAtUs !== nowUs) return false;
    const peer = this.peer!;
    const isLast = latest.seq === this.#queue.nextSeq - 1;
    const fits = this.#sentBytes - peer.readBytes + sizeBytes <= RECEIVE_BUFFER_BYTES;
    if (!isLast || !fits || !peer.open || latest.networkVersion !== this.#network.version) return false;
    if (this.path(nowUs) !== latest.path || !latest.path.carriesAlong(nowUs, latest.sizeBytes, sizeBytes)) return false;
    this.#queue.join(latest, segment, sizeBytes);
    this.#sentBytes += sizeBytes;
    return true;
  }

  get finQueued(): boolean {
    return this.#finSeq !== NEVER;
  }

  /** The peer's kernel has everything including the FIN. */
  get finDelivered(): boolean {
    return this.#queue.assuredSeq >= this.#finSeq;
  }

  /** Data that the peer's kernel may not have. */
  get hasUnassured(): boolean {
    return this.#queue.hasUnassured;
  }

  /** Something was lost, and the timer for sending it again runs. */
  get inDoubt(): boolean {
    return this.#timer !== undefined;
  }

  /** True while unsent segments wait for the peer's process to read. */
  get blocked(): boolean {
    return this.#queue.hasUnsent && !this.#recovering;
  }

  /** Bytes sent that the peer's process has not taken. */
  unreadByPeer(): number {
    return this.#sentBytes - (this.peer?.readBytes ?? 0);
  }

  unsentBytes(): number {
    this.#queue.settle(this.#scheduler.nowUs());
    return this.#queue.queuedBytes;
  }

  /** When the last acknowledgement came. */
  get lastAckAtUs(): number {
    return Math.min(this.#lastAckAtUs, this.#scheduler.nowUs());
  }

  /** The way to the peer as it is now. */
  path(nowUs: number): Path {
    let path = this.#path;
    if (path === undefined || !path.isValid(this.#network.version, nowUs)) {
      path = findPath(this.socket.namespace, this.socket.local, this.socket.remote, nowUs);
      this.#path = path;
    }
    return path;
  }

  #maySend(record: Outgoing): boolean {
    const peer = this.peer;
    if (peer === undefined || this.#recovering) return false;
    const unread = this.#sentBytes - peer.readBytes; // as the peer last advertised, but for one latency
    if (unread === 0 || unread + record.sizeBytes <= RECEIVE_BUFFER_BYTES) return true;
    this.#windowProbe.start();
    return false;
  }

  #send(record: Outgoing, nowUs: number): void {
    if (record.firstSentAtUs < 0) {
      record.firstSentAtUs = nowUs;
      this.#sentBytes += record.sizeBytes;
    }
    record.sentAtUs = nowUs;
    const path = this.path(nowUs);
    record.path = path;
    if (!path.plain || !this.peer!.open) {
      this.#kernel.transmit(this.#packetFor(record));
      return;
    }
    record.networkVersion = this.#network.version;
    const atUs = this.inOrder(nowUs + path.segmentDelayUs(nowUs, record.sizeBytes + HEADER_BYTES));
    this.#scheduler.post(atUs - nowUs, record);
    this.#latest = atUs > nowUs ? record : undefined;
    if (atUs - nowUs > this.limitUs) this.#doubt();
  }

  /** `passage`: the ends as a router on the way shows them. */
  #packetFor(record: Outgoing, passage?: Passage): Packet {
    const { local, remote, namespace } = this.socket;
    return new Packet({
      kind: 'data',
      from: passage?.from ?? local,
      to: passage?.to ?? remote,
      origin: namespace,
      socket: this.socket,
      record,
      sizeBytes: record.sizeBytes + HEADER_BYTES,
      watcher: this,
    });
  }

  /** A segment that was sent on a healthy path reaches the end of it. */
  arrived(record: Outgoing): void {
    const peer = this.peer!;
    if (record.networkVersion === this.#network.version && peer.open) peer.deliver(record);
    else this.#arrivedAfterChange(record);
  }

  /** Something changed while it was under way: the wire and the card are still the ones it was sent to. */
  #arrivedAfterChange(record: Outgoing): void {
    const { lanes, nic, passage } = record.path!;
    const packet = this.#packetFor(record, passage);
    for (const lane of lanes) {
      lane.refresh(this.#network.rules);
      if (lane.blocked) {
        packet.lost();
        return;
      }
    }
    if (nic === undefined) this.#kernel.arrivedLocally(packet);
    else nic.arrived(packet, lanes[lanes.length - 1]!);
  }

  /** The peer's kernel took everything up to `record`, and its acknowledgement comes at `atUs` for sure. */
  assure(record: Outgoing, atUs: number): void {
    const queue = this.#queue;
    if (atUs > this.#lastAckAtUs) this.#lastAckAtUs = atUs;
    if (record.seq === queue.assuredSeq + 1) {
      queue.assuredSeq = record.seq;
      record.ackedAtUs = this.#lastAckAtUs;
    } else queue.assureUpTo(record.seq, this.#lastAckAtUs);
    if (this.#timer !== undefined || record.seq >= this.#waiters.wakeSeq || this.blocked) this.#expectAck();
    if (record.seq === this.#finSeq) this.socket.finSettled();
  }

  /** An acknowledgement arrives as a packet (or with data, while in doubt): everything up to `seq` was received. */
  acknowledged(seq: number): void {
    const nowUs = this.#scheduler.nowUs();
    this.#lastAckAtUs = Math.max(this.#lastAckAtUs, nowUs);
    if (seq > this.#queue.assuredSeq) {
      this.#queue.assureUpTo(seq, this.#lastAckAtUs);
      this.#duplicateAcks = 0;
      this.#progress(nowUs);
      if (seq >= this.#finSeq) this.socket.finSettled();
      return;
    }
    if (this.hasUnassured && !this.#recovering && ++this.#duplicateAcks === DUPLICATE_ACKS) {
      const oldest = this.#queue.oldestUnassured();
      if (oldest !== undefined) this.#send(oldest, nowUs);
    }
    this.resumeSending();
  }

  /** An acknowledgement is here: what else was lost goes again at once, and so does what waited. */
  #progress(nowUs: number): void {
    this.#queue.settle(nowUs);
    const wasInDoubt = this.inDoubt;
    const wasRecovering = this.#recovering;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timeoutUs = RETRANSMIT_MIN_US;
    this.#recovering = false;
    if (wasRecovering) {
      for (const record of this.#queue.unassured()) if (!this.socket.dead) this.#send(record, nowUs);
    } else if (wasInDoubt) this.#doubt();
    this.resumeSending();
    this.#waiters.wake();
  }

  /** Sends what there is room for. */
  resumeSending(): void {
    const nowUs = this.#scheduler.nowUs();
    for (let record = this.#queue.unsent; record !== undefined; record = this.#queue.unsent) {
      if (!this.#maySend(record)) return;
      this.#windowProbe.stop();
      this.#queue.countSent();
      this.#send(record, nowUs);
    }
  }

  /** For packets: one that mattered to us is gone, or will not be answered. */
  lost(): void {
    this.#doubt();
  }

  /** Starts the retransmission timer unless it runs. */
  #doubt(): void {
    if (this.#timer !== undefined || this.socket.dead) return;
    const oldest = this.#queue.oldestUnassured();
    if (oldest === undefined) return;
    const timeoutUs = Math.max(this.#timeoutUs, 4 * (this.#path?.minUs ?? 0));
    const dueUs = Math.min(oldest.sentAtUs + timeoutUs, oldest.firstSentAtUs + this.#limit());
    const delayUs = Math.max(dueUs - this.#scheduler.nowUs(), 1);
    this.#timer = this.#kernel.schedule(delayUs, () => this.#timedOut());
  }

  #limit(): number {
    return this.socket.orphaned ? Math.min(this.limitUs, ORPHAN_LIMIT_US) : this.limitUs;
  }

  #timedOut(): void {
    this.#timer = undefined;
    const nowUs = this.#scheduler.nowUs();
    this.#queue.settle(nowUs);
    const oldest = this.#queue.oldestUnassured();
    if (oldest === undefined) return;
    if (nowUs - oldest.firstSentAtUs >= this.#limit()) {
      this.socket.broke('timeout');
      return;
    }
    this.#recovering = true;
    this.#timeoutUs = Math.min(this.#timeoutUs * 2, RETRANSMIT_MAX_US);
    oldest.sentAtUs = nowUs;
    this.#kernel.transmit(this.#packetFor(oldest));
    this.#doubt();
  }

  /** Waits until at most `bytes` are unacknowledged. */
  drained(bytes: number): Task<void> {
    return wait<void>((resume, fail) => {
      const error = this.socket.sendError();
      if (error !== undefined) fail(error);
      else if (this.unsentBytes() <= bytes) resume();
      else {
        const withdraw = this.#waiters.add(bytes, resume, fail);
        this.#expectAck();
        return withdraw;
      }
      return nothingToCancel;
    });
  }

  /** Somebody waits for an acknowledgement: when it is known to come it becomes an event. */
  #expectAck(): void {
    if (this.#ackTimer !== undefined) return;
    const needsNext = this.#timer !== undefined || this.blocked;
    const awaited = needsNext ? this.#queue.first : this.#queue.bySeq(this.#waiters.wakeSeq);
    if (awaited === undefined || awaited.ackedAtUs === NEVER) return;
    this.#ackTimer = this.#kernel.schedule(Math.max(awaited.ackedAtUs - this.#scheduler.nowUs(), 0), () => {
      this.#ackTimer = undefined;
      this.#progress(this.#scheduler.nowUs());
      this.#expectAck();
    });
  }

  /** The connection ended: no timer of this half fires any more; who waits gets an error unless none is given. */
  end(makeError: (() => Error) | undefined): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#ackTimer?.cancel();
    this.#windowProbe.stop();
    this.#waiters.end(makeError);
    this.#latest = undefined;
    this.#queue.clear();
  }
}
