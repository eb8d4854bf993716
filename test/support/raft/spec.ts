import {
  type AnyConfChange,
  type ConfState,
  decodeConfChange,
  EMPTY_CONF_STATE,
  type Entry,
  EntryType,
  entrySize,
  type Inspection,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  type ReadState,
  type Ready,
  Role,
  type Snapshot,
  sameConfState,
} from '../../../src/raft/index.ts';
import { type DiskImage, holds } from './disk.ts';
import { checkMessage, checkRoles, checkVoteAnswer, noteAnswer, noteRequest } from './spec/elections.ts';
import { type Cause, type Facts, must, type NodeFacts, type Rules, sameEntry, shortId } from './spec/facts.ts';
import { checkAppend, checkDurableAnswer, checkPatience, checkStable, checkVouched } from './spec/following.ts';
import { checkFromLeader, checkLeaderTime, checkProgress, checkQuota, noteContact } from './spec/leading.ts';
import { checkCommit, checkLog, checkMatching, checkPendingChanges } from './spec/log.ts';
import { isMember, membersAfter } from './spec/members.ts';

/**
 * Raft's safety rules as an observer: it is told of every step of every node, keeps its own small account of votes,
 * logs, commits and members, and throws `Refusal` at the first step the rules forbid. It shares no code with the
 * library but the types.
 */
export class Spec {
  readonly facts: Facts;

  constructor(rules: Rules) {
    this.facts = {
      rules,
      nodes: new Map(),
      leaders: new Map(),
      topLeaderTerm: 0,
      registry: new Map(),
      committed: new Map(),
      commitIndex: 0,
      votes: new Map(),
      grantable: new Set(),
      reads: new Map(),
      answered: 0,
    };
  }

  /** A node came up, from that image; `members` are those it was given. */
  started(view: Inspection, durable: DiskImage, members: ConfState, applied: number): void {
    const { hardState } = durable;
    const name = shortId(view.id);
    must(
      view.term >= hardState.term && (view.term > hardState.term || view.vote === hardState.vote),
      'a restart keeps term and vote',
      () => `${name} starts in ${view.term}, voted ${view.vote}`,
    );
    must(view.commit >= hardState.commit, 'a restart keeps commits', () => `${name} starts at ${view.commit}`);
    must(view.role === Role.Follower, 'nodes start as followers', () => name);
    if (this.facts.nodes.size === 0 || view.commit > this.facts.commitIndex) this.takeInitial(view);
    this.facts.nodes.set(view.id, {
      id: view.id,
      durable,
      view: { ...view, entries: [] },
      members,
      checkedMembers: [EMPTY_CONF_STATE, EMPTY_CONF_STATE],
      applied,
      granted: new Set(),
      preGranted: new Map(),
      quiet: 0,
      idle: 0,
      leadTicks: 0,
      lastStride: 0,
      contacts: new Map(),
      membersSince: 0,
      mayGrant: false,
      ticksTaken: 0,
      ticksBefore: 0,
      lastTaken: 0,
      lastBefore: 0,
      transferTicks: 0,
      inheritedPayload: false,
    });
    const node = this.node(view.id);
    checkMatching(this.facts, node, node.view, view);
    node.view = view;
    this.checkMembers(node, view);
    this.excuseReads(node);
  }

  /**
   * Whether a node may answer reads from what it knows, without asking anybody: where there is one voter, etcd's raft
   * does (A24.10). That is wrong for that voter after a restart, until its first commit, since how far it had
   * committed is not synced; and for a removed leader that stays.
   */
  private answersAlone({ id, members, view }: NodeFacts): boolean {
    const { voters, votersOutgoing } = members;
    if (voters.length !== 1 || votersOutgoing.length > 0) return false;
    return voters[0] === id ? view.commit < this.facts.commitIndex : view.role === Role.Leader;
  }

  private excuseReads(node: NodeFacts): void {
    if (!this.answersAlone(node)) return;
    for (const [context, read] of this.facts.reads) this.facts.reads.set(context, { ...read, strict: false });
  }

  /** What a cluster is born with is committed. */
  private takeInitial(view: Inspection): void {
    must(this.facts.leaders.size === 0, 'followers commit what a leader did', () => shortId(view.id));
    for (const entry of view.entries) {
      if (entry.index <= view.commit) this.facts.committed.set(entry.index, { entry, byTerm: entry.term });
    }
    this.facts.commitIndex = view.commit;
  }

