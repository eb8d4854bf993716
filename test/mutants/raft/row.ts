import type { Mutant } from '../mutant.ts';

/** Name, where the idea comes from, what the bug is, file below src/raft, the text and what replaces it. */
export type Row = readonly [string, string, string, string, string, string];

export function mutantOf([name, source, about, file, find, replace]: Row): Mutant {
  return { name: `raft-${name}`, about, source, file: `src/raft/${file}`, find, replace };
}
