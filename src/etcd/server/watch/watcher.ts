import { type Event, EventType, type KeyValue } from '../../../api/etcd/kv.ts';
import { WatchFilter, type WatchId } from '../../../api/etcd/watch.ts';
import type { KeyRange } from '../mvcc/keys.ts';

/** A batch of events for one watcher: whole revisions, in order. */
export interface WatchBatch {
  readonly watcher: Watcher;
  readonly events: readonly Event[];
  /** Goes into the header. */
  readonly revision: number;
}

/** Where a watcher's answers go: its stream. */
export interface WatchSink {
  /** False when the stream cannot take more now. */
  offer(batch: WatchBatch): boolean;
  /** The revision that the watcher needs was compacted; the watcher is gone. */
  compacted(watcher: Watcher, compactRevision: number): void;
}

/** One watch of one stream. */
export class Watcher {
  readonly id: WatchId;
  readonly range: KeyRange;
  readonly sink: WatchSink;
  readonly progressNotify: boolean;
  readonly prevKv: boolean;
  readonly fragment: boolean;
  readonly #noPut: boolean;
  readonly #noDelete: boolean;
  /** Lowest revision that may still have to be sent. */
  nextRevision: number;
  /** Revision that the watch asked to begin with. */
  readonly startRevision: number;
  /** Where the hub keeps it now. */
  place: 'synced' | 'unsynced' | 'victim' | 'gone' = 'gone';

  constructor(options: {
    readonly id: WatchId;
    readonly range: KeyRange;
    readonly sink: WatchSink;
    readonly startRevision: number;
    readonly progressNotify: boolean;
    readonly prevKv: boolean;
    readonly fragment: boolean;
    readonly filters: readonly number[];
  }) {
    this.id = options.id;
    this.range = options.range;
    this.sink = options.sink;
    this.startRevision = options.startRevision;
    this.nextRevision = options.startRevision;
    this.progressNotify = options.progressNotify;
    this.prevKv = options.prevKv;
    this.fragment = options.fragment;
    this.#noPut = options.filters.includes(WatchFilter.NoPut);
    this.#noDelete = options.filters.includes(WatchFilter.NoDelete);
  }

  /** Whether an event of the watched keys is wanted. */
  wants(event: Event): boolean {
    return event.type === EventType.Put ? !this.#noPut : !this.#noDelete;
  }
}

/** The event of one change. A deletion carries key and revision only. */
export function eventOf(kv: KeyValue): Event {
  return { type: kv.version === 0 ? EventType.Delete : EventType.Put, kv, prevKv: null };
}
