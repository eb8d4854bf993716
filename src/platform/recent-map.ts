const START_CAPACITY = 16;
const MAX_CAPACITY = 8192;

/**
 * A map from growing numbers (0 and up) to things that seldom stay long, such as the calls of a connection.
 *
 * A Map would do, were it not for garbage: each time a busy Map makes itself a new table, the old one points to it and
 * goes on holding what it held. Once one of them has grown old the whole chain behind it does, and nothing that was
 * ever in the map dies young. Here a slot is used again as soon as it is free. What stays longer than the slots last
 * moves into a Map, where it does no harm.
 */
export class RecentMap<T> {
  #keys: number[] = new Array<number>(START_CAPACITY).fill(-1);
  #values: (T | undefined)[] = new Array<T | undefined>(START_CAPACITY).fill(undefined);
  #mask = START_CAPACITY - 1;
  #recent = 0;
  readonly #stayed = new Map<number, T>();

  get size(): number {
    return this.#recent + this.#stayed.size;
  }

  get(key: number): T | undefined {
    const slot = key & this.#mask;
    if (this.#keys[slot] === key) return this.#values[slot];
    return this.#stayed.size === 0 ? undefined : this.#stayed.get(key);
  }

  /** Adds an entry whose key is not there. */
  set(key: number, value: T): void {
    let slot = key & this.#mask;
    while (this.#keys[slot] !== -1) {
      if (this.#recent * 2 > this.#mask && this.#mask < MAX_CAPACITY - 1) {
        this.#grow();
        slot = key & this.#mask;
      } else {
        this.#stayed.set(this.#keys[slot]!, this.#values[slot]!);
        this.#free(slot);
      }
    }
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#recent++;
  }

  /** False when there is none. */
  delete(key: number): boolean {
    const slot = key & this.#mask;
    if (this.#keys[slot] !== key) return this.#stayed.delete(key);
    this.#free(slot);
    return true;
  }

  /** In the order of their keys. */
  values(): T[] {
    const entries = [...this.#stayed];
    this.#keys.forEach((key, slot) => {
      if (key !== -1) entries.push([key, this.#values[slot]!]);
    });
    return entries.sort(([a], [b]) => a - b).map(([, value]) => value);
  }

  clear(): void {
    this.#stayed.clear();
    this.#keys.fill(-1);
    this.#values.fill(undefined);
    this.#recent = 0;
  }

  #free(slot: number): void {
    this.#keys[slot] = -1;
    this.#values[slot] = undefined;
    this.#recent--;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    const capacity = keys.length * 2;
    this.#mask = capacity - 1;
    this.#keys = new Array<number>(capacity).fill(-1);
    this.#values = new Array<T | undefined>(capacity).fill(undefined);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      if (key === -1) continue;
      this.#keys[key & this.#mask] = key;
      this.#values[key & this.#mask] = values[i];
    }
  }
}
