import type { MutantSuite } from './mutant.ts';

/** Bugs of a whole cluster, one for each guarantee that its checkers watch. */
export const clusterSuite: MutantSuite = {
  area: 'cluster',
  entry: 'test/mutants/cluster-entry.ts',
  maxSeeds: 10,
  mutants: [
    {
      name: 'cluster-vote-of-one',
      about: 'one vote wins an election of three',
      source: 'raft.md A14',
      file: 'src/raft/quorum/majority.ts',
      find: 'if (granted >= quorum) return VoteResult.Won;',
      replace: 'if (granted >= 1) return VoteResult.Won;',
    },
    {
      name: 'cluster-wal-without-sync',
      about: 'etcd acknowledges entries that are not on its disk yet',
      source: 'own',
      file: 'src/etcd/server/wal/wal.ts',
      find: 'else if (mustSync) yield* this.#file.sync();',
      replace: '',
    },
    {
      name: 'cluster-learner-founds',
      about: 'a control plane that was added as a learner founds a cluster of its own',
      source: 'v1.11.3.md 2.1',
      file: 'src/nodes/services/builtin/etcd.ts',
      find: "return { kind: 'existing', initialCluster: joined.initialCluster };",
      replace: "return { kind: 'new' };",
    },
    {
      name: 'cluster-versions-skip',
      about: 'a key that is written again skips a version',
      source: 'etcd.md A2',
      file: 'src/etcd/server/mvcc/store.ts',
      find: 'const version = previous === null ? 1 : previous.version + 1;',
      replace: 'const version = previous === null ? 1 : previous.version + 2;',
    },
    {
      name: 'cluster-learner-takes-itself-for-voter',
      about: 'a member that was added as a learner records itself as a voter',
      source: 'etcd.md B4',
      file: 'src/etcd/server/membership/cluster.ts',
      find: 'isLearner: change.type === ConfChangeType.AddLearnerNode };',
      replace: 'isLearner: change.type === ConfChangeType.AddLearnerNode && change.nodeId !== this.localId };',
    },
    {
      name: 'cluster-address-kept',
      about: 'a leader keeps the shared address when its session in etcd is over',
      source: 'network-config.md A.3',
      file: 'src/nodes/operators/vip.ts',
      find: 'lost: candidacy.lost(),',
      replace: '',
    },
    {
      name: 'cluster-pods-before-etcd',
      about: 'the control plane appears while the local etcd is not healthy yet',
      source: 'v1.11.3.md 8.3',
      file: 'src/nodes/controllers/k8s/control-plane-static-pod.ts',
      find: 'if (etcd !== undefined && !etcd.spec.healthy) return undefined;',
      replace: '',
    },
  ],
};
