import { describe, expect, it } from 'vitest';
import { KeyTable } from '../../../src/lab/checkers/etcd/model/key-table.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';

/** Texts of one place: they have the same FNV-1a of 32 bits. */
const COLLIDING = ['costarring', 'liquid'] as const;

interface Named {
  readonly text: string;
  readonly key: Uint8Array;
}

function historyOf(text: string): Named[] {
  return [{ text, key: utf8Encode(text) }];
}

describe('histories by key', () => {
  it('of one place are told apart, by text and by bytes', () => {
    const table = new KeyTable<Named>();
    for (const text of COLLIDING) expect(table.ofText(text)).toBeUndefined();
    const histories = COLLIDING.map(historyOf);
    for (const history of histories) table.add(history);
    for (const [i, text] of COLLIDING.entries()) {
      expect(table.ofText(text)).toBe(histories[i]);
      expect(table.ofBytes(utf8Encode(text))).toBe(histories[i]);
    }
    expect(table.ofText('solid')).toBeUndefined();
  });

  it('are found when the one that was in their way is gone', () => {
    for (const gone of [0, 1]) {
      const table = new KeyTable<Named>();
      const histories = COLLIDING.map(historyOf);
      for (const history of histories) table.add(history);
      table.remove(histories[gone]!);
      expect(table.ofText(COLLIDING[gone]!)).toBeUndefined();
      expect(table.ofText(COLLIDING[1 - gone]!)).toBe(histories[1 - gone]);
    }
  });
});
