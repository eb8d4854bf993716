import { expect, it } from 'vitest';
import { runStorage } from '../../support/raft/storage-run.ts';

it('MemoryStorage holds what a plain array would, whatever is written over and compacted', () => {
  for (let seed = 0; seed < 300; seed++) expect(runStorage(seed), `seed ${seed}`).toBeUndefined();
});
