import type { Timer } from '../platform/clock.ts';
import { MILLISECOND_US, SECOND_US } from '../platform/clock.ts';
import type { Link } from './link.ts';
import type { Packet } from './packet.ts';

/** Linux's neighbour states; `pinned` is a fault: it neither ages nor learns. */
export type NeighbourState = 'none' | 'incomplete' | 'reachable' | 'stale' | 'delay' | 'probe' | 'failed' | 'pinned';

/** An entry is reachable for half to one and a half of this after it was confirmed (net.ipv4.neigh.*.base_reachable_time_ms). */
const BASE_REACHABLE_US = 30 * SECOND_US;
/** A stale entry that is used waits this long for a confirmation from above before it is probed. */
const DELAY_FIRST_PROBE_US = 5 * SECOND_US;
const PROBE_INTERVAL_US = SECOND_US;
/** Broadcasts of a new entry, and unicast probes of an old one. */
const PROBES = 3;
/** An answer within this time after another does not replace it: of two owners the first to answer wins. */
const LOCK_TIME_US = SECOND_US;
/** Packets that wait for an answer. */
const QUEUE_LIMIT = 101;

/**
 * What one kernel believes about one address of a link: which card answers for it, and since when. Rules of Linux
 * (reference/corrections.md timelines d and e: an entry of a dead owner swallows packets until it is probed, an address
 * that nobody owns is unreachable after 3 s).
 */
export class Neighbour {
  readonly link: Link;
  readonly address: string;
  state: NeighbourState = 'none';
  mac = '';
  /** Last proof that the neighbour hears us: an answer, or acknowledged data. */
  confirmedAtUs = 0;
  #reachableForUs = 0;
  #updatedAtUs = -LOCK_TIME_US;
  #delayedAtUs = 0;
  #probesSent = 0;
  #timer: Timer | undefined;
  #waiting: Packet[] = [];

  constructor(link: Link, address: string) {
    this.link = link;
    this.address = address;
  }

  /** Instant until which nothing about the entry changes by itself, for paths that rely on it. */
  validUntilUs(): number {
    return this.state === 'reachable' ? this.confirmedAtUs + this.#reachableForUs : Number.MAX_SAFE_INTEGER;
  }

  /** A packet is about to be sent: true when the entry tells where to; starts what its age calls for. */
  use(nowUs: number): boolean {
    switch (this.state) {
      case 'reachable':
        if (nowUs >= this.confirmedAtUs + this.#reachableForUs) this.#delay(nowUs);
        return true;
      case 'stale':
        this.#delay(nowUs);
        return true;
      case 'delay':
      case 'probe':
      case 'pinned':
        return true;
      case 'incomplete':
        return false;
      default:
        this.#solicit();
        return false;
    }
  }

  /** Keeps a packet until the address is resolved; the oldest is dropped when too many wait. */
  enqueue(packet: Packet): void {
    if (this.#waiting.length >= QUEUE_LIMIT) this.#waiting.shift()!.lost();
    this.#waiting.push(packet);
  }

  /** The neighbour answered a question of ours. */
  answered(mac: string, nowUs: number): void {
    if (this.state === 'pinned') return;
    const known = this.#isKnown();
    if (known && mac !== this.mac && nowUs < this.#updatedAtUs + LOCK_TIME_US) return;
    this.#learn(mac, nowUs);
    this.#enter('reachable');
    this.confirmedAtUs = nowUs;
    this.#reachableForUs = this.#drawReachableUs();
    this.#flush();
  }

  /** Heard of the owner without having asked: a request of its own, or (with `gratuitous`) an announcement. */
  heard(mac: string, nowUs: number, gratuitous: boolean): void {
    if (this.state === 'pinned') return;
    if (this.#isKnown()) {
      if (mac === this.mac) return;
      if (!gratuitous && nowUs < this.#updatedAtUs + LOCK_TIME_US) return;
    }
    this.#learn(mac, nowUs);
    this.#enter('stale');
    this.#flush();
  }

  /** A fault: the entry stays as it is until {@link unpin}. */
  pin(): void {
    if (!this.#isKnown()) return;
    this.#enter('pinned');
    this.link.kernel.neighboursChanged();
  }

  unpin(): void {
    if (this.state !== 'pinned') return;
    this.#enter('stale');
    this.link.kernel.neighboursChanged();
  }

  /** Carrier lost, or the kernel ends: the entry is forgotten. */
  forget(): void {
    this.#enter('none');
    for (const packet of this.#waiting.splice(0)) packet.lost();
  }

  #isKnown(): boolean {
    return this.state !== 'none' && this.state !== 'incomplete' && this.state !== 'failed';
  }

  #enter(state: NeighbourState): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.state = state;
  }

  #learn(mac: string, nowUs: number): void {
    const isNew = mac !== this.mac || !this.#isKnown();
    this.mac = mac;
    this.#updatedAtUs = nowUs;
    if (!isNew) return;
    this.link.kernel.neighboursChanged();
    this.link.kernel.reportNeighbour(this);
  }

  #flush(): void {
    for (const packet of this.#waiting.splice(0)) this.link.emit(packet, this);
  }

  #drawReachableUs(): number {
    const base = BASE_REACHABLE_US / MILLISECOND_US;
    return this.link.kernel.neighbourDraws.int(base / 2, (base * 3) / 2) * MILLISECOND_US;
  }

  #delay(nowUs: number): void {
    this.#enter('delay');
    this.#delayedAtUs = nowUs;
    this.#arm(DELAY_FIRST_PROBE_US, () => {
      if (this.confirmedAtUs > this.#delayedAtUs) {
        this.#enter('reachable');
        this.#reachableForUs = this.#drawReachableUs();
        this.link.kernel.neighboursChanged();
      } else {
        this.#enter('probe');
        this.#probesSent = 0;
        this.#probe();
      }
    });
  }

  #solicit(): void {
    this.#enter('incomplete');
    this.mac = '';
    this.#probesSent = 0;
    this.#probe();
  }

  #probe(): void {
    if (this.#probesSent >= PROBES) {
      this.#fail();
      return;
    }
    this.#probesSent++;
    this.link.ask(this.address, this.state === 'probe' ? this.mac : undefined);
    this.#arm(PROBE_INTERVAL_US, () => this.#probe());
  }

  #fail(): void {
    this.#enter('failed');
    this.link.kernel.neighboursChanged();
    this.link.kernel.reportNeighbour(this);
    for (const packet of this.#waiting.splice(0)) packet.unreachable(this.link.kernel);
  }

  #arm(delayUs: number, callback: () => void): void {
    this.#timer = this.link.kernel.schedule(delayUs, () => {
      this.#timer = undefined;
      callback();
    });
  }
}
