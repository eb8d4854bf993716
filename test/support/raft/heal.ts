import { type ConfState, type Entry, EntryType } from '../../../src/raft/index.ts';
import type { Cluster } from './cluster.ts';
import type { Host } from './host.ts';
import { Refusal } from './spec/facts.ts';
import { isMember, isVoter } from './spec/members.ts';

/** Election timeouts until a healed cluster leads, commits and reads. */
const BOUND = 40;

/**
 * Everything works again: nodes run, messages arrive. Then there is soon a leader, joint configurations end,
 * what it is asked to commit gets applied by every member, and every member can read.
 */
export function heal(cluster: Cluster): void {
  for (const host of cluster.hosts) {
    cluster.step({ do: 'cut', side: 0 });
    host.paused = false;
    host.slow = false;
    if (host.raft === null) host.start();
  }
  const { electionTick } = cluster.plan.options;
  let goal: Goal | undefined;
  for (let tick = 0; tick < BOUND * electionTick; tick++) {
    for (const host of cluster.hosts) host.tick(1);
    cluster.settle(Number.MAX_SAFE_INTEGER);
    stopRemoved(cluster);
    const leader = cluster.leader();
    if (leader === undefined) continue;
    const { votersOutgoing, autoLeave } = leader.confState;
    if (votersOutgoing.length > 0 && !autoLeave) cluster.step({ do: 'leave', node: 0 });
    if (goal !== undefined && !goal.isLost(leader) && goal.isReached(cluster, leader)) return;
    if (goal === undefined || goal.isLost(leader) || goal.age++ > 2 * electionTick) goal = Goal.set(cluster, leader);
  }
  if (isSplitByRemoval(cluster)) return;
  throw new Refusal('liveness', `no progress within ${BOUND} election timeouts, leader ${cluster.leader()?.id}`);
}

/**
 * A voter that applied its own removal, in the lead with entries that others lack, denies its vote to those who do not
 * know of the removal and still need it: nobody can win. etcd's raft has the same trap.
 */
function isSplitByRemoval(cluster: Cluster): boolean {
  if (cluster.leader() !== undefined) return false;
  return cluster.hosts.some(
    (host) =>
      !isVoter(host.confState, host.id) &&
      cluster.hosts.some(({ confState, applied }) => applied < host.applied && isVoter(confState, host.id)),
  );
}

/** Something to be reached under one leader. */
class Goal {
  age = 0;
  private readonly leader: Host;
  private readonly term: number;
  private readonly index: number;
  private readonly answersBefore: number;

  private constructor(leader: Host, term: number, index: number, answersBefore: number) {
    this.leader = leader;
    this.term = term;
    this.index = index;
    this.answersBefore = answersBefore;
  }

  static set(cluster: Cluster, leader: Host): Goal | undefined {
    if (!cluster.propose(leader, [1])) return undefined;
    const { term, lastIndex } = leader.view();
    const before = cluster.spec.facts.answered;
    for (const host of members(cluster, leader.confState)) cluster.read(host);
    return new Goal(leader, term, lastIndex, before);
  }

  isLost(leader: Host): boolean {
    return leader !== this.leader || leader.view().term !== this.term;
  }

  isReached(cluster: Cluster, leader: Host): boolean {
    const all = members(cluster, leader.confState);
    const answers = cluster.spec.facts.answered - this.answersBefore;
    return (
      leader.confState.votersOutgoing.length === 0 &&
      all.every((host) => host.applied >= this.index) &&
      answers >= all.length
    );
  }
}

function members(cluster: Cluster, confState: ConfState): readonly Host[] {
  return cluster.hosts.filter((host) => host.running !== null && isMember(confState, host.id));
}

/** An operator stops a node that all members know to be removed: it could only disturb them. */
function stopRemoved(cluster: Cluster): void {
  const running = cluster.hosts.filter((host) => host.running !== null);
  const newest = running.reduce((best, host) => (host.applied > best.applied ? host : best));
  // Who has not applied all that is committed may take a member for removed that was added since.
  if (newest.applied < cluster.spec.facts.commitIndex) return;
  const changes = ({ type, index }: Entry): boolean => type !== EntryType.Normal && index > newest.applied;
  const current = members(cluster, newest.confState);
  if (current.some((host) => host.view().entries.some(changes))) return;
  for (const host of running) {
    const known = current.every((member) => !isMember(member.confState, host.id));
    if (current.length > 0 && known) host.crash(true);
  }
}
