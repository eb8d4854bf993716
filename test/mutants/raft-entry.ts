import { drawPlan } from '../support/raft/draw.ts';
import { runPlan } from '../support/raft/run.ts';
import type { SeedRunner } from './mutant.ts';

/** One random cluster under the specification, healed at the end. */
export const runSeed: SeedRunner = (seed) => runPlan(drawPlan(seed))?.rule;
