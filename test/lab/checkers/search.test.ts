import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model, Operation } from '../../../src/lab/checkers/linearizable/history.ts';
import { searchLinearization } from '../../../src/lab/checkers/linearizable/search.ts';

type Input = { readonly write: number } | 'read';
type Register = Operation<Input, number>;

const register: Model<number, Input, number> = {
  initial: 0,
  step: (state, input, output) =>
    input === 'read'
      ? { fits: output === undefined || output === state, next: state }
      : { fits: true, next: input.write },
  key: (state) => String(state),
};

const write = (client: string, value: number, from: number, to: number, known = true): Register => ({
  client,
  input: { write: value },
  output: known ? 0 : undefined,
  invokedAt: from,
  returnedAt: to,
});
const read = (client: string, value: number, from: number, to: number): Register => ({
  client,
  input: 'read',
  output: value,
  invokedAt: from,
  returnedAt: to,
});

describe('search for a linearization', () => {
  it.each<[string, Register[], string]>([
    ['nothing', [], 'linearizable'],
    ['a read after a write', [write('a', 1, 0, 1), read('b', 1, 2, 3)], 'linearizable'],
    ['a stale read', [write('a', 1, 0, 1), read('b', 0, 2, 3)], 'violation'],
    ['a concurrent read of the old value', [write('a', 1, 0, 5), read('b', 0, 2, 3)], 'linearizable'],
    ['new then old while the write runs', [write('a', 1, 0, 9), read('b', 1, 1, 2), read('b', 0, 3, 4)], 'violation'],
    [
      'a write of unknown outcome that took effect late',
      [write('a', 1, 0, 0, false), read('b', 0, 1, 2), read('b', 1, 3, 4)],
      'linearizable',
    ],
    ['a write of unknown outcome that never did', [write('a', 1, 0, 0, false), read('b', 0, 1, 2)], 'linearizable'],
    ['a value nobody wrote', [write('a', 1, 0, 1), read('b', 2, 0, 3)], 'violation'],
    [
      'two readers that disagree on the order',
      [write('a', 1, 0, 9), write('b', 2, 0, 9), read('c', 1, 10, 11), read('d', 2, 12, 13)],
      'violation',
    ],
  ])('%s', (_what, history, verdict) => {
    expect(searchLinearization(register, history).kind).toBe(verdict);
  });

  it('accepts whatever a real register did, and refuses it once a read is falsified', () => {
    const operation = fc.record({
      write: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      at: fc.nat(60),
      before: fc.nat(5),
      after: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(operation, { size: 'max', maxLength: 12 }), (plan) => {
        let state = 0;
        const ordered = plan
          .map((step, index) => ({ ...step, point: step.at * 100 + index }))
          .toSorted((a, b) => a.point - b.point);
        const history = ordered.map((step, index): Register => {
          const [from, to] = [step.point - step.before * 100, step.point + step.after * 100];
          if (step.write !== undefined) {
            state = step.write;
            return write(`c${index}`, step.write, from, to);
          }
          return read(`c${index}`, state, from, to);
        });
        expect(searchLinearization(register, history).kind).toBe('linearizable');
        const false_ = history.findIndex((item) => item.input === 'read');
        if (false_ < 0) return;
        const broken = history.map((item, index) => (index === false_ ? { ...item, output: 99 } : item));
        expect(searchLinearization(register, broken).kind).toBe('violation');
      }),
      { numRuns: 500 },
    );
  });

  it('gives up within its budget', () => {
    const many = Array.from({ length: 24 }, (_, i) => write(`c${i}`, i, 0, 100));
    expect(searchLinearization(register, [...many, read('r', 777, 101, 102)], 5_000).kind).toBe('undecided');
  });
});
