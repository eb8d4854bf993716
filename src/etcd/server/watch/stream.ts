import { EtcdError } from '../../../api/etcd/errors.ts';
import type { Event, ResponseHeader } from '../../../api/etcd/kv.ts';
import { isOpenEnd } from '../../../api/etcd/ranges.ts';
import { NO_WATCH, type WatchCreateRequest, type WatchId, WatchResponse } from '../../../api/etcd/watch.ts';
import type { Clock, Timer } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import { Notifier } from '../../../platform/signal.ts';
import type { Task } from '../../../platform/task.ts';
import { type KeyRange, keyOf } from '../mvcc/keys.ts';
import type { MvccStore } from '../mvcc/store.ts';
import { fragmentsOf } from './fragments.ts';
import type { WatchHub } from './hub.ts';
import { type WatchBatch, Watcher, type WatchSink } from './watcher.ts';

/** Answers that wait for the network before watchers become victims (reference/etcd.md A8). */
const CHANNEL_CAPACITY = 128;

/** What a stream needs of the member. */
export interface WatchStreamDeps {
  readonly hub: WatchHub;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: () => MvccStore;
  /** A full header; `revision` 0 means the current one. */
  readonly header: (revision: number) => ResponseHeader;
  readonly progressIntervalUs: number;
  /** Size from which a fragmenting watcher's answers are cut. */
  readonly fragmentBytes: number;
  readonly refusesNegativeStart: boolean;
}

/** What goes to the client: an answer as it is, or a batch whose previous values are looked up when it is sent. */
type Outgoing = { readonly response: WatchResponse } | { readonly batch: WatchBatch };

/** One client stream with its watchers. */
export class WatchStream implements WatchSink {
  readonly #deps: WatchStreamDeps;
  readonly #watchers = new Map<WatchId, Watcher>();
  /** Watchers that had events or progress since the last progress tick. */
  readonly #spoke = new Set<WatchId>();
  readonly #queue: Outgoing[] = [];
  /** Batches in the queue: control answers do not count towards its capacity. */
  #batches = 0;
  readonly #ready = new Notifier();
  #nextId = 0;
  #progressTimer: Timer | null = null;

  constructor(deps: WatchStreamDeps) {
    this.#deps = deps;
  }

  /** Serves a create request. The answer goes out before any event of the watcher. */
  create(request: WatchCreateRequest): void {
    const refused = this.#refusal(request);
    if (refused !== null) {
      const header = this.#deps.header(0);
      const answer = { header, watchId: NO_WATCH, created: true, canceled: true, cancelReason: refused };
      this.#push(WatchResponse.of(answer));
      return;
    }
    const id = this.#chooseId(request.watchId);
    const watcher = new Watcher({
      id,
      range: watchRange(request),
      sink: this,
      startRevision: request.startRevision,
      progressNotify: request.progressNotify,
      prevKv: request.prevKv,
      fragment: request.fragment,
      filters: request.filters,
    });
    this.#watchers.set(id, watcher);
    this.#push(WatchResponse.of({ header: this.#deps.header(0), watchId: id, created: true }));
    this.#deps.hub.add(watcher);
    if (request.progressNotify) this.#armProgress();
  }

  /** Why a watch cannot begin, as the answer says it; null when it can. */
  #refusal(request: WatchCreateRequest): string | null {
    if (request.startRevision < 0 && this.#deps.refusesNegativeStart) return EtcdError.Compacted.message;
    const range = watchRange(request);
    if (range.end !== null && range.from >= range.end) return 'mvcc: watcher range is empty';
    const taken = request.watchId !== 0 && this.#watchers.has(request.watchId);
    return taken ? 'mvcc: duplicate watch ID provided on the WatchStream' : null;
  }

