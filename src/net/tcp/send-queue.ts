import type { Segment } from '../../platform/net.ts';
import { NEVER, type Outgoing } from './outgoing.ts';

/** Settled segments that the queue may go on holding. */
const KEPT = 64;

/** What one direction of a connection was given to send, from the oldest segment that is not acknowledged yet. */
export class SendQueue {
  /** In use from {@link #head} to {@link #end}: an array that is emptied and filled again all the time costs more. */
  #records: Outgoing[] = [];
  #head = 0;
  #end = 0;
  #unsentFrom = 0;
  /** Bytes that are not acknowledged, sent or not. */
  queuedBytes = 0;
  nextSeq = 0;
  /** Up to here the peer's kernel has everything, and the acknowledgement is known to come. */
  assuredSeq = -1;

  push(record: Outgoing): void {
    this.#records[this.#end++] = record;
    this.queuedBytes += record.sizeBytes;
  }

  /** The last one takes a segment along. */
  join(record: Outgoing, segment: Segment, sizeBytes: number): void {
    record.join(segment, sizeBytes);
    this.queuedBytes += sizeBytes;
  }

  get first(): Outgoing | undefined {
    return this.#at(this.#head);
  }

  #at(index: number): Outgoing | undefined {
    return index < this.#end ? this.#records[index] : undefined;
  }

  /** The segment with this sequence number, if it still waits for its acknowledgement. */
  bySeq(seq: number): Outgoing | undefined {
    const { first } = this;
    return first === undefined || seq < first.seq ? undefined : this.#at(this.#head + seq - first.seq);
  }

  /** The oldest one that was not sent yet. */
  get unsent(): Outgoing | undefined {
    return this.#at(this.#unsentFrom);
  }

  get hasUnsent(): boolean {
    return this.#unsentFrom < this.#end;
  }

  /** The oldest unsent one is on its way now. */
  countSent(): void {
    this.#unsentFrom++;
  }

  /** Drops from the front what was acknowledged by now. */
  settle(nowUs: number): void {
    const records = this.#records;
    let head = this.#head;
    while (head < this.#unsentFrom && records[head]!.ackedAtUs <= nowUs) this.queuedBytes -= records[head++]!.sizeBytes;
    if (head === this.#head) return;
    if (head === this.#end) this.#restart();
    else if (head > KEPT && head * 2 > this.#end) {
      this.#records = records.slice(head, this.#end);
      this.#unsentFrom -= head;
      this.#end -= head;
      this.#head = 0;
    } else this.#head = head;
  }

  /** Everything up to `seq` is acknowledged at `atUs`, where that was not known before. */
  assureUpTo(seq: number, atUs: number): void {
    for (let i = this.#head; i < this.#end; i++) {
      const record = this.#records[i]!;
      if (record.seq > seq) break;
      if (record.ackedAtUs === NEVER) record.ackedAtUs = atUs;
    }
    this.assuredSeq = Math.max(this.assuredSeq, seq);
  }

  get hasUnassured(): boolean {
    return this.assuredSeq < this.nextSeq - 1;
  }

  /** The oldest one that was sent and may not have arrived. */
  oldestUnassured(): Outgoing | undefined {
    for (let i = this.#head; i < this.#unsentFrom; i++) {
      if (this.#records[i]!.ackedAtUs === NEVER) return this.#records[i];
    }
    return undefined;
  }

  /** All that were sent and may not have arrived, oldest first. */
  unassured(): readonly Outgoing[] {
    return this.#records.slice(this.#head, this.#unsentFrom).filter((record) => record.ackedAtUs === NEVER);
  }

  /** The segment whose acknowledgement leaves at most `bytes` unacknowledged. */
  seqThatLeaves(bytes: number): number {
    let left = this.queuedBytes;
    for (let i = this.#head; i < this.#end; i++) {
      left -= this.#records[i]!.sizeBytes;
      if (left <= bytes) return this.#records[i]!.seq;
    }
    return NEVER;
  }

  clear(): void {
    this.#records = [];
    this.#restart();
    this.queuedBytes = 0;
  }

  #restart(): void {
    if (this.#records.length > KEPT) this.#records = [];
    this.#head = 0;
    this.#end = 0;
    this.#unsentFrom = 0;
  }
}
