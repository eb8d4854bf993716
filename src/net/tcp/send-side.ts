import type { Timer } from '../../platform/clock.ts';
import { type Segment, segmentSizeBytes } from '../../platform/net.ts';
import type { Fail, Resume, Task } from '../../platform/task.ts';
import { nothingToCancel, wait } from '../../platform/task.ts';
import type { NetScheduler } from '../deps.ts';
import type { NetKernel } from '../kernel.ts';
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
  WINDOW_PROBE_US,
} from './constants.ts';
import { NEVER, Outgoing } from './outgoing.ts';
import type { ReceiveSide } from './receive-side.ts';
import type { TcpSocket } from './socket.ts';

interface DrainWaiter {
  readonly bytes: number;
  readonly resume: Resume<void>;
  readonly fail: Fail;
}

/**
 * The sending half of a connection: what was queued, sent and not acknowledged.
 *
 * A segment on a healthy path costs one event, its delivery: whether its acknowledgement will come is known then, so
 * that no timer need run for it. Timers start only in *doubt*: when something was certainly lost.
 */
export class SendSide implements LossWatcher {
  readonly socket: TcpSocket;
  readonly #kernel: NetKernel;
  readonly #network: Network;
  readonly #scheduler: NetScheduler;
  /** The other end's receiving half, once the connection is established. */
  peer: ReceiveSide | undefined;
  #path: Path | undefined;
  /** From the oldest unacknowledged one; those at and after `#unsentFrom` were not sent yet. */
  #records: Outgoing[] = [];
  #head = 0;
  #unsentFrom = 0;
  #nextSeq = 0;
  #assuredSeq = -1;
  #lastAckAtUs = 0;
  #lastArrivalUs = 0;
  #queuedBytes = 0;
  #sentBytes = 0;
  #finSeq = NEVER;
  #timer: Timer | undefined;
  #timeoutUs = RETRANSMIT_MIN_US;
  #recovering = false;
  #duplicateAcks = 0;
  #probeTimer: Timer | undefined;
  #probePauseUs = WINDOW_PROBE_US;
  #waiters: DrainWaiter[] = [];
  /** Acknowledgement that the most modest waiter needs. */
  #wakeSeq = NEVER;
  #ackTimer: Timer | undefined;
  /** How long unacknowledged data is put up with. */
  limitUs = RETRANSMIT_LIMIT_US;

  constructor(socket: TcpSocket) {
    this.socket = socket;
    this.#kernel = socket.kernel;
    this.#network = socket.kernel.network;
    this.#scheduler = this.#network.deps.scheduler;
  }

