/** What an outside observer knows of a cluster at one instant, derived from events only. */
export interface ClusterView {
  readonly etcd: EtcdView;
  readonly kubernetes: { readonly nodes: readonly { readonly name: string; readonly ready: boolean }[] };
  readonly vip: VipView | undefined;
  readonly machines: readonly MachineView[];
}

export interface EtcdView {
  /** Every etcd cluster that was ever founded and still has a running or stored member, in order of birth. */
  readonly clusters: readonly EtcdClusterView[];
  /** Voters needed to commit in the cluster that most members belong to. */
  readonly quorum: number;
  /** True when some cluster has a leader that a quorum of voters follows. */
  readonly writable: boolean;
}

export interface EtcdClusterView {
  /** Who founded it: the machine, and how (`bootstrap` or `restore`). */
  readonly birth: { readonly machine: string; readonly atUs: number; readonly how: string };
  readonly id: string;
  readonly leader: string;
  readonly term: number;
  readonly revision: number;
  readonly members: readonly EtcdMemberView[];
}

export interface EtcdMemberView {
  readonly name: string;
  readonly id: string;
  readonly learner: boolean;
  readonly healthy: boolean;
}

export interface VipView {
  readonly address: string;
  /** Machines that hold the address now; more than one is a conflict. */
  readonly owners: readonly string[];
}

export interface MachineView {
  readonly name: string;
  /** Name of its Node: the host name that its kubelet registered; before that the machine's own. */
  readonly node: string;
  readonly power: 'on' | 'off';
  readonly stage: string;
  readonly disk: string;
  readonly config: string;
  readonly etcd: string;
  readonly controlPlane: string;
  readonly kubelet: string;
}
