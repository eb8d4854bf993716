import type { FlagSpecs } from './flags.ts';
import type { Described, Verb } from './verb.ts';
import { helpVerb, versionVerb } from './verbs/about.ts';
import {
  ENDPOINT_FLAGS,
  HASH_KV_FLAGS,
  hashKvVerb,
  healthVerb,
  STATUS_HEADINGS,
  statusVerb,
} from './verbs/endpoint.ts';
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
import { alarmDisarmVerb, alarmListVerb, defragVerb, moveLeaderVerb, snapshotSaveVerb } from './verbs/maintenance.ts';
import {
  ADD_FLAGS,
  addVerb,
  LIST_FLAGS,
  HEADINGS as MEMBER_HEADINGS,
  listVerb as memberListVerb,
  promoteVerb,
  removeVerb,
  UPDATE_FLAGS,
  updateVerb,
} from './verbs/member.ts';
import { TXN_FLAGS, txnVerb } from './verbs/txn.ts';
import { WATCH_FLAGS, watchVerb } from './verbs/watch.ts';

const NONE: FlagSpecs = Object.freeze({});

/** Commands that only hold others, with the flags of all of them. */
export const GROUPS: Readonly<Record<string, Described>> = Object.freeze({
  alarm: { use: '<subcommand>', short: 'Alarm related commands', flags: NONE },
  endpoint: { use: '<subcommand>', short: 'Endpoint related commands', flags: ENDPOINT_FLAGS },
  lease: { use: '<subcommand>', short: 'Lease related commands', flags: NONE },
  member: { use: '<subcommand>', short: 'Membership related commands', flags: NONE },
  snapshot: { use: '<subcommand>', short: 'Manages etcd node snapshots', flags: NONE },
});

function verb(use: string, short: string, run: Verb['run'], flags: FlagSpecs = NONE, long?: string): Verb {
  return { use, short, run, flags, ...(long === undefined ? {} : { long }) };
}

function simpleFormat(what: string, columns: readonly string[]): string {
  return `When --write-out is set to simple, this command prints out comma-separated ${what} lists for each endpoint.
The items in the lists are ${columns.join(', ')}.`;
}

const PUT_LONG = `Puts the given key into the store.

When <value> begins with '-', <value> is interpreted as a flag.
Insert '--' for workaround:

$ put <key> -- <value>
$ put -- <key> <value>

If <value> isn't given as a command line argument and '--ignore-value' is not specified,
this command tries to read the value from standard input.

If <lease> isn't given as a command line argument and '--ignore-lease' is not specified,
this command tries to read the value from standard input.

For example,
$ cat file | put <key>
will store the content of the file to <key>.`;

const HELP_LONG = `Help provides help for any command in the application.
Simply type etcdctl help [path to command] for full details.`;

/** Commands by their words (reference/etcd.md E7). */
export const VERBS: Readonly<Record<string, Verb>> = Object.freeze({
  'alarm disarm': verb('', 'Disarms all alarms', alarmDisarmVerb),
  'alarm list': verb('', 'Lists all alarms', alarmListVerb),
  compaction: verb('[options] <revision>', 'Compacts the event history in etcd', compactionVerb, COMPACTION_FLAGS),
  defrag: verb('', 'Defragments the storage of the etcd members with given endpoints', defragVerb, ENDPOINT_FLAGS),
  del: verb(
    '[options] <key> [range_end]',
    'Removes the specified key or range of keys [key, range_end)',
    delVerb,
    DEL_FLAGS,
  ),
  elect: verb('<election-name> [proposal]', 'Observes and participates in leader election', electVerb, ELECT_FLAGS),
  'endpoint hashkv': verb('', 'Prints the KV history hash for each endpoint in --endpoints', hashKvVerb, HASH_KV_FLAGS),
  'endpoint health': verb('', 'Checks the healthiness of endpoints specified in `--endpoints` flag', healthVerb),
  'endpoint status': verb(
    '',
    'Prints out the status of endpoints specified in `--endpoints` flag',
    statusVerb,
    NONE,
    simpleFormat('status', STATUS_HEADINGS),
  ),
  get: verb('[options] <key> [range_end]', 'Gets the key or a range of keys', getVerb, GET_FLAGS),
  help: verb('[command]', 'Help about any command', helpVerb, NONE, HELP_LONG),
  'lease grant': verb('<ttl>', 'Creates leases', grantVerb),
  'lease keep-alive': verb('[options] <leaseID>', 'Keeps leases alive (renew)', keepAliveVerb, KEEP_ALIVE_FLAGS),
  'lease list': verb('', 'List all active leases', leaseListVerb),
  'lease revoke': verb('<leaseID>', 'Revokes leases', revokeVerb),
  'lease timetolive': verb('<leaseID> [options]', 'Get lease information', timeToLiveVerb, TIME_TO_LIVE_FLAGS),
  lock: verb('<lockname> [exec-command arg1 arg2 ...]', 'Acquires a named lock', lockVerb, LOCK_FLAGS),
  'member add': verb('<memberName> [options]', 'Adds a member into the cluster', addVerb, ADD_FLAGS),
  'member list': verb(
    '',
    'Lists all members in the cluster',
    memberListVerb,
    LIST_FLAGS,
    simpleFormat('member', MEMBER_HEADINGS),
  ),
  'member promote': verb(
    '<memberID>',
    'Promotes a non-voting member in the cluster',
    promoteVerb,
    NONE,
    'Promotes a non-voting learner member to a voting one in the cluster.',
  ),
  'member remove': verb('<memberID>', 'Removes a member from the cluster', removeVerb),
  'member update': verb('<memberID> [options]', 'Updates a member in the cluster', updateVerb, UPDATE_FLAGS),
  'move-leader': verb('<transferee-member-id>', 'Transfers leadership to another etcd cluster member.', moveLeaderVerb),
  put: verb(
    '[options] <key> <value> (<value> can also be given from stdin)',
    'Puts the given key into the store',
    putVerb,
    PUT_FLAGS,
    PUT_LONG,
  ),
  'snapshot save': verb('<filename>', 'Stores an etcd node backend snapshot to a given file', snapshotSaveVerb),
  txn: verb('[options]', 'Txn processes all the requests in one transaction', txnVerb, TXN_FLAGS),
  version: verb('', 'Prints the version of etcdctl', versionVerb),
  watch: verb(
    '[options] [key or prefix] [range_end] [--] [exec-command arg1 arg2 ...]',
    'Watches events stream on keys or prefixes',
    watchVerb,
    WATCH_FLAGS,
  ),
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