  /** The id that was asked for, else the next free one: they count up from 0 and never go back. */
  #chooseId(wanted: WatchId): WatchId {
    if (wanted !== 0) return wanted;
    while (this.#watchers.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }

  /** Ends a watch; an unknown id is not answered. */
  cancel(id: WatchId): void {
    const watcher = this.#watchers.get(id);
    if (watcher === undefined) return;
    this.#forget(watcher);
    this.#push(WatchResponse.of({ header: this.#deps.header(0), watchId: id, canceled: true }));
  }

  /** Answers a request for progress, but only if every watcher is up to date; else it is dropped. */
  requestProgress(): void {
    if (this.#watchers.size === 0) return;
    for (const watcher of this.#watchers.values()) if (!this.#deps.hub.isSynced(watcher)) return;
    this.#push(WatchResponse.of({ header: this.#deps.header(0), watchId: NO_WATCH }));
  }

  offer(batch: WatchBatch): boolean {
    if (this.#batches >= CHANNEL_CAPACITY) return false;
    this.#batches++;
    this.#queue.push({ batch });
    this.#ready.notify();
    return true;
  }

  compacted(watcher: Watcher, compactRevision: number): void {
    this.#forget(watcher);
    const header = { ...this.#deps.header(0), revision: 0 };
    this.#push(WatchResponse.of({ header, watchId: watcher.id, canceled: true, compactRevision }));
  }

  /** Waits for the next answers to send, in order; a fragmented one is several. */
  *next(): Task<readonly WatchResponse[]> {
    while (this.#queue.length === 0) yield* this.#ready.changed();
    const outgoing = this.#queue.shift()!;
    if ('response' in outgoing) return [outgoing.response];
    this.#batches--;
    return this.#render(outgoing.batch);
  }

  close(): void {
    this.#progressTimer?.cancel();
    for (const watcher of this.#watchers.values()) this.#deps.hub.remove(watcher);
    this.#watchers.clear();
    this.#queue.length = 0;
  }

  #forget(watcher: Watcher): void {
    this.#deps.hub.remove(watcher);
    this.#watchers.delete(watcher.id);
    this.#spoke.delete(watcher.id);
  }

  #push(response: WatchResponse): void {
    this.#queue.push({ response });
    this.#ready.notify();
  }

  #render(batch: WatchBatch): readonly WatchResponse[] {
    const { watcher } = batch;
    this.#spoke.add(watcher.id);
    const events = watcher.prevKv ? batch.events.map((event) => this.#withPrevious(event)) : batch.events;
    const response = WatchResponse.of({
      header: this.#deps.header(batch.revision),
      watchId: watcher.id,
      events,
    });
    return watcher.fragment ? fragmentsOf(response, this.#deps.fragmentBytes) : [response];
  }

  /** The value before the event, as far as compaction left it. */
  #withPrevious(event: Event): Event {
    const { kv } = event;
    if (kv.version === 1) return event;
    const store = this.#deps.store();
    const before = kv.modRevision - 1;
    if (store.checkRevision(before) !== null) return event;
    return { ...event, prevKv: store.get(keyOf(kv.key), before) };
  }

  #armProgress(): void {
    if (this.#progressTimer !== null) return;
    const { progressIntervalUs, clock, random } = this.#deps;
    const jitterUs = random.int(0, Math.floor(progressIntervalUs / 10));
    const tick = (): void => {
      this.#notifyProgress();
      this.#progressTimer = clock.after(progressIntervalUs + jitterUs, tick);
    };
    this.#progressTimer = clock.after(progressIntervalUs + jitterUs, tick);
  }

  #notifyProgress(): void {
    for (const watcher of this.#watchers.values()) {
      if (!watcher.progressNotify) continue;
      if (this.#spoke.has(watcher.id)) this.#spoke.delete(watcher.id);
      else if (this.#deps.hub.isSynced(watcher) && this.#batches < CHANNEL_CAPACITY) {
        this.#push(WatchResponse.of({ header: this.#deps.header(0), watchId: watcher.id }));
      }
    }
  }
}

/** The keys a request watches: an empty key means "from the first", an end of one zero byte "to the last". */
function watchRange(request: WatchCreateRequest): KeyRange {
  const from = request.key.length === 0 ? '\0' : keyOf(request.key);
  if (request.rangeEnd.length === 0) return { from, end: `${from}\0`, single: true };
  const open = isOpenEnd(request.rangeEnd);
  return { from, end: open ? null : keyOf(request.rangeEnd), single: false };
}
