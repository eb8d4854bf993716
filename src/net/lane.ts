import type { Random } from '../platform/random.ts';
import type { FaultRules } from './fault-rules.ts';
import { type LatencyModel, latencyFor } from './latency.ts';
import type { Packet } from './packet.ts';

/** Classes of messages that draw from streams of their own on each lane. */
export type MessageClass = 'segment' | 'control' | 'datagram' | 'arp';

/** Longest time on the wire of what travels as one: 64 KiB at 10 Gbit/s. */
const CARRY_US = 53;

/** What a lane is like without faults. */
export interface LaneBase {
  readonly latency: LatencyModel;
  readonly bandwidthBytesPerSec: number;
}

/** One direction between two hosts of a segment: latency, bandwidth, and what the active faults add. */
export class Lane {
  readonly from: string;
  readonly to: string;
  /** Nothing can get lost or held here: what is sent arrives, and only the delay is to be drawn. */
  plain = true;
  blocked = false;
  clogged = false;
  lossPpm = 0;
  duplicatePpm = 0;
  /** Smallest latency. */
  minUs: number;
  #base: LaneBase;
  #quantilesUs: readonly number[];
  #delayUs = 0;
  #jitterUs = 0;
  #bandwidthBytesPerSec: number;
  #rulesVersion = -1;
  #random: Random;
  #segmentDraws: Random | undefined;
  #draws: Partial<Record<MessageClass, Random>> = {};
  #faultDraws: Partial<Record<MessageClass, Random>> = {};
  /** Bytes waiting for the wire, times 10^6, as of {@link #backlogAtUs}: exact at any bandwidth without fractions of a microsecond. */
  #backlogMicroBytes = 0;
  #backlogAtUs = 0;
  /** Packets that a clogged lane holds. */
  #parked: Packet[] = [];

  constructor(from: string, to: string, base: LaneBase, random: Random) {
    this.from = from;
    this.to = to;
    this.#base = base;
    this.#quantilesUs = base.latency.quantilesUs;
    this.minUs = this.#quantilesUs[0]!;
    this.#bandwidthBytesPerSec = base.bandwidthBytesPerSec;
    this.#random = random;
  }

  /** Takes over the faults that are active now. Cheap when they did not change. */
  refresh(rules: FaultRules): void {
    if (this.#rulesVersion === rules.version) return;
    this.#rulesVersion = rules.version;
    const effect = rules.effectOn(this.from, this.to);
    this.blocked = effect.blocked;
    this.clogged = effect.clogged;
    this.lossPpm = effect.lossPpm;
    this.duplicatePpm = effect.duplicatePpm;
    this.#delayUs = effect.delayUs;
    this.#jitterUs = effect.jitterUs;
    this.#bandwidthBytesPerSec = Math.min(this.#base.bandwidthBytesPerSec, effect.bandwidthBytesPerSec);
    this.minUs = this.#quantilesUs[0]! + effect.delayUs;
    this.plain = !this.blocked && !this.clogged && this.lossPpm === 0 && this.duplicatePpm === 0;
  }

  /** Delay of a data segment that is sent now: queueing for the wire, then a drawn latency. */
  segmentDelayUs(nowUs: number, sizeBytes: number): number {
    this.#segmentDraws ??= this.#random.stream('segment');
    const drawn = latencyFor(this.#quantilesUs, this.#segmentDraws.uint32()) + this.#delayUs;
    const delayUs = drawn + this.#queueUs(nowUs, sizeBytes);
    return this.#jitterUs === 0 ? delayUs : delayUs + this.#faults('segment').int(0, this.#jitterUs);
  }

  /** Delay of any other packet. */
  delayUs(nowUs: number, sizeBytes: number, messageClass: MessageClass): number {
    if (messageClass === 'segment') return this.segmentDelayUs(nowUs, sizeBytes);
    let draws = this.#draws[messageClass];
    if (draws === undefined) {
      draws = this.#random.stream(messageClass);
      this.#draws[messageClass] = draws;
    }
    const drawn = latencyFor(this.#quantilesUs, draws.uint32()) + this.#delayUs;
    const delayUs = drawn + this.#queueUs(nowUs, sizeBytes);
    return this.#jitterUs === 0 ? delayUs : delayUs + this.#faults(messageClass).int(0, this.#jitterUs);
  }

  /** Whether the wire takes so many bytes together with those just sent as if they were one; if so they are on it. */
  carriesAlong(nowUs: number, sentBytes: number, sizeBytes: number): boolean {
    if ((sentBytes + sizeBytes) * 1_000_000 > this.#bandwidthBytesPerSec * CARRY_US) return false;
    this.#queueUs(nowUs, sizeBytes);
    return true;
  }

  #queueUs(nowUs: number, sizeBytes: number): number {
    const rate = this.#bandwidthBytesPerSec;
    const left = this.#backlogMicroBytes - (nowUs - this.#backlogAtUs) * rate;
    const backlog = Math.max(left, 0) + sizeBytes * 1_000_000;
    this.#backlogMicroBytes = backlog;
    this.#backlogAtUs = nowUs;
    return backlog < rate ? 0 : Math.floor(backlog / rate);
  }

  /** Draws whether a packet that needs `frames` frames gets lost. */
  loses(frames: number, messageClass: MessageClass): boolean {
    if (this.lossPpm === 0) return false;
    for (let i = 0; i < frames; i++) if (this.#faults(messageClass).chance(this.lossPpm)) return true;
    return false;
  }

  /** Draws whether a packet arrives twice. */
  duplicates(messageClass: MessageClass): boolean {
    return this.duplicatePpm > 0 && this.#faults(messageClass).chance(this.duplicatePpm);
  }

  #faults(messageClass: MessageClass): Random {
    let draws = this.#faultDraws[messageClass];
    if (draws === undefined) {
      draws = this.#random.stream(`${messageClass}/fault`);
      this.#faultDraws[messageClass] = draws;
    }
    return draws;
  }

  park(packet: Packet): void {
    this.#parked.push(packet);
  }

  /** Everything that was parked, in order; empties the lane. */
  unpark(): readonly Packet[] {
    return this.#parked.splice(0);
  }

  get hasParked(): boolean {
    return this.#parked.length > 0;
  }
}
