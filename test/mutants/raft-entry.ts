import { drawPlan } from '../support/raft/draw.ts';
import { runPlan } from '../support/raft/run.ts';
import { runStorage } from '../support/raft/storage-run.ts';
import type { SeedRunner } from './mutant.ts';

/** One random cluster under the specification, healed at the end; and a storage beside its model. */
export const runSeed: SeedRunner = (seed) => runStorage(seed) ?? runPlan(drawPlan(seed))?.rule;
