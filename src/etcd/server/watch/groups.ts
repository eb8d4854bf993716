import type { KeyRange } from '../mvcc/keys.ts';
import type { Watcher } from './watcher.ts';

/** Watchers of one and the same range. */
interface RangeGroup {
  readonly range: KeyRange;
  readonly watchers: Set<Watcher>;
}

/**
 * Watchers that are up to date, by what they watch: single keys in a map, ranges grouped by their bounds, so that a
 * thousand watchers of one prefix cost one comparison per event.
 */
export class WatcherGroups {
  readonly #byKey = new Map<string, Set<Watcher>>();
  readonly #ranges = new Map<string, RangeGroup>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(watcher: Watcher): void {
    this.#size++;
    const { range } = watcher;
    if (range.single) {
      const known = this.#byKey.get(range.from);
      if (known === undefined) this.#byKey.set(range.from, new Set([watcher]));
      else known.add(watcher);
      return;
    }
    const name = rangeName(range);
    const group = this.#ranges.get(name);
    if (group === undefined) this.#ranges.set(name, { range, watchers: new Set([watcher]) });
    else group.watchers.add(watcher);
  }

  remove(watcher: Watcher): void {
    const { range } = watcher;
    const name = rangeName(range);
    const watchers = range.single ? this.#byKey.get(range.from) : this.#ranges.get(name)?.watchers;
    if (watchers === undefined || !watchers.delete(watcher)) return;
    this.#size--;
    if (watchers.size > 0) return;
    if (range.single) this.#byKey.delete(range.from);
    else this.#ranges.delete(name);
  }

  /** Calls `visit` with every set of watchers that watch `key`. */
  watching(key: string, visit: (watchers: ReadonlySet<Watcher>) => void): void {
    const exact = this.#byKey.get(key);
    if (exact !== undefined) visit(exact);
    for (const group of this.#ranges.values()) {
      if (key >= group.range.from && (group.range.end === null || key < group.range.end)) visit(group.watchers);
    }
  }

  *all(): Generator<Watcher, void, undefined> {
    for (const watchers of this.#byKey.values()) yield* watchers;
    for (const group of this.#ranges.values()) yield* group.watchers;
  }
}

function rangeName(range: KeyRange): string {
  return range.end === null ? `${range.from.length}:${range.from}` : `${range.from.length}:${range.from}${range.end}`;
}
