import { BIRTH_ROWS } from './etcd/births.ts';
import { LEASE_ROWS } from './etcd/leases.ts';
import { MEMBER_ROWS } from './etcd/members.ts';
import { REQUEST_ROWS } from './etcd/requests.ts';
import { mutantOf } from './etcd/row.ts';
import { STORAGE_ROWS } from './etcd/storage.ts';
import { WATCH_ROWS } from './etcd/watches.ts';
import type { MutantSuite } from './mutant.ts';

/** Bugs of etcd; sections are those of reference/etcd.md. */
export const etcdSuite: MutantSuite = {
  area: 'etcd',
  entry: 'test/mutants/etcd-entry.ts',
  maxSeeds: 1000,
  mutants: [...STORAGE_ROWS, ...REQUEST_ROWS, ...WATCH_ROWS, ...LEASE_ROWS, ...MEMBER_ROWS, ...BIRTH_ROWS].map(
    mutantOf,
  ),
};
