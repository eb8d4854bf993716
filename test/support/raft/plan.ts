import type { Behaviour, ReadOnlyOption } from '../../../src/raft/index.ts';

/** Nodes are numbered from 1; 0 stands for whoever leads, or else for node 1. */
export type NodeNumber = number;

/** One step of a schedule. `pick` chooses among the messages under way, whatever their number. */
export type Step =
  | { readonly do: 'tick'; readonly node: NodeNumber; readonly count: number }
  | { readonly do: 'tickAll'; readonly count: number }
  | { readonly do: 'deliver'; readonly pick: number; readonly work: number }
  /** A message is lost, arrives and is still under way, or arrives again though it arrived before; of snapshots
   * only the latest are remembered. */
  | { readonly do: 'drop' | 'duplicate' | 'replay' | 'replaySnapshot'; readonly pick: number }
  | { readonly do: 'work'; readonly node: NodeNumber; readonly count: number; readonly lane: number }
  | { readonly do: 'settle'; readonly rounds: number }
  | { readonly do: 'crash'; readonly node: NodeNumber; readonly unsyncedSurvives: boolean }
  | { readonly do: 'restart' | 'pause' | 'resume' | 'campaign' | 'forget' | 'leave'; readonly node: NodeNumber }
  /** Nodes whose bit is set lose touch with the others; `leader` is the leader alone, 0 nobody. */
  | { readonly do: 'cut'; readonly side: number | 'leader' }
  /** A disk stands still, or goes on. */
  | { readonly do: 'slow'; readonly node: NodeNumber; readonly on: boolean }
  | { readonly do: 'propose'; readonly node: NodeNumber; readonly sizes: readonly number[] }
  | {
      readonly do: 'reconfigure';
      readonly version: 1 | 2;
      /** That many ordinary entries go before the change in the same proposal. */
      readonly behind: number;
      readonly transition: 0 | 1 | 2;
      readonly changes: readonly { readonly type: 0 | 1 | 3; readonly node: NodeNumber }[];
    }
  | { readonly do: 'transfer'; readonly node: NodeNumber; readonly to: NodeNumber }
  | { readonly do: 'compact'; readonly node: NodeNumber; readonly keep: number }
  | { readonly do: 'read'; readonly node: NodeNumber };

export interface PlanOptions {
  readonly behaviour: Behaviour;
  readonly start: 'snapshot' | 'bootstrap';
  readonly asyncStorage: boolean;
  readonly preVote: boolean;
  readonly checkQuorum: boolean;
  readonly readOnly: ReadOnlyOption;
  readonly stepDownOnRemoval: boolean;
  readonly disableProposalForwarding: boolean;
  /** The application saves how far it is, and a restart goes on from there. */
  readonly checkpoints: boolean;
  /** A leader sends before it writes, as etcd does. */
  readonly leaderSendsFirst: boolean;
  readonly electionTick: number;
  readonly heartbeatTick: number;
  readonly maxInflightMsgs: number;
  /** 0 is "no limit" in each of these but the first, where it is "one entry a message". */
  readonly maxSizePerMsgBytes: number;
  readonly maxCommittedSizePerReadyBytes: number;
  readonly maxUncommittedSizeBytes: number;
  readonly maxInflightBytes: number;
}

/** A run from beginning to end, as plain data: what it does is a function of nothing else. */
export interface Plan {
  /** Feeds the election timeouts. */
  readonly jitterSeed: number;
  readonly total: number;
  readonly voters: readonly NodeNumber[];
  readonly learners: readonly NodeNumber[];
  readonly options: PlanOptions;
  readonly steps: readonly Step[];
}
