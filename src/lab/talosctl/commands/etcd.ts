import { alarmName } from '../../../api/etcd/alarms.ts';
import { parseId } from '../../../api/etcd/ids.ts';
import { MachineService } from '../../../api/machine/services.ts';
import { concatBytes } from '../../../platform/bytes.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { formatBytes } from '../../../platform/text/humanize.ts';
import { Empty } from '../../../rpc/well-known.ts';
import { type Command, exactArgs, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { eachMessage, onlyOneNode, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { snapshotInfo } from '../snapshot-info.ts';

type Parsed = ParsedCommand<Runner>;

/** `talosctl etcd …` (reference/lifecycle-api-cli.md F.3, reference/v1.11.3.md 15.4). */
export const etcdCommand: Command<Runner> = {
  use: 'etcd',
  short: 'Manage etcd',
  commands: [
    { use: 'members', short: 'Get the list of etcd cluster members', args: noArgs, run: members },
    { use: 'status', short: 'Get the status of etcd cluster member', args: noArgs, run: status },
    {
      use: 'remove-member <member ID>',
      short: 'Remove the node from etcd cluster',
      args: exactArgs(1),
      run: removeMember,
    },
    { use: 'leave', short: 'Tell nodes to leave etcd cluster', args: noArgs, run: leave },
    { use: 'forfeit-leadership', short: 'Tell node to forfeit etcd cluster leadership', args: noArgs, run: forfeit },
    {
      use: 'snapshot <path>',
      short: 'Stream snapshot of the etcd node to the path.',
      args: exactArgs(1),
      run: snapshot,
    },
    { use: 'defrag', short: 'Defragment etcd database on the node', args: noArgs, run: defrag },
    {
      use: 'alarm',
      short: 'Manage etcd alarms',
      commands: [
        { use: 'list', short: 'List the etcd alarms for the node.', args: noArgs, run: alarmList },
        { use: 'disarm', short: 'Disarm the etcd alarms for the node.', args: noArgs, run: alarmDisarm },
      ],
    },
  ],
};

function* members(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error getting members', MachineService.EtcdMemberList, { queryLocal: true });
    const rows = answers.flatMap(({ node, message }) =>
      message.members.map((member) => [
        node,
        member.id,
        member.hostname,
        member.peerUrls.join(','),
        member.clientUrls.join(','),
        String(member.isLearner),
      ]),
    );
    if (rows.length > 0)
      context.out(tabulate([['NODE', 'ID', 'HOSTNAME', 'PEER URLS', 'CLIENT URLS', 'LEARNER'], ...rows]));
    return 0;
  });
}

const STATUS_HEADER: readonly string[] = [
  'NODE',
  'MEMBER',
  'DB SIZE',
  'IN USE',
  'LEADER',
  'RAFT INDEX',
  'RAFT TERM',
  'RAFT APPLIED INDEX',
  'LEARNER',
  'PROTOCOL',
  'STORAGE',
  'ERRORS',
];

function* status(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error getting status', MachineService.EtcdStatus, Empty.empty);
    const rows = answers.map(({ node, message }) => {
      const member = message.memberStatus!;
      const percent = member.dbSize === 0 ? '0.00' : ((member.dbSizeInUse * 100) / member.dbSize).toFixed(2);
      return [
        node,
        member.memberId,
        formatBytes(member.dbSize),
        `${formatBytes(member.dbSizeInUse)} (${percent}%)`,
        member.leader,
        String(member.raftIndex),
        String(member.raftTerm),
        String(member.raftAppliedIndex),
        String(member.isLearner),
        member.protocolVersion,
        member.storageVersion,
        member.errors.join(', '),
      ];
    });
    context.out(tabulate([STATUS_HEADER, ...rows]));
    return 0;
  });
}

function* removeMember(parsed: Parsed, context: ToolContext): Task<number> {
  const text = parsed.args[0]!;
  const memberId = parseId(text);
  if (memberId === null)
    throw new CommandFailure(`error parsing member ID: strconv.ParseUint: parsing "${text}": invalid syntax`);
  return yield* withClient(parsed, context, function* (client) {
    yield* client.unary('error removing member by ID', MachineService.EtcdRemoveMemberByID, { memberId });
    return 0;
  });
}

function* leave(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'etcd leave');
    yield* client.unary('error executing leave', MachineService.EtcdLeaveCluster, {});
    return 0;
  });
}

function* forfeit(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    yield* client.unary('error executing forfeit leadership', MachineService.EtcdForfeitLeadership, {});
    return 0;
  });
}

function* defrag(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'etcd defrag');
    yield* client.unary('failed to defragment', MachineService.EtcdDefragment, Empty.empty);
    return 0;
  });
}

/** Writes the file only when the whole snapshot came, and says what is in it. */
function* snapshot(parsed: Parsed, context: ToolContext): Task<number> {
  const path = parsed.args[0]!;
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'etcd snapshot');
    const stream = client.stream(MachineService.EtcdSnapshot);
    stream.send({});
    stream.closeSend();
    const parts: Uint8Array[] = [];
    let inStream = '';
    try {
      yield* eachMessage(stream, (data) => {
        parts.push(data.bytes);
        inStream ||= data.metadata?.error ?? '';
      });
    } catch (error) {
      if (error instanceof RpcError) throw new CommandFailure(`error reading: ${error.describe()}`);
      throw error;
    }
    if (inStream !== '') throw new CommandFailure(`error reading: ${inStream}`);
    const bytes = concatBytes(parts);
    const info = snapshotInfo(bytes);
    if (typeof info === 'string') throw new CommandFailure(info);
    context.files.write(path, bytes);
    context.out(`etcd snapshot saved to "${path}" (${bytes.length} bytes)\nsnapshot info: ${info.text}\n`);
    return 0;
  });
}

function* alarmList(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error getting alarms', MachineService.EtcdAlarmList, Empty.empty);
    printAlarms(context, answers);
    return 0;
  });
}

function* alarmDisarm(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error disarming alarms', MachineService.EtcdAlarmDisarm, Empty.empty);
    printAlarms(context, answers);
    return 0;
  });
}

interface AlarmAnswer {
  readonly node: string;
  readonly message: { readonly memberAlarms: readonly { readonly memberId: string; readonly alarm: number }[] };
}

function printAlarms(context: ToolContext, answers: readonly AlarmAnswer[]): void {
  const rows = answers.flatMap(({ node, message }) =>
    message.memberAlarms.map((alarm) => [node, alarm.memberId, alarmName(alarm.alarm)]),
  );
  if (rows.length > 0) context.out(tabulate([['NODE', 'MEMBER', 'ALARM'], ...rows]));
}