  /** Segments of one connection do not overtake each other: the earliest arrival for the next one. */
  inOrder(atUs: number): number {
    if (atUs > this.#lastArrivalUs) this.#lastArrivalUs = atUs;
    return this.#lastArrivalUs;
  }

  /** Queues a segment and sends it when it may go at once. */
  push(segment: Segment | undefined): void {
    const nowUs = this.#scheduler.nowUs();
    const sizeBytes = segment === undefined ? 0 : segmentSizeBytes(segment);
    this.#settle(nowUs);
    const record = new Outgoing(this, this.#nextSeq++, segment, sizeBytes);
    if (segment === undefined) this.#finSeq = record.seq;
    this.#records.push(record);
    this.#queuedBytes += sizeBytes;
    if (this.#unsentFrom === this.#records.length - 1 && this.#maySend(record)) {
      this.#unsentFrom++;
      this.#send(record, nowUs);
    }
  }

  get finQueued(): boolean {
    return this.#finSeq !== NEVER;
  }

  /** The peer's kernel has everything including the FIN. */
  get finDelivered(): boolean {
    return this.#assuredSeq >= this.#finSeq;
  }

  /** Data that the peer's kernel may not have. */
  get hasUnassured(): boolean {
    return this.#assuredSeq < this.#nextSeq - 1;
  }

  /** Something was lost, and the timer for sending it again runs. */
  get inDoubt(): boolean {
    return this.#timer !== undefined;
  }

  /** Bytes sent that the peer's process has not taken. */
  unreadByPeer(): number {
    return this.#sentBytes - (this.peer?.readBytes ?? 0);
  }

  unsentBytes(): number {
    this.#settle(this.#scheduler.nowUs());
    return this.#queuedBytes;
  }

  /** True while unsent segments wait for the peer's process to read. */
  get blocked(): boolean {
    return this.#unsentFrom < this.#records.length && !this.#recovering;
  }

  /** When the last acknowledgement came. */
  get lastAckAtUs(): number {
    return Math.min(this.#lastAckAtUs, this.#scheduler.nowUs());
  }

  /** The way to the peer as it is now. */
  path(nowUs: number): Path {
    let path = this.#path;
    if (path === undefined || !path.isValid(this.#network.version, nowUs)) {
      path = findPath(this.socket.namespace, this.socket.local.address, this.socket.remote.address, nowUs);
      this.#path = path;
    }
    return path;
  }

  /** Drops from the front what was acknowledged by now. */
  #settle(nowUs: number): void {
    const records = this.#records;
    let head = this.#head;
    while (head < this.#unsentFrom && records[head]!.ackedAtUs <= nowUs)
      this.#queuedBytes -= records[head++]!.sizeBytes;
    if (head === this.#head) return;
    if (head === records.length) {
      records.length = 0;
      this.#unsentFrom = 0;
      head = 0;
    } else if (head > 64 && head * 2 > records.length) {
      records.splice(0, head);
      this.#unsentFrom -= head;
      head = 0;
    }
    this.#head = head;
  }

  #maySend(record: Outgoing): boolean {
    const peer = this.peer;
    if (peer === undefined || this.#recovering) return false;
    const unread = this.#sentBytes - peer.readBytes; // as the peer last advertised, but for one latency
    if (unread === 0 || unread + record.sizeBytes <= RECEIVE_BUFFER_BYTES) return true;
    this.#probeLater();
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
      this.#sendPacket(record);
      return;
    }
    record.networkVersion = this.#network.version;
    const atUs = this.inOrder(nowUs + path.segmentDelayUs(nowUs, record.sizeBytes + HEADER_BYTES));
    this.#scheduler.post(atUs - nowUs, record);
    if (atUs - nowUs > this.limitUs) this.#doubt();
  }

  #sendPacket(record: Outgoing): void {
    const { local, remote, namespace } = this.socket;
    this.#kernel.transmit(
      new Packet({
        kind: 'data',
        from: local,
        to: remote,
        origin: namespace,
        socket: this.socket,
        record,
        sizeBytes: record.sizeBytes + HEADER_BYTES,
        watcher: this,
      }),
    );
  }

  /** A segment that was sent on a healthy path reaches the end of it. */
  arrived(record: Outgoing): void {
    const peer = this.peer!;
    if (record.networkVersion === this.#network.version && peer.open) peer.deliver(record);
    else this.#arrivedAfterChange(record);
  }

  /** Something changed while it was under way: the wire and the card are still the ones it was sent to. */
  #arrivedAfterChange(record: Outgoing): void {
    const { local, remote, namespace } = this.socket;
    const packet = new Packet({
      kind: 'data',
      from: local,
      to: remote,
      origin: namespace,
      socket: this.socket,
      record,
      watcher: this,
    });
    const path = record.path!;
    for (const lane of path.lanes) {
      lane.refresh(this.#network.rules);
      if (lane.blocked) {
        packet.lost();
        return;
      }
    }
    if (path.nic === undefined) this.#kernel.arrivedLocally(packet);
    else path.nic.arrived(packet, path.lanes[path.lanes.length - 1]!);
  }

  /** The peer's kernel took everything up to `record`, and its acknowledgement comes at `atUs` for sure. */
  assure(record: Outgoing, atUs: number): void {
    if (atUs > this.#lastAckAtUs) this.#lastAckAtUs = atUs;
    if (record.seq === this.#assuredSeq + 1) {
      this.#assuredSeq = record.seq;
      record.ackedAtUs = this.#lastAckAtUs;
    } else this.#assureUpTo(record.seq);
    if (this.#timer !== undefined || record.seq >= this.#wakeSeq || this.blocked) this.#expectAck();
    if (record.seq === this.#finSeq) this.socket.finSettled();
  }

  #assureUpTo(seq: number): void {
    for (let i = this.#head; i < this.#records.length; i++) {
      const record = this.#records[i]!;
      if (record.seq > seq) break;
      if (record.ackedAtUs === NEVER) record.ackedAtUs = this.#lastAckAtUs;
    }
    this.#assuredSeq = Math.max(this.#assuredSeq, seq);
  }

  /** An acknowledgement arrives as a packet (or with data, while timers run): everything up to `seq` was received. */
  acknowledged(seq: number): void {
    const nowUs = this.#scheduler.nowUs();
    this.#lastAckAtUs = Math.max(this.#lastAckAtUs, nowUs);
    if (seq > this.#assuredSeq) {
      this.#assureUpTo(seq);
      this.#duplicateAcks = 0;
      this.#progress(nowUs);
      if (seq >= this.#finSeq) this.socket.finSettled();
      return;
    }
    if (this.hasUnassured && !this.#recovering && ++this.#duplicateAcks === DUPLICATE_ACKS) {
      const oldest = this.#oldestUnassured();
      if (oldest !== undefined) this.#send(oldest, nowUs);
    }
    this.resumeSending();
  }

  /** Some of what was in doubt has arrived: what else was lost goes again at once, and so does what waited. */
  #progress(nowUs: number): void {
    this.#settle(nowUs);
    const wasInDoubt = this.inDoubt;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timeoutUs = RETRANSMIT_MIN_US;
    const wasRecovering = this.#recovering;
    this.#recovering = false;
    if (wasRecovering) {
      for (let i = this.#head; i < this.#unsentFrom && !this.socket.dead; i++) {
        const record = this.#records[i]!;
        if (record.ackedAtUs === NEVER) this.#send(record, nowUs);
      }
    } else if (wasInDoubt) this.#doubt();
    this.resumeSending();
    this.#wakeWaiters();
  }

  /** Sends what the window allows. */
  resumeSending(): void {
    const nowUs = this.#scheduler.nowUs();
    while (this.#unsentFrom < this.#records.length) {
      const record = this.#records[this.#unsentFrom]!;
      if (!this.#maySend(record)) return;
      this.#probeTimer?.cancel();
      this.#probeTimer = undefined;
      this.#probePauseUs = WINDOW_PROBE_US;
      this.#unsentFrom++;
      this.#send(record, nowUs);
    }
  }

  /** A closed window is probed, so that a lost update of it does not stop the connection for ever. */
  #probeLater(): void {
    if (this.#probeTimer !== undefined) return;
    this.#probeTimer = this.#kernel.schedule(this.#probePauseUs, () => {
      this.#probeTimer = undefined;
      this.#probePauseUs = Math.min(this.#probePauseUs * 2, RETRANSMIT_MAX_US);
      const silentUs = this.#scheduler.nowUs() - this.socket.lastHeardUs();
      if (silentUs >= this.limitUs) this.socket.broke('timeout');
      else {
        this.socket.sendControl('probe');
        this.#probeLater();
      }
    });
  }

  /** For packets: one that mattered to us is gone, or will not be answered. */
  lost(): void {
    this.#doubt();
  }

  #oldestUnassured(): Outgoing | undefined {
    for (let i = this.#head; i < this.#unsentFrom; i++) {
      if (this.#records[i]!.ackedAtUs === NEVER) return this.#records[i];
    }
    return undefined;
  }

  /** Starts the retransmission timer unless it runs. */
  #doubt(): void {
    if (this.#timer !== undefined || this.socket.dead) return;
    const oldest = this.#oldestUnassured();
    if (oldest === undefined) return;
    const nowUs = this.#scheduler.nowUs();
    const timeoutUs = Math.max(this.#timeoutUs, 4 * (this.#path?.minUs ?? 0));
    const dueUs = Math.min(oldest.sentAtUs + timeoutUs, oldest.firstSentAtUs + this.#limit());
    this.#timer = this.#kernel.schedule(Math.max(dueUs - nowUs, 1), () => this.#timedOut());
  }

  #limit(): number {
    return this.socket.orphaned ? Math.min(this.limitUs, ORPHAN_LIMIT_US) : this.limitUs;
  }

  #timedOut(): void {
    this.#timer = undefined;
    const nowUs = this.#scheduler.nowUs();
    this.#settle(nowUs);
    const oldest = this.#oldestUnassured();
    if (oldest === undefined) return;
    if (nowUs - oldest.firstSentAtUs >= this.#limit()) {
      this.socket.broke('timeout');
      return;
    }
    this.#recovering = true;
    this.#timeoutUs = Math.min(this.#timeoutUs * 2, RETRANSMIT_MAX_US);
    oldest.sentAtUs = nowUs;
    this.#sendPacket(oldest);
    this.#doubt();
  }

  /** Waits until at most `bytes` are unacknowledged. */
  drained(bytes: number): Task<void> {
    return wait<void>((resume, fail) => {
      const error = this.socket.sendError();
      if (error !== undefined) fail(error);
      else if (this.unsentBytes() <= bytes) resume();
      else {
        const waiter = { bytes, resume, fail };
        this.#waiters.push(waiter);
        this.#wakeSeq = Math.min(this.#wakeSeq, this.#seqThatLeaves(bytes));
        this.#expectAck();
        return () => {
          this.#waiters = this.#waiters.filter((other) => other !== waiter);
        };
      }
      return nothingToCancel;
    });
  }

  /** The segment whose acknowledgement leaves at most `bytes` unacknowledged. */
  #seqThatLeaves(bytes: number): number {
    let left = this.#queuedBytes;
    for (let i = this.#head; i < this.#records.length; i++) {
      left -= this.#records[i]!.sizeBytes;
      if (left <= bytes) return this.#records[i]!.seq;
    }
    return NEVER;
  }

  /** Somebody waits for an acknowledgement: when it is known to come it becomes an event. */
  #expectAck(): void {
    if (this.#ackTimer !== undefined) return;
    const nowUs = this.#scheduler.nowUs();
    const first = this.#records[this.#head];
    if (first === undefined) return;
    const needsNext = this.#timer !== undefined || this.blocked;
    const awaited = needsNext ? first : this.#records[this.#head + this.#wakeSeq - first.seq];
    if (awaited === undefined || awaited.ackedAtUs === NEVER) return;
    this.#ackTimer = this.#kernel.schedule(Math.max(awaited.ackedAtUs - nowUs, 0), () => {
      this.#ackTimer = undefined;
      this.#progress(this.#scheduler.nowUs());
      this.#expectAck();
    });
  }

  #wakeWaiters(): void {
    if (this.#waiters.length === 0) return;
    const ready = this.#waiters.filter((waiter) => this.#queuedBytes <= waiter.bytes);
    this.#waiters = this.#waiters.filter((waiter) => this.#queuedBytes > waiter.bytes);
    this.#wakeSeq = NEVER;
    for (const waiter of this.#waiters) this.#wakeSeq = Math.min(this.#wakeSeq, this.#seqThatLeaves(waiter.bytes));
    for (const waiter of ready) waiter.resume();
  }

  /** The connection ended: no timer of this half fires any more; who waits gets an error unless none is given. */
  end(makeError: (() => Error) | undefined): void {
    this.#timer?.cancel();
    this.#probeTimer?.cancel();
    this.#ackTimer?.cancel();
    this.#timer = undefined;
    this.#wakeSeq = NEVER;
    for (const waiter of this.#waiters.splice(0)) if (makeError !== undefined) waiter.fail(makeError());
    this.#records = [];
    this.#head = 0;
    this.#unsentFrom = 0;
    this.#queuedBytes = 0;
  }
}
