import { expect, it } from 'vitest';
import { type Bounds, explore } from '../../support/raft/explore.ts';
import { byTier } from '../../support/tier.ts';

const deeper = byTier(0, 1, 2);
/** Two terms after that of birth, three entries after that of birth. */
const size = { maxTerm: 3, maxIndex: 4 } as const;
const calm = { ...size, drops: 0, duplicates: 0, crashes: 0, beats: 0 } as const;
const faulty = { ...size, drops: 1, duplicates: 1, crashes: 1, beats: 1 } as const;

/** What to explore, how deep in a commit's tests, and how many states that reaches. */
const SCOPES: readonly (readonly [string, Bounds, number])[] = [
  ['from birth', { ...calm, from: 'birth', asyncStorage: false, depth: 7 }, 8_112],
  ['from birth, with faults', { ...faulty, from: 'birth', asyncStorage: false, depth: 4 }, 3_302],
  ['from birth, with faults, storage threads', { ...faulty, from: 'birth', asyncStorage: true, depth: 4 }, 4_968],
  ['from a leader', { ...calm, from: 'leader', asyncStorage: false, depth: 7 }, 4_087],
  ['from a leader, storage threads', { ...calm, from: 'leader', asyncStorage: true, depth: 7 }, 5_385],
  ['from a leader, with faults', { ...faulty, from: 'leader', asyncStorage: false, depth: 4 }, 8_148],
  ['from a leader, with faults, storage threads', { ...faulty, from: 'leader', asyncStorage: true, depth: 3 }, 1_449],
];

for (const [name, bounds, states] of SCOPES) {
  it(`Raft, everything that can happen to three nodes ${name}`, { timeout: 3_600_000 }, () => {
    const depth = bounds.depth + deeper;
    const found = explore({ ...bounds, depth });
    console.log(`raft, ${name}: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`);
    expect(found.byDepth.slice(0, bounds.depth + 1).reduce((sum, one) => sum + one, 0)).toBe(states);
    expect(found.depth).toBe(depth);
  });
}
