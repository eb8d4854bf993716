import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draw, fixed, longTail, problemOf, rangeOf, triangular, uniform } from '../../src/sim/distribution.ts';
import { KeyedRandom } from '../../src/sim/random.ts';

describe('keyed draws', () => {
  it('are alea on seed and path', () => {
    // Pins the generator: what is drawn here decides every run of every seed.
    const plain = new KeyedRandom('7', 'net/cp-1>cp-2');
    expect([plain.uint32(), plain.uint32(), plain.uint32()]).toMatchInlineSnapshot(`
      [
        1674284248,
        1508420666,
        2061477880,
      ]
    `);
  });

  it('are the same for the same owner, whoever else draws in between', () => {
    const alone = new KeyedRandom('7', 'cp-1').stream('election');
    const expected = Array.from({ length: 20 }, () => alone.int(0, 999));
    const mine = new KeyedRandom('7', 'cp-1').stream('election');
    const other = new KeyedRandom('7', 'cp-9').stream('election');
    const got = Array.from({ length: 20 }, () => {
      other.uint32();
      return mine.int(0, 999);
    });
    expect(got).toEqual(expected);
  });

  it('differ by seed, owner and purpose; a purpose asked for twice starts again', () => {
    const draws = (random: KeyedRandom | ReturnType<KeyedRandom['stream']>) =>
      [random.uint32(), random.uint32()].join();
    const streams = [
      draws(new KeyedRandom('1', 'a')),
      draws(new KeyedRandom('2', 'a')),
      draws(new KeyedRandom('1', 'b')),
      draws(new KeyedRandom('1', 'a').stream('x')),
      draws(new KeyedRandom('1', 'a').stream('y')),
    ];
    expect(new Set(streams).size).toBe(5);
    const parent = new KeyedRandom('1', 'a');
    expect(draws(parent.stream('x'))).toBe(draws(parent.stream('x')));
  });

  it('stay within any bounds up to the safe integers and reach both ends of small ones', () => {
    const edge = Number.MAX_SAFE_INTEGER;
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), fc.nat(), (x, y, seed) => {
        const [min, max] = [Math.min(x, y), Math.max(x, y)];
        fc.pre(max - min < edge);
        const value = new KeyedRandom(`s${seed}`, 'p').int(min, max);
        expect(Number.isSafeInteger(value) && value >= min && value <= max).toBe(true);
      }),
    );
    const die = new KeyedRandom('1', 'die');
    const faces = new Set(Array.from({ length: 200 }, () => die.int(1, 6)));
    expect([...faces].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(() => die.int(3, 2)).toThrow(/draw from/);
  });

  it('are even: chi-square over 100 classes and over seeds in a row', () => {
    for (const next of [
      (() => {
        const random = new KeyedRandom('42', 'even');
        return () => random.int(0, 99);
      })(),
      (() => {
        let seed = 0;
        return () => new KeyedRandom(String(++seed), 'even').int(0, 99);
      })(),
    ]) {
      const counts = new Array<number>(100).fill(0);
      for (let i = 0; i < 20_000; i++) counts[next()]!++;
      const chi = counts.reduce((sum, count) => sum + ((count - 200) * (count - 200)) / 200, 0);
      expect(chi).toBeLessThan(160);
      expect(chi).toBeGreaterThan(50);
    }
  });

  it('chance keeps its promise at the ends and in the middle', () => {
    const random = new KeyedRandom('1', 'chance');
    expect([random.chance(0), random.chance(1_000_000)]).toEqual([false, true]);
    let hits = 0;
    for (let i = 0; i < 10_000; i++) if (random.chance(250_000)) hits++;
    expect(hits).toBeGreaterThan(2_300);
    expect(hits).toBeLessThan(2_700);
  });
});

describe('integer distributions', () => {
  const samples = (distribution: Parameters<typeof draw>[0], count = 4_000) => {
    const random = new KeyedRandom('1', 'distribution');
    return Array.from({ length: count }, () => draw(distribution, random)).sort((a, b) => a - b);
  };

  it('give integers in range with the quantiles they state', () => {
    const all = [uniform(10, 20), triangular(0, 100, 1_000), longTail(1, 10, 100, 1_000), fixed(7)];
    for (const distribution of all) {
      expect(problemOf(distribution)).toBe(undefined);
      const values = samples(distribution);
      const { min, max } = rangeOf(distribution);
      expect(values.every((value) => Number.isInteger(value) && value >= min && value <= max)).toBe(true);
    }
    const tail = samples(longTail(1_000, 2_000, 20_000, 100_000));
    expect(Math.abs(tail[2_000]! - 2_000)).toBeLessThan(200);
    expect(tail[3_900]!).toBeLessThanOrEqual(20_000);
    expect(tail[3_999]!).toBeGreaterThan(20_000);
    // The median of a triangle with its peak at the left end: max × (1 − √½).
    const triangle = samples(triangular(0, 0, 10_000));
    expect(Math.abs(triangle[2_000]! - 2_929)).toBeLessThan(200);
  });

  it('uniform reaches every value and fixed draws nothing', () => {
    expect(new Set(samples(uniform(3, 6), 200))).toEqual(new Set([3, 4, 5, 6]));
    const random = new KeyedRandom('1', 'x');
    draw(fixed(5), random);
    expect(random.uint32()).toBe(new KeyedRandom('1', 'x').uint32());
  });

  it('tells what is wrong with bad data', () => {
    expect(problemOf({ points: [[0, 1]] })).toMatch(/two points/);
    expect(
      problemOf({
        points: [
          [0, 1],
          [5, 2],
        ],
      }),
    ).toMatch(/1000000/);
    expect(
      problemOf({
        points: [
          [0, 2],
          [1_000_000, 1],
        ],
      }),
    ).toMatch(/goes down/);
    expect(
      problemOf({
        points: [
          [0, 0.5],
          [1_000_000, 1],
        ],
      }),
    ).toMatch(/integers/);
  });
});
