import {
  EMPTY_CONF_STATE,
  type Entry,
  entrySize,
  MemoryStorage,
  NO_LIMIT,
  StorageError,
  TERM_COMPACTED,
  TERM_UNAVAILABLE,
} from '../../../src/raft/index.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';

const STEPS = 24;
const PROBES = 12;
/** Lengths around which a storage that works in blocks is most likely to be wrong. */
const BLOCK = 1024;

/** A storage as simple as can be: one array of entries above one entry. */
class Model {
  base = { index: 0, term: 0 };
  entries: Entry[] = [];

  get last(): number {
    return this.base.index + this.entries.length;
  }

  term(index: number): number {
    if (index < this.base.index) return TERM_COMPACTED;
    if (index === this.base.index) return this.base.term;
    return this.entries[index - this.base.index - 1]?.term ?? TERM_UNAVAILABLE;
  }

  append(entries: readonly Entry[]): void {
    const fresh = entries.filter(({ index }) => index > this.base.index);
    if (fresh.length > 0) this.entries = [...this.entries.slice(0, fresh[0]!.index - this.base.index - 1), ...fresh];
  }

  compact(index: number): void {
    const base = { index, term: this.term(index) };
    this.entries = this.entries.slice(index - this.base.index);
    this.base = base;
  }

  read(lo: number, hi: number, maxBytes: number): readonly Entry[] {
    const found = this.entries.slice(lo - this.base.index - 1, hi - this.base.index - 1);
    let size = 0;
    for (let i = 0; i < found.length; i++) {
      size += entrySize(found[i]!);
      if (size > maxBytes && i > 0) return found.slice(0, i);
    }
    return found;
  }
}

/** Random writes to a `MemoryStorage` beside the model; the rule that was broken, or undefined. */
export function runStorage(seed: string | number): string | undefined {
  const random = new KeyedRandom(`${seed}`, 'raft-storage');
  const storage = new MemoryStorage(random.int(0, 1) === 0 ? '3.6' : '3.7');
  const model = new Model();
  let term = 1;
  let birth = 0;
  for (let step = 0; step < STEPS; step++) {
    const kind = random.int(0, 9);
    if (kind < 6) {
      term += random.int(0, 1);
      const first = drawStart(random, model, birth);
      const length = random.int(0, 2) === 0 ? random.int(1, 2 * BLOCK) : random.int(1, 8);
      const entries = Array.from({ length }, (_, i): Entry => {
        return { term, index: first + i, type: 0, typePresent: i % 2 === 0, data: i % 3 === 0 ? null : DATA };
      });
      storage.append(entries);
      model.append(entries);
    } else if (kind < 9) {
      if (model.entries.length === 0) continue;
      const index = random.int(model.base.index + 1, model.last);
      if (storage.compact(index) !== null) return 'storage: compaction is taken';
      model.compact(index);
    } else {
      const index = model.last + random.int(1, 2 * BLOCK);
      birth = index;
      const refused = storage.applySnapshot({ index, term, confState: EMPTY_CONF_STATE, data: null });
      if (refused !== null) return 'storage: newer snapshots are taken';
      model.base = { index, term };
      model.entries = [];
    }
    const broken = compare(random, storage, model);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

const DATA = new Uint8Array(3);

/** Where to append: at the end, or over what is there; at the border of a block as often as not. */
function drawStart(random: KeyedRandom, model: Model, birth: number): number {
  if (random.int(0, 2) === 0) return model.last + 1;
  const border = birth + 1 + BLOCK * random.int(0, 4) + random.int(-1, 1);
  const isThere = border > 0 && border <= model.last;
  return random.int(0, 1) === 0 && isThere ? border : random.int(Math.max(model.base.index - 3, 1), model.last + 1);
}

function compare(random: KeyedRandom, storage: MemoryStorage, model: Model): string | undefined {
  if (storage.firstIndex() !== model.base.index + 1) return 'storage: first index';
  if (storage.lastIndex() !== model.last) return 'storage: last index';
  for (let probe = 0; probe < PROBES; probe++) {
    const index = random.int(Math.max(model.base.index - 1, 0), model.last + 1);
    if (storage.term(index) !== model.term(index)) return 'storage: terms';
  }
  if (model.entries.length === 0) {
    const refused = storage.entries(model.base.index, model.last + 1, NO_LIMIT);
    return refused === StorageError.Compacted ? undefined : 'storage: compacted entries are refused';
  }
  const lo = random.int(model.base.index + 1, model.last);
  const hi = random.int(lo, model.last + 1);
  const maxBytes = random.int(0, 1) === 0 ? NO_LIMIT : random.int(0, 200);
  const found = storage.entries(lo, hi, maxBytes);
  const expected = model.read(lo, hi, maxBytes);
  const same =
    typeof found !== 'string' && found.length === expected.length && expected.every((e, i) => e === found[i]);
  return same ? undefined : 'storage: entries';
}
