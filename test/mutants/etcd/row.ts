import type { Mutant } from '../mutant.ts';

/** Name, where the idea comes from, what the bug is, file below src/etcd, the text and what replaces it. */
export type Row = readonly [string, string, string, string, string, string];

export function mutantOf([name, source, about, file, find, replace]: Row): Mutant {
  return { name: `etcd-${name}`, about, source, file: `src/etcd/${file}`, find, replace };
}
