import { alarmName } from '../../../api/etcd/alarms.ts';
import { EtcdError } from '../../../api/etcd/errors.ts';
import { RangeRequest } from '../../../api/etcd/kv.ts';
import { AlarmType } from '../../../api/etcd/maintenance.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { NONE } from '../../../raft/index.ts';
import { executeRange } from '../apply/range.ts';
import { isError } from '../apply/txn.ts';
import type { Member } from '../member/member.ts';

/** Why a check fails; null when it passes. */
type Check = (member: Member) => Task<string | null>;

const LIVE_CHECKS: Readonly<Record<string, Check>> = Object.freeze({ serializable_read: serializableRead });
const READY_CHECKS: Readonly<Record<string, Check>> = Object.freeze({
  data_corruption: noCorruption,
  serializable_read: serializableRead,
  linearizable_read: linearizableRead,
  non_learner: votes,
});

export const HEALTH_CHECKS: Readonly<Record<string, Readonly<Record<string, Check>>>> = Object.freeze({
  livez: LIVE_CHECKS,
  readyz: READY_CHECKS,
});

export interface HealthAnswer {
  readonly healthy: boolean;
  readonly text: string;
}

/** The old health answer: alarms first, then a leader, then a read (reference/etcd.md D4). */
export function* overallHealth(
  member: Member,
  excludedAlarms: readonly string[],
  serializable: boolean,
): Task<string | null> {
  for (const { alarm } of member.state.alarms.all) {
    const name = alarmName(alarm);
    if (!excludedAlarms.includes(name)) return `ALARM ${name}`;
  }
  if (!serializable && member.lead === NONE) return 'RAFT NO LEADER';
  const failed = yield* serializable ? serializableRead(member) : linearizableRead(member);
  return failed === null ? null : `RANGE ERROR:${failed}`;
}

/** Several checks as one text, a line for each (D4). */
export function* runChecks(
  member: Member,
  checks: Readonly<Record<string, Check>>,
  excluded: readonly string[],
): Task<HealthAnswer> {
  let text = '';
  let healthy = true;
  for (const name of Object.keys(checks)) {
    if (excluded.includes(name)) {
      text += `[+]${name} excluded: ok\n`;
      continue;
    }
    const failed = yield* checks[name]!(member);
    if (failed !== null) healthy = false;
    text += failed === null ? `[+]${name} ok\n` : `[-]${name} failed: ${failed}\n`;
  }
  return { healthy, text };
}

function* noCorruption(member: Member): Task<string | null> {
  return member.state.alarms.has(AlarmType.Corrupt) ? 'alarm activated: CORRUPT' : null;
}

function* votes(member: Member): Task<string | null> {
  return member.state.cluster.isLocalLearner ? EtcdError.NotSupportedForLearner.message : null;
}

function* serializableRead(member: Member): Task<string | null> {
  const answer = executeRange(
    member.state.store,
    RangeRequest.of({ key: new Uint8Array(1), limit: 1, keysOnly: true }),
  );
  return isError(answer) ? answer.message : null;
}

function* linearizableRead(member: Member): Task<string | null> {
  try {
    yield* member.barrier.wait();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return error.message;
  }
  return yield* serializableRead(member);
}
