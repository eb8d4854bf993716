/** A planted bug: one exact piece of source replaced by another, and the suite whose checkers must notice. */
export interface Mutant {
  /** `raft-vote-twice`: the area first. */
  readonly name: string;
  /** What the bug is, in words. */
  readonly about: string;
  /** Where the idea comes from: a section of the reference, or `own`. */
  readonly source: string;
  /** File below the root of the project. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** What one seed of a suite gave: the name of the checker or property that noticed, or undefined. */
export type SeedRunner = (seed: number) => string | undefined;

/** A suite that hunts mutants of one area: `entry` exports `runSeed: SeedRunner`. */
export interface MutantSuite {
  readonly area: string;
  readonly entry: string;
  readonly maxSeeds: number;
  readonly mutants: readonly Mutant[];
}
