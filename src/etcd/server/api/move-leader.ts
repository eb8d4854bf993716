import { EtcdError, rpcError } from '../../../api/etcd/errors.ts';
import { timeout } from '../../../platform/combinators.ts';
import { TimeoutError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import type { Member } from '../member/member.ts';

/** Hands leadership to a voter and waits until it has it (reference/etcd.md C5). */
export function* moveLeader(member: Member, target: string): Task<void> {
  const record = member.state.cluster.member(target);
  if (!member.isLeader) throw rpcError(EtcdError.NotLeader);
  if (record === undefined || record.isLearner) throw rpcError(EtcdError.BadLeaderTransferee);
  const limitUs = member.requestTimeoutUs;
  try {
    yield* timeout(member.platform.clock, limitUs, transferLeadership(member, target), 'leader transfer');
  } catch (error) {
    throw error instanceof TimeoutError ? rpcError(EtcdError.TimeoutLeaderTransfer) : error;
  }
}

/** Asks Raft for the transfer and waits for its end, looking at every change of leadership. */
export function* transferLeadership(member: Member, target: string): Task<void> {
  member.driver.use((node) => node.transferLeader(target));
  while (member.lead !== target) yield* member.leadership.changed.changed();
}
