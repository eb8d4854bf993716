import type { MutantSuite } from './mutant.ts';
import { ELECTION_ROWS } from './raft/elections.ts';
import { LOG_ROWS } from './raft/logs.ts';
import { MEMBER_ROWS } from './raft/members.ts';
import { OUTSIDER_ROWS } from './raft/outsider.ts';
import { mutantOf } from './raft/row.ts';

/** Bugs of Raft; sections are those of reference/raft.md. */
export const raftSuite: MutantSuite = {
  area: 'raft',
  entry: 'test/mutants/raft-entry.ts',
  maxSeeds: 1000,
  mutants: [...ELECTION_ROWS, ...LOG_ROWS, ...MEMBER_ROWS, ...OUTSIDER_ROWS].map(mutantOf),
};
