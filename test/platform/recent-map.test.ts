import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentMap } from '../../src/platform/recent-map.ts';

describe('a map of what does not stay long', () => {
  it('does what a Map does, whatever stays and however long', () => {
    const step = fc.record({ add: fc.integer({ min: 1, max: 40 }), drop: fc.nat({ max: 200 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const map = new RecentMap<string>();
        const model = new Map<number, string>();
        let key = 300;
        for (const { add, drop } of steps) {
          key += add;
          map.set(key, `value ${key}`);
          model.set(key, `value ${key}`);
          const gone = key - drop;
          expect(map.get(gone)).toBe(model.get(gone));
          expect(map.delete(gone)).toBe(model.delete(gone));
          expect(map.get(gone)).toBeUndefined();
          expect(map.size).toBe(model.size);
        }
        expect(map.values()).toEqual([...model.values()]);
        for (const [at, value] of model) expect(map.get(at)).toBe(value);
        map.clear();
        expect(map.values()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps one old entry through any number of short ones, and keys beyond 32 bits', () => {
    const map = new RecentMap<number>();
    const start = 0x1_2345_6789_ab;
    map.set(start, -1);
    for (let key = start + 1; key < start + 50_000; key++) {
      map.set(key, key);
      expect(map.delete(key)).toBe(true);
    }
    expect(map.values()).toEqual([-1]);
  });
});
