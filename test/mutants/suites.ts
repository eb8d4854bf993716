import type { MutantSuite } from './mutant.ts';

/** Every area that has mutants. */
export const suites: readonly MutantSuite[] = [];
