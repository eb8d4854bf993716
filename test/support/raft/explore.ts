import { type Message, NO_LIMIT, Role } from '../../../src/raft/index.ts';
import { cloneGraph } from './clone.ts';
import { Cluster } from './cluster.ts';
import { fingerprint } from './fingerprint.ts';
import type { Host } from './host.ts';
import type { Plan } from './plan.ts';

/** How far to explore. */
export interface Bounds {
  /** From the birth of the cluster, or with a leader that has committed its first entry everywhere. */
  readonly from: 'birth' | 'leader';
  readonly asyncStorage: boolean;
  readonly depth: number;
  readonly maxTerm: number;
  readonly maxIndex: number;
  /** How many of each a path may hold. */
  readonly drops: number;
  readonly duplicates: number;
  readonly crashes: number;
  readonly beats: number;
}

interface Budget {
  drops: number;
  duplicates: number;
  crashes: number;
  beats: number;
}

/** One choice: what a node is given, and after how many small steps of its own work it crashes, if it does. */
interface Action {
  readonly do: 'deliver' | 'drop' | 'duplicate' | 'campaign' | 'propose' | 'beat';
  /** Position of the message, or of the node. */
  readonly at: number;
  readonly crashAfter?: number;
}

interface State {
  readonly cluster: Cluster;
  readonly left: Budget;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** States first reached at each depth. */
  readonly byDepth: readonly number[];
}

/** Most small steps any node needs to come to rest after one input. */
const MAX_WORK = 64;

/**
 * Goes through everything that can happen to three nodes within bounds, breadth first, under the specification: any
 * order of delivery, lost and doubled messages, a crash and restart between any two steps of a Ready. A node works
 * until it rests, or crashes, after each input; states are told apart by a hash of all that matters.
 */
export function explore(bounds: Bounds): Explored {
  const start: State = { cluster: new Cluster(planOf(bounds)), left: spent(bounds) };
  if (bounds.from === 'leader') {
    start.cluster.step({ do: 'campaign', node: 1 });
    start.cluster.settle(MAX_WORK);
  }
  const seen = new Set<string>([fingerprint(start.cluster, [])]);
  const byDepth = [1];
  let transitions = 0;
  let frontier: (readonly Action[])[] = [[]];
  for (let depth = 1; depth <= bounds.depth && frontier.length > 0; depth++) {
    const next: (readonly Action[])[] = [];
    for (const path of frontier) {
      // States are not kept: one is reached again from the start, which takes less memory and little time.
      const state = { cluster: copied(start.cluster, 'all'), left: { ...start.left } };
      for (const action of path) take(state, action);
      for (const action of enabled(state, bounds)) {
        // The nodes are alike as long as nothing has happened.
        if (bounds.from === 'birth' && depth === 1 && action.at > 0) continue;
        for (const choice of withCrashes(state, action)) {
          const after = { cluster: copied(state.cluster, targetOf(state.cluster, action)), left: { ...state.left } };
          take(after, choice);
          transitions++;
          const mark = fingerprint(after.cluster, Object.values(after.left));
          if (seen.has(mark)) continue;
          seen.add(mark);
          next.push([...path, choice]);
        }
      }
    }
    byDepth.push(next.length);
    frontier = next;
  }
  return { states: seen.size, transitions, depth: byDepth.length - 1, byDepth };
}

function spent({ drops, duplicates, crashes, beats }: Readonly<Budget>): Budget {
  return { drops, duplicates, crashes, beats };
}

function planOf(bounds: Bounds): Plan {
  return {
    jitterSeed: 1,
    total: 3,
    voters: [1, 2, 3],
    learners: [],
    steps: [],
    options: {
      behaviour: '3.7',
      start: 'snapshot',
      asyncStorage: bounds.asyncStorage,
      preVote: false,
      checkQuorum: false,
      readOnly: 'safe',
      stepDownOnRemoval: false,
      disableProposalForwarding: false,
      checkpoints: false,
      leaderSendsFirst: false,
      // Time stands still but for heartbeats.
      electionTick: 1000,
      heartbeatTick: 1,
      maxInflightMsgs: 4,
      maxInflightBytes: 0,
      maxSizePerMsgBytes: NO_LIMIT,
      maxCommittedSizePerReadyBytes: 0,
      maxUncommittedSizeBytes: 0,
    },
  };
}

