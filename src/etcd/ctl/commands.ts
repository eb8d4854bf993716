import type { Task } from '../../platform/task.ts';
import type { Run } from './context.ts';
import type { FlagSpecs } from './flags.ts';
import { ENDPOINT_FLAGS, HASH_KV_FLAGS, hashKvVerb, healthVerb, statusVerb } from './verbs/endpoint.ts';
import {
  COMPACTION_FLAGS,
  compactionVerb,
  DEL_FLAGS,
  delVerb,
  GET_FLAGS,
  getVerb,
  PUT_FLAGS,
  putVerb,
} from './verbs/kv.ts';
import {
  grantVerb,
  KEEP_ALIVE_FLAGS,
  keepAliveVerb,
  listVerb as leaseListVerb,
  revokeVerb,
  TIME_TO_LIVE_FLAGS,
  timeToLiveVerb,
} from './verbs/lease.ts';
import { ELECT_FLAGS, electVerb, LOCK_FLAGS, lockVerb } from './verbs/lock.ts';
import {
  alarmDisarmVerb,
  alarmListVerb,
  DEFRAG_FLAGS,
  defragVerb,
  moveLeaderVerb,
  snapshotSaveVerb,
} from './verbs/maintenance.ts';
import {
  ADD_FLAGS,
  addVerb,
  LIST_FLAGS,
  listVerb as memberListVerb,
  promoteVerb,
  removeVerb,
  UPDATE_FLAGS,
  updateVerb,
} from './verbs/member.ts';
import { TXN_FLAGS, txnVerb } from './verbs/txn.ts';
import { WATCH_FLAGS, watchVerb } from './verbs/watch.ts';

/** One command of etcdctl. */
export interface Verb {
  readonly flags: FlagSpecs;
  run(run: Run): Task<void>;
}

const NONE: FlagSpecs = Object.freeze({});

function verb(flags: FlagSpecs, run: (run: Run) => Task<void>): Verb {
  return { flags, run };
}

/** Commands by their words (reference/etcd.md E7). */
export const VERBS: Readonly<Record<string, Verb>> = Object.freeze({
  'alarm disarm': verb(NONE, alarmDisarmVerb),
  'alarm list': verb(NONE, alarmListVerb),
  compaction: verb(COMPACTION_FLAGS, compactionVerb),
  defrag: verb(DEFRAG_FLAGS, defragVerb),
  del: verb(DEL_FLAGS, delVerb),
  elect: verb(ELECT_FLAGS, electVerb),
  'endpoint hashkv': verb(HASH_KV_FLAGS, hashKvVerb),
  'endpoint health': verb(ENDPOINT_FLAGS, healthVerb),
  'endpoint status': verb(ENDPOINT_FLAGS, statusVerb),
  get: verb(GET_FLAGS, getVerb),
  'lease grant': verb(NONE, grantVerb),
  'lease keep-alive': verb(KEEP_ALIVE_FLAGS, keepAliveVerb),
  'lease list': verb(NONE, leaseListVerb),
  'lease revoke': verb(NONE, revokeVerb),
  'lease timetolive': verb(TIME_TO_LIVE_FLAGS, timeToLiveVerb),
  lock: verb(LOCK_FLAGS, lockVerb),
  'member add': verb(ADD_FLAGS, addVerb),
  'member list': verb(LIST_FLAGS, memberListVerb),
  'member promote': verb(NONE, promoteVerb),
  'member remove': verb(NONE, removeVerb),
  'member update': verb(UPDATE_FLAGS, updateVerb),
  'move-leader': verb(NONE, moveLeaderVerb),
  put: verb(PUT_FLAGS, putVerb),
  'snapshot save': verb(NONE, snapshotSaveVerb),
  txn: verb(TXN_FLAGS, txnVerb),
  watch: verb(WATCH_FLAGS, watchVerb),
});

/** Commands that exist in the real tool and are refused here, with the reason. */
export const REFUSED: Readonly<Record<string, string>> = Object.freeze({
  auth: 'authentication is not simulated',
  check: 'load checks are not simulated; `npm run bench` measures the simulation',
  completion: 'shell completion is not simulated',
  downgrade: 'etcd downgrade is not simulated',
  'make-mirror': 'mirroring is not simulated',
  role: 'authentication is not simulated',
  user: 'authentication is not simulated',
});
