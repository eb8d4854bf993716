import type { Event } from '../../../api/etcd/kv.ts';
import type { Clock, Timer } from '../../../platform/clock.ts';
import { inRange } from '../mvcc/keys.ts';
import type { Revision } from '../mvcc/revision.ts';
import type { MvccStore } from '../mvcc/store.ts';
import { WatcherGroups } from './groups.ts';
import { eventOf, type WatchBatch, type Watcher } from './watcher.ts';

/** Pause between passes over watchers that lag; victims are tried more often (reference/etcd.md A8). */
const RESYNC_US = 100_000;
const VICTIM_US = 10_000;
/** Watchers served in one pass, and distinct revisions in one answer. */
const WATCHERS_PER_PASS = 512;
const REVISIONS_PER_BATCH = 1000;

/**
 * Hands the store's changes to watchers (A8). A watcher is *synced* when everything up to the current revision was
 * offered to its stream, *unsynced* while it replays history, and a *victim* while its stream is full. No event is ever
 * dropped.
 */
export class WatchHub {
  readonly #clock: Clock;
  readonly #store: () => MvccStore;
  readonly #synced = new WatcherGroups();
  #unsynced = new Set<Watcher>();
  #victims = new Map<Watcher, WatchBatch>();
  #resyncTimer: Timer | null = null;
  #victimTimer: Timer | null = null;
  #stopped = false;

  constructor(clock: Clock, store: () => MvccStore) {
    this.#clock = clock;
    this.#store = store;
  }

  get watcherCount(): number {
    return this.#synced.size + this.#unsynced.size + this.#victims.size;
  }

  get currentRevision(): number {
    return this.#store().currentRevision;
  }

  /** Begins a watch: from its start revision, or from the next change. */
  add(watcher: Watcher): void {
    const current = this.#store().currentRevision;
    if (watcher.startRevision === 0 || watcher.startRevision > current) {
      if (watcher.startRevision === 0) watcher.nextRevision = current + 1;
      this.#sync(watcher);
    } else this.#lag(watcher);
  }

  remove(watcher: Watcher): void {
    if (watcher.place === 'synced') this.#synced.remove(watcher);
    this.#unsynced.delete(watcher);
    this.#victims.delete(watcher);
    watcher.place = 'gone';
  }

  /** Whether everything up to the current revision was handed to the watcher's stream. */
  isSynced(watcher: Watcher): boolean {
    return watcher.place === 'synced' && this.currentRevision >= watcher.startRevision;
  }