  private node(id: NodeId): NodeFacts {
    return this.facts.nodes.get(id)!;
  }

  persisted(id: NodeId, durable: DiskImage): void {
    const node = this.node(id);
    const { hardState } = node.durable;
    must(durable.hardState.term >= hardState.term, 'terms never go back', () => `${shortId(id)} saves an older term`);
    must(durable.hardState.commit >= hardState.commit, 'commits never go back', () => `${shortId(id)} on disk`);
    node.durable = durable;
  }

  crashed(id: NodeId): void {
    const node = this.node(id);
    node.view = { ...node.view, role: Role.Follower };
  }

  /** A message is about to reach a node. */
  arrives(id: NodeId, message: Message): void {
    const node = this.node(id);
    node.mayGrant = noteRequest(this.facts, node, message);
    noteAnswer(node, message);
    noteContact(node, message);
  }

  /** A node did something. */
  stepped(id: NodeId, cause: Cause, after: Inspection): void {
    const { facts } = this;
    const node = this.node(id);
    const before = node.view;
    const { unstableSnapshot } = after;
    // It reckons with a snapshot's members from the moment it accepts it.
    if (unstableSnapshot !== null && unstableSnapshot !== before.unstableSnapshot) {
      this.setMembers(node, unstableSnapshot.confState);
    }
    checkNeverBack(node, before, after);
    checkLog(facts, node, before, after);
    if (after.role === Role.Leader && before.role !== Role.Leader) noteInherited(node, after);
    checkRoles(facts, node, cause, before, after);
    if (cause.kind === 'message' && cause.result === null) {
      checkMessage(facts, node, cause.message, before, after);
      checkVouched(node, cause.message, after);
    }
    checkQuota(facts, node, cause, before);
    checkCommit(facts, node, before, after);
    checkProgress(facts, node, cause, after);
    checkStable(node, after);
    checkLeaderTime(facts, node, cause, after);
    checkPatience(facts, node, cause, before, after);
    if (after.role === Role.Leader && after.lastIndex > before.lastIndex) checkPendingChanges(node, after);
    node.view = after;
    this.checkMembers(node, after);
  }

  private checkMembers(node: NodeFacts, { config }: Inspection): void {
    const {
      checkedMembers: [given, reckoned],
    } = node;
    const isOld = given.voters === config.voters && given.votersOutgoing === config.votersOutgoing;
    const isSame = isOld && given.learners === config.learners && given.learnersNext === config.learnersNext;
    if (isSame && given.autoLeave === config.autoLeave && reckoned === node.members) return;
    node.checkedMembers = [config, node.members];
    must(
      sameConfState(config, node.members),
      'members follow from what is applied',
      () => `${shortId(node.id)} has ${JSON.stringify(config)}, not ${JSON.stringify(node.members)}`,
    );
  }

  /** A Ready was taken. */
  handedOut(id: NodeId, ready: Ready): void {
    const node = this.node(id);
    const { rules } = this.facts;
    const { committedEntries } = ready;
    node.ticksBefore = node.ticksTaken;
    node.ticksTaken = node.leadTicks;
    node.lastBefore = node.lastTaken;
    node.lastTaken = node.view.lastIndex;
    let size = 0;
    for (const entry of committedEntries) {
      size += entrySize(entry);
      must(
        !rules.asyncStorage || holds(node.durable, entry.index, entry.term),
        'only durable entries are applied',
        () => `${shortId(id)} applies ${entry.index}`,
      );
    }
    must(
      committedEntries.length <= 1 || size <= rules.maxCommittedSizePerReadyBytes,
      'size of what is applied at once',
      () => `${shortId(id)} hands out ${size} bytes`,
    );
    if (ready.entries.length > 0 || ready.hardState !== null) {
      const { hardState } = node.durable;
      const changed =
        ready.hardState !== null &&
        (ready.hardState.term !== hardState.term || ready.hardState.vote !== hardState.vote);
      must(
        ready.mustSync || (ready.entries.length === 0 && !changed) || rules.asyncStorage,
        'votes and entries are synced',
        () => shortId(id),
      );
    }
  }

