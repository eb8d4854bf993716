import type { ConfState, Data, Entry, Inspection, Message, NodeId, RaftError } from '../../../../src/raft/index.ts';
import type { DiskImage } from '../disk.ts';

/** A rule of the specification was broken. `rule` is its name, the same for every way to break it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly rule: string;

  constructor(rule: string, detail: string) {
    super(`${rule}: ${detail}`);
    this.rule = rule;
  }
}

export function must(holds: boolean, rule: string, detail: () => string): void {
  if (!holds) throw new Refusal(rule, detail());
}

/** What made a node change. */
export type Cause =
  | { readonly kind: 'tick'; readonly count: number }
  | { readonly kind: 'message'; readonly message: Message; readonly result: RaftError | null }
  | { readonly kind: 'propose'; readonly sizeBytes: number; readonly result: RaftError | null }
  | { readonly kind: 'advance' | 'conf' | 'host' };

/** The options of a run that rules depend on. */
export interface Rules {
  readonly electionTick: number;
  readonly checkQuorum: boolean;
  readonly preVote: boolean;
  readonly safeReads: boolean;
  readonly asyncStorage: boolean;
  readonly stepDownOnRemoval: boolean;
  readonly maxSizePerMsgBytes: number;
  readonly maxInflightMsgs: number;
  readonly maxInflightBytes: number;
  readonly maxUncommittedSizeBytes: number;
  readonly maxCommittedSizePerReadyBytes: number;
}

/** What the specification remembers of a node. */
export interface NodeFacts {
  readonly id: NodeId;
  /** What a crash would leave. */
  durable: DiskImage;
  view: Inspection;
  /** The members by the entries it applied, by our own reckoning. */
  members: ConfState;
  /** What was last compared: the members it named, and ours. */
  checkedMembers: readonly [ConfState, ConfState];
  applied: number;
  /** Votes delivered to this incarnation: `term:voter`. */
  granted: Set<string>;
  /** Pre-votes delivered to it: the highest term by voter. */
  preGranted: Map<NodeId, number>;
  /** Own ticks since it last heard from its leader, gave its vote, changed its term or started. */
  quiet: number;
  /** Own ticks that it stood still although it could campaign. */
  idle: number;
  /** Own ticks since it leads, by the peer it heard from then. */
  leadTicks: number;
  /** Ticks it was given at once, the last time. */
  lastStride: number;
  contacts: Map<NodeId, number>;
  /** Ticks as leader when the latest Ready was taken, and the one before it. */
  ticksTaken: number;
  ticksBefore: number;
  /** Last index when the latest Ready was taken, and the one before it. */
  lastTaken: number;
  lastBefore: number;
  /** Whether the message at hand asks for a vote that it may give. */
  mayGrant: boolean;
  /** At which of these ticks its members changed last. */
  membersSince: number;
  /** Leading: ticks since the transfer under way began. */
  transferTicks: number;
  /** Leading: whether entries of earlier leaders with a payload were unapplied when it began. */
  inheritedPayload: boolean;
}

/** What the specification knows of the cluster. */
export interface Facts {
  readonly rules: Rules;
  readonly nodes: Map<NodeId, NodeFacts>;
  readonly leaders: Map<number, NodeId>;
  topLeaderTerm: number;
  /** `index:term` of every entry ever seen, with the term before it. */
  readonly registry: Map<string, { readonly entry: Entry; readonly prevTerm: number }>;
  readonly committed: Map<number, { readonly entry: Entry; readonly byTerm: number }>;
  commitIndex: number;
  /** Who got whose vote: `term:voter`. */
  readonly votes: Map<string, NodeId>;
  /** Requests that a voter may grant: `type:term:voter:candidate`. */
  readonly grantable: Set<string>;
  readonly reads: Map<string, { readonly floor: number; readonly strict: boolean }>;
  /** Reads that were answered, repeats included. */
  answered: number;
}

export function sameEntry(a: Entry, b: Entry): boolean {
  if (a === b) return true;
  return a.term === b.term && a.index === b.index && a.type === b.type && sameData(a.data, b.data);
}

function sameData(a: Data, b: Data): boolean {
  if (a === b || !(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return a === b;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export function shortId(id: NodeId): string {
  return id.replace(/^0+/, '');
}