  /** Offers the changes of one transaction, the newest in the store's log, to the watchers that are up to date. */
  publish(count: number): void {
    if (this.#synced.size === 0) return;
    const changes = this.#store().log.newest(count);
    const revision = changes[0]!.main;
    if (changes.length === 1) this.#publishOne(changes[0]!, revision);
    else this.#publishMany(changes, revision);
  }

  #publishOne(change: Revision, revision: number): void {
    const { history } = change;
    const event = eventOf(change);
    const events = [event];
    const full: WatchBatch[] = [];
    this.#synced.watching(history!.key, (watchers) => {
      for (const watcher of watchers) {
        if (revision < watcher.nextRevision || !watcher.wants(event)) continue;
        const batch: WatchBatch = { watcher, events, revision };
        if (watcher.sink.offer(batch)) watcher.nextRevision = revision + 1;
        else full.push(batch);
      }
    });
    for (const batch of full) this.#makeVictim(batch);
  }

  #publishMany(changes: readonly Revision[], revision: number): void {
    const wanted = new Map<Watcher, Event[]>();
    for (const change of changes) {
      const event = eventOf(change);
      this.#synced.watching(change.history!.key, (watchers) => {
        for (const watcher of watchers) {
          if (revision < watcher.nextRevision || !watcher.wants(event)) continue;
          const events = wanted.get(watcher);
          if (events === undefined) wanted.set(watcher, [event]);
          else events.push(event);
        }
      });
    }
    for (const [watcher, events] of wanted) this.#deliver({ watcher, events, revision });
  }

  #deliver(batch: WatchBatch): void {
    if (batch.watcher.sink.offer(batch)) batch.watcher.nextRevision = batch.revision + 1;
    else this.#makeVictim(batch);
  }

  #makeVictim(batch: WatchBatch): void {
    this.remove(batch.watcher);
    batch.watcher.nextRevision = batch.revision + 1;
    batch.watcher.place = 'victim';
    this.#victims.set(batch.watcher, batch);
    this.#armVictims();
  }

  #sync(watcher: Watcher): void {
    watcher.place = 'synced';
    this.#synced.add(watcher);
  }

  #lag(watcher: Watcher): void {
    watcher.place = 'unsynced';
    this.#unsynced.add(watcher);
    this.#armResync(RESYNC_US);
  }

  /** A snapshot replaced the store: everybody has to look again from where they were. */
  storeReplaced(): void {
    for (const watcher of [...this.#synced.all()]) {
      this.#synced.remove(watcher);
      this.#lag(watcher);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#resyncTimer?.cancel();
    this.#victimTimer?.cancel();
  }

  #armResync(delayUs: number): void {
    if (this.#resyncTimer !== null || this.#stopped) return;
    this.#resyncTimer = this.#clock.after(delayUs, () => {
      this.#resyncTimer = null;
      const before = this.#unsynced.size;
      this.#resync();
      if (this.#unsynced.size === 0) return;
      // While it makes progress it goes on at once, with a breath for others.
      this.#armResync(this.#unsynced.size < before ? 0 : RESYNC_US);
    });
  }

  /** One pass: serves up to 512 watchers from one scan of history. */
  #resync(): void {
    const store = this.#store();
    const current = store.currentRevision;
    const chosen = this.#choose(store);
    if (chosen.length === 0) return;
    let from = current + 1;
    for (const watcher of chosen) from = Math.min(from, watcher.nextRevision);
    const collected = new Map<Watcher, HistoryBatch>();
    store.log.scan(from, (revision) => {
      const event = eventOf(revision);
      const key = revision.history!.key;
      for (const watcher of chosen) {
        if (revision.main < watcher.nextRevision || !inRange(watcher.range, key) || !watcher.wants(event)) continue;
        addToBatch(collected, watcher, event);
      }
      return true;
    });
    for (const watcher of chosen) this.#settle(watcher, collected.get(watcher), current);
  }

  /** Watchers for this pass; those whose history was compacted are told and dropped. */
  #choose(store: MvccStore): Watcher[] {
    const chosen: Watcher[] = [];
    for (const watcher of [...this.#unsynced]) {
      if (chosen.length >= WATCHERS_PER_PASS) break;
      if (watcher.nextRevision > store.currentRevision) {
        // Waits for the future, or the store went back to an older snapshot.
        this.#unsynced.delete(watcher);
        this.#sync(watcher);
      } else if (watcher.nextRevision < store.compactRevision) {
        this.remove(watcher);
        watcher.sink.compacted(watcher, store.compactRevision);
      } else chosen.push(watcher);
    }
    return chosen;
  }

  #settle(watcher: Watcher, batch: HistoryBatch | undefined, current: number): void {
    if (batch === undefined) {
      watcher.nextRevision = Math.max(watcher.nextRevision, current + 1);
      this.#unsynced.delete(watcher);
      this.#sync(watcher);
      return;
    }
    const next = batch.moreFrom ?? current + 1;
    const offered: WatchBatch = { watcher, events: batch.events, revision: current };
    if (!watcher.sink.offer(offered)) {
      this.#makeVictim(offered);
      watcher.nextRevision = next;
      return;
    }
    watcher.nextRevision = next;
    if (batch.moreFrom !== null) return;
    this.#unsynced.delete(watcher);
    this.#sync(watcher);
  }

  #armVictims(): void {
    if (this.#victimTimer !== null || this.#stopped) return;
    this.#victimTimer = this.#clock.after(VICTIM_US, () => {
      this.#victimTimer = null;
      this.#retryVictims();
      if (this.#victims.size > 0) this.#armVictims();
    });
  }

  #retryVictims(): void {
    const current = this.currentRevision;
    for (const [watcher, batch] of [...this.#victims]) {
      if (!watcher.sink.offer(batch)) continue;
      this.#victims.delete(watcher);
      if (watcher.nextRevision <= current) this.#lag(watcher);
      else this.#sync(watcher);
    }
  }
}

/** Events of whole revisions, at most a thousand of them; `moreFrom` says where the rest begins. */
interface HistoryBatch {
  readonly events: Event[];
  revisions: number;
  last: number;
  moreFrom: number | null;
}

function addToBatch(collected: Map<Watcher, HistoryBatch>, watcher: Watcher, event: Event): void {
  const main = event.kv.modRevision;
  let batch = collected.get(watcher);
  if (batch === undefined) {
    batch = { events: [], revisions: 0, last: 0, moreFrom: null };
    collected.set(watcher, batch);
  }
  if (batch.moreFrom !== null) return;
  if (main !== batch.last) {
    if (batch.revisions === REVISIONS_PER_BATCH) {
      batch.moreFrom = main;
      return;
    }
    batch.revisions++;
    batch.last = main;
  }
  batch.events.push(event);
}