  /** The application is about to apply an entry; returns the change of members it carries. */
  applies(id: NodeId, entry: Entry): AnyConfChange | null {
    const node = this.node(id);
    const text = (): string => `${shortId(id)} applies ${entry.index} after ${node.applied}`;
    must(entry.index === node.applied + 1, 'entries are applied in order', text);
    must(entry.index <= node.view.commit, 'only commits are applied', text);
    const known = this.facts.committed.get(entry.index);
    must(known !== undefined && sameEntry(known.entry, entry), 'state machine safety', text);
    node.applied = entry.index;
    if (entry.type === EntryType.Normal) return null;
    const change = decodeConfChange(entry);
    if (typeof change === 'string') throw new Error(change);
    const members = membersAfter(node.members, change);
    must(typeof members !== 'string', 'one pending change of members', () => `${text()}: ${members}`);
    if (typeof members !== 'string') this.setMembers(node, members);
    return change;
  }

  private setMembers(node: NodeFacts, members: ConfState): void {
    for (const { id } of this.facts.nodes.values()) {
      // A newcomer counts as heard of when it is added.
      if (isMember(members, id) && !isMember(node.members, id)) node.contacts.set(id, node.leadTicks);
    }
    node.members = members;
    node.membersSince = node.leadTicks;
    this.excuseReads(node);
  }

  /** After a change of members was applied: a leader that left resigns if it was told to. */
  changed(id: NodeId, roleBefore: Role): void {
    const { members, view } = this.node(id);
    if (roleBefore !== Role.Leader) return;
    const isOut = !members.voters.includes(id) && !members.votersOutgoing.includes(id);
    must(
      (view.role === Role.Leader) === !(isOut && this.facts.rules.stepDownOnRemoval),
      'a removed leader resigns if told to',
      () => shortId(id),
    );
  }

  /** A node took over a leader's snapshot. */
  restores(id: NodeId, { index, term, confState }: Snapshot): void {
    const node = this.node(id);
    const known = this.facts.committed.get(index);
    const isTrue = index <= this.facts.commitIndex && (known === undefined || known.entry.term === term);
    must(isTrue, 'snapshots hold commits', () => `${shortId(id)} takes ${index}:${term}`);
    must(index > node.applied, 'entries are applied in order', () => `${shortId(id)} goes back to ${index}`);
    const { unstableSnapshot } = node.view;
    // A newer one may have been accepted meanwhile, with other members.
    const isLatest = unstableSnapshot === null || unstableSnapshot.index === index;
    must(!isLatest || sameConfState(confState, node.members), 'members follow from what is applied', () => shortId(id));
    node.applied = index;
  }

  sends(id: NodeId, message: Message): void {
    const node = this.node(id);
    checkDurableAnswer(node, message);
    if (message.type === MessageType.VoteResp || message.type === MessageType.PreVoteResp) {
      checkVoteAnswer(this.facts, node, message);
    }
    checkAppend(this.facts, node, message);
    checkFromLeader(this.facts, node, message);
  }

  asks(id: NodeId, context: string): void {
    const { view } = this.node(id);
    const onTop = view.role === Role.Leader && view.term === this.facts.topLeaderTerm;
    const strict =
      (this.facts.rules.safeReads || onTop) && ![...this.facts.nodes.values()].some((one) => this.answersAlone(one));
    this.facts.reads.set(context, { floor: this.facts.commitIndex, strict });
  }

  answers(id: NodeId, { index, requestContext }: ReadState): void {
    const read = this.facts.reads.get(String.fromCharCode(...requestContext));
    this.facts.answered++;
    const name = `${shortId(id)} reads at ${index}`;
    must(read !== undefined, 'reads are linearizable', () => `${name} unasked`);
    must(!read?.strict || index >= read.floor, 'reads are linearizable', () => `${name}, ${read?.floor} was committed`);
    must(index <= this.facts.commitIndex, 'reads are linearizable', () => `${name}, nobody committed that`);
  }
}

function noteInherited(node: NodeFacts, after: Inspection): void {
  node.inheritedPayload = after.entries.some(
    ({ index, data, term }) => index > after.applied && term < after.term && data !== null,
  );
}

function checkNeverBack(node: NodeFacts, before: Inspection, after: Inspection): void {
  const text = (): string => `${shortId(node.id)}: ${after.term}/${after.commit}/${after.applied}`;
  must(after.term >= before.term, 'terms never go back', text);
  must(after.commit >= before.commit, 'commits never go back', text);
  must(after.applied >= before.applied && after.applied <= after.commit, 'applied never goes back', text);
  if (after.term !== before.term) return;
  must(before.vote === NONE || after.vote === before.vote, 'one vote a term', text);
  must(before.lead === NONE || after.lead === NONE || after.lead === before.lead, 'a term has one leader', text);
}
