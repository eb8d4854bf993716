import { HASH_START, hashText } from '../platform/executor.ts';
import type { EventFields, EventValue } from '../platform/log.ts';

const WORD = 0x1_0000_0000;

/** A running 64-bit fingerprint of everything that happened, in order. */
export class Digest {
  #a = 0x243f6a88;
  #b = 0x85a308d3;

  /** Folds one integer; only its low 32 bits count. */
  fold(word: number): void {
    const a = Math.imul(this.#a ^ word, 0x85ebca6b);
    this.#a = a ^ (a >>> 15);
    const b = Math.imul(this.#b + word + this.#a, 0xc2b2ae35);
    this.#b = b ^ (b >>> 13);
  }

  /** Folds an integer of up to 53 bits. */
  foldWide(value: number): void {
    this.fold(value | 0);
    this.fold(Math.floor(value / WORD) | 0);
  }

  foldText(text: string): void {
    this.fold(text.length);
    this.fold(hashText(HASH_START, text));
  }

  foldFields(fields: EventFields): void {
    for (const name of Object.keys(fields)) {
      this.foldText(name);
      this.#foldValue(fields[name]!);
    }
  }

  #foldValue(value: EventValue): void {
    if (typeof value === 'string') this.foldText(value);
    else if (typeof value === 'boolean') this.fold(value ? 1 : 2);
    else if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) this.foldWide(value);
      else this.foldText(String(value));
    } else {
      this.fold(value.length);
      for (const item of value) this.foldText(item);
    }
  }

  /** 16 lower-case hex digits. */
  text(): string {
    return hex(this.#a) + hex(this.#b);
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
