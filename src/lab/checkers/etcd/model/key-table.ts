import type { KeyValue } from '../../../../api/etcd/kv.ts';
import { sameBytes } from '../../../../platform/bytes.ts';

/** What the table needs of the versions of a key: the oldest of them tells whose they are. */
type Keyed = Pick<KeyValue, 'key'> & { readonly text: string };

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Histories by key, none of them empty. Numbers are found faster than texts in a large map, and a key's bytes need no text
 * to be looked for: checkers do little else. A place that another key has is passed over for the next.
 */
export class KeyTable<T extends Keyed> {
  readonly #places = new Map<number, T[]>();

  ofBytes(key: Uint8Array): T[] | undefined {
    for (let place = placeOfBytes(key); ; place = (place + 1) | 0) {
      const history = this.#places.get(place);
      if (history === undefined || sameBytes(history[0]!.key, key)) return history;
    }
  }

  ofText(text: string): T[] | undefined {
    for (let place = placeOfText(text); ; place = (place + 1) | 0) {
      const history = this.#places.get(place);
      if (history === undefined || history[0]!.text === text) return history;
    }
  }

  /** A key that is not in the table. */
  add(history: T[]): void {
    let place = placeOfText(history[0]!.text);
    while (this.#places.has(place)) place = (place + 1) | 0;
    this.#places.set(place, history);
  }

  /** Takes a key out. What had to pass its place over is put in anew. */
  remove(history: T[]): void {
    let place = placeOfText(history[0]!.text);
    while (this.#places.get(place) !== history) place = (place + 1) | 0;
    this.#places.delete(place);
    for (;;) {
      place = (place + 1) | 0;
      const next = this.#places.get(place);
      if (next === undefined) return;
      this.#places.delete(place);
      this.add(next);
    }
  }
}

function placeOfBytes(key: Uint8Array): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key[i]!, FNV_PRIME);
  return hash | 0;
}

function placeOfText(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash | 0;
}
