import { clusterSuite } from './cluster.ts';
import { etcdSuite } from './etcd.ts';
import type { MutantSuite } from './mutant.ts';
import { raftSuite } from './raft.ts';

/** Every area that has mutants. */
export const suites: readonly MutantSuite[] = [raftSuite, etcdSuite, clusterSuite];