function enabled({ cluster, left }: State, bounds: Bounds): readonly Action[] {
  const actions: Action[] = [];
  const alike = new Set<Message>(cluster.underWay);
  cluster.underWay.forEach((message, at) => {
    if (!alike.has(message)) return;
    alike.delete(message);
    actions.push({ do: 'deliver', at });
    if (left.duplicates > 0) actions.push({ do: 'duplicate', at });
    if (left.drops > 0) actions.push({ do: 'drop', at });
  });
  cluster.hosts.forEach((host, at) => {
    const { role, term } = host.raft!.basicStatus();
    if (role !== Role.Leader) {
      if (term < bounds.maxTerm) actions.push({ do: 'campaign', at });
      return;
    }
    if (host.view().lastIndex < bounds.maxIndex) actions.push({ do: 'propose', at });
    if (left.beats > 0) actions.push({ do: 'beat', at });
  });
  return actions;
}

function withCrashes(state: State, action: Action): readonly Action[] {
  if (state.left.crashes === 0 || action.do === 'drop') return [action];
  const host = give(copied(state.cluster, targetOf(state.cluster, action)), action);
  const choices: Action[] = [action, { ...action, crashAfter: 0 }];
  for (let steps = 1; steps < MAX_WORK && host?.work(0); steps++) choices.push({ ...action, crashAfter: steps });
  return choices;
}

/** A copy of which one node may change, or all: what the others hold is shared with the original. */
function copied(cluster: Cluster, changing: Host | undefined | 'all'): Cluster {
  const { facts } = cluster.spec;
  const kept: object[] = [cluster.plan, cluster.options, facts.rules];
  if (changing === 'all') return cloneGraph(cluster, kept, []);
  for (const host of cluster.hosts) if (host !== changing) kept.push(host, facts.nodes.get(host.id)!);
  return cloneGraph(cluster, kept, changing === undefined ? [] : [changing.around]);
}

function targetOf(cluster: Cluster, action: Action): Host | undefined {
  if (action.do === 'drop') return undefined;
  if (action.do === 'deliver' || action.do === 'duplicate') return cluster.host(cluster.underWay[action.at]!.to);
  return cluster.hosts[action.at];
}

/** Changes the state in place. */
function take({ cluster, left }: State, action: Action): void {
  const host = give(cluster, action);
  if (action.do === 'drop') left.drops--;
  if (action.do === 'duplicate') left.duplicates--;
  if (action.do === 'beat') left.beats--;
  if (host !== undefined && action.crashAfter !== undefined) {
    left.crashes--;
    for (let i = 0; i < action.crashAfter; i++) host.work(0);
    host.crash(false);
    host.start();
  } else {
    while (host?.work(0));
  }
}

/** Gives a node its input; returns the node that has work now. */
function give(cluster: Cluster, action: Action): Host | undefined {
  const { at } = action;
  switch (action.do) {
    case 'drop':
      cluster.underWay.splice(at, 1);
      return undefined;
    case 'deliver':
    case 'duplicate': {
      const message = cluster.underWay[at]!;
      if (action.do === 'deliver') cluster.underWay.splice(at, 1);
      const host = cluster.host(message.to)!;
      host.receive(message);
      return host;
    }
    case 'campaign':
      cluster.step({ do: 'campaign', node: at + 1 });
      return cluster.hosts[at];
    case 'propose':
      cluster.propose(cluster.hosts[at]!, [1]);
      return cluster.hosts[at];
    case 'beat':
      cluster.hosts[at]!.tick(1);
      return cluster.hosts[at];
  }
}
