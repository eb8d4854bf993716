import { ContainerDriver, type Data } from '../../../api/machine/common.ts';
import { MachineService, TimeService } from '../../../api/machine/services.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import { rfc3339 } from '../../../platform/rfc3339.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { formatDurationUs } from '../../../platform/text/duration.ts';
import { Empty, microseconds } from '../../../rpc/well-known.ts';
import { type Command, exactArgs, maximumArgs, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { type FlagSpec, flag } from '../../cobra/flags.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { eachMessage, type TalosClient, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';

type Parsed = ParsedCommand<Runner>;

export const serviceCommand: Command<Runner> = {
  use: 'service [<id> [start|stop|restart|status]]',
  aliases: ['services'],
  short: 'Retrieve the state of a service (or all services), control service state',
  args: maximumArgs(2),
  run: service,
};

function* service(parsed: Parsed, context: ToolContext): Task<number> {
  const [id, action = 'status'] = parsed.args;
  return yield* withClient(parsed, context, function* (client) {
    if (id === undefined) return yield* listServices(client, context);
    switch (action) {
      case 'status':
        return yield* serviceStatus(client, context, id);
      case 'start':
        return printResponses(
          context,
          yield* client.unary('error starting service', MachineService.ServiceStart, { id }),
        );
      case 'stop':
        return printResponses(
          context,
          yield* client.unary('error starting service', MachineService.ServiceStop, { id }),
        );
      case 'restart':
        return printResponses(
          context,
          yield* client.unary('error starting service', MachineService.ServiceRestart, { id }),
        );
      default:
        throw new CommandFailure(`unsupported service action: ${JSON.stringify(action)}`);
    }
  });
}

interface Health {
  readonly unknown: boolean;
  readonly healthy: boolean;
}

function healthText(health: Health | null): string {
  if (health === null || health.unknown) return '?';
  return health.healthy ? 'OK' : 'Fail';
}

function* listServices(client: TalosClient, context: ToolContext): Task<number> {
  const answers = yield* client.unary('error listing services', MachineService.ServiceList, Empty.empty);
  const nowUs = context.platform.clock.nowUs();
  const rows = answers.flatMap(({ node, message }) =>
    message.services.map((info) => {
      const last = info.events?.events.at(-1);
      const age = last?.ts == null ? '<none>' : `${ageText(nowUs - microseconds(last.ts))} ago`;
      return [node, info.id, info.state, healthText(info.health), age, last?.msg ?? '<none>'];
    }),
  );
  context.out(tabulate([['NODE', 'SERVICE', 'STATE', 'HEALTH', 'LAST CHANGE', 'LAST EVENT'], ...rows]));
  return 0;
}

function ageText(us: number): string {
  return formatDurationUs(Math.max(0, Math.round(us / 1_000_000)) * 1_000_000);
}

function* serviceStatus(client: TalosClient, context: ToolContext, id: string): Task<number> {
  const answers = yield* client.unary('error listing services', MachineService.ServiceList, Empty.empty);
  const nowUs = context.platform.clock.nowUs();
  const rows: string[][] = [];
  for (const { node, message } of answers) {
    const info = message.services.find((candidate) => candidate.id === id);
    if (info === undefined) continue;
    rows.push(['NODE', node], ['ID', info.id], ['STATE', info.state], ['HEALTH', healthText(info.health)]);
    if ((info.health?.lastMessage ?? '') !== '') rows.push(['LAST HEALTH MESSAGE', info.health!.lastMessage]);
    const events = [...(info.events?.events ?? [])].reverse();
    events.forEach((event, index) => {
      const age = event.ts === null ? '' : ` (${ageText(nowUs - microseconds(event.ts))} ago)`;
      rows.push([index === 0 ? 'EVENTS' : '', `[${event.state}]: ${event.msg}${age}`]);
    });
  }
  if (rows.length === 0) throw new CommandFailure(`service "${id}" is not registered on any nodes`);
  context.out(tabulate(rows));
  return 0;
}

function printResponses(context: ToolContext, answers: readonly { node: string; message: { resp: string } }[]): number {
  context.out(tabulate([['NODE', 'RESPONSE'], ...answers.map(({ node, message }) => [node, message.resp])]));
  return 0;
}

/** Deprecated: still taken, and of no effect (reference/v1.11.3.md 15.3). */
const USE_CRI: FlagSpec = flag('use-cri', 'bool', false, 'use the CRI driver', { short: 'c', hidden: true });

export const logsCommand: Command<Runner> = {
  use: 'logs <service name>',
  short: 'Retrieve logs for a service',
  args: exactArgs(1),
  run: logs,
  flags: [
    flag('follow', 'bool', false, 'specify if the logs should be streamed', { short: 'f' }),
    flag('kubernetes', 'bool', false, 'use the k8s.io containerd namespace', { short: 'k' }),
    USE_CRI,
    flag('tail', 'int', -1, 'lines of log file to display (default is to show from the beginning)'),
  ],
};

function* logs(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const kubernetes = flags.on('kubernetes');
  const request = {
    namespace: kubernetes ? 'k8s.io' : 'system',
    id: parsed.args[0]!,
    driver: kubernetes ? ContainerDriver.Cri : ContainerDriver.Containerd,
    follow: flags.on('follow'),
    tailLines: flags.number('tail'),
  };
  return yield* withClient(parsed, context, function* (client) {
    const stream = client.stream(MachineService.Logs);
    stream.send(request);
    stream.closeSend();
    return yield* printData(client, context, stream, 'ERROR: ');
  });
}

export const dmesgCommand: Command<Runner> = {
  use: 'dmesg',
  short: 'Retrieve kernel logs',
  args: noArgs,
  run: dmesg,
  flags: [
    flag('follow', 'bool', false, 'specify if the kernel log should be streamed', { short: 'f' }),
    flag(
      'tail',
      'bool',
      false,
      'specify if only new messages should be sent (makes sense only when combined with --follow)',
    ),
  ],
};

function* dmesg(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    const stream = client.stream(MachineService.Dmesg);
    stream.send({ follow: parsed.flags.on('follow'), tail: parsed.flags.on('tail') });
    stream.closeSend();
    return yield* printData(client, context, stream, '1 error occurred:\n ');
  });
}

/** Prints a stream of text line by line, each with its node in front; partial lines wait for their end. */
function* printData(
  client: TalosClient,
  context: ToolContext,
  stream: Parameters<typeof eachMessage<Data>>[0],
  errorPrefix: string,
): Task<number> {
  const partial = new Map<string, string>();
  let failed = false;
  const take = (data: Data): void => {
    const node = data.metadata?.hostname || client.nodes[0]!;
    const error = data.metadata?.error ?? '';
    if (error !== '') {
      context.err(`${errorPrefix}${error}\n`);
      failed = true;
      return;
    }
    const lines = ((partial.get(node) ?? '') + utf8Decode(data.bytes)).split('\n');
    partial.set(node, lines.pop()!);
    for (const line of lines) context.out(`${node}: ${line}\n`);
  };
  try {
    yield* eachMessage(stream, take);
  } catch (error) {
    if (error instanceof RpcError) throw new CommandFailure(`error streaming results: ${error.describe()}`);
    throw error;
  }
  for (const [node, rest] of partial) if (rest !== '') context.out(`${node}: ${rest}\n`);
  return failed ? 1 : 0;
}

export const containersCommand: Command<Runner> = {
  use: 'containers',
  aliases: ['c'],
  short: 'List containers',
  args: noArgs,
  run: containers,
  flags: [flag('kubernetes', 'bool', false, 'use the k8s.io containerd namespace', { short: 'k' }), USE_CRI],
};

function* containers(parsed: Parsed, context: ToolContext): Task<number> {
  const kubernetes = parsed.flags.on('kubernetes');
  const request = {
    namespace: kubernetes ? 'k8s.io' : 'system',
    driver: kubernetes ? ContainerDriver.Cri : ContainerDriver.Containerd,
  };
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error getting container list', MachineService.Containers, request);
    const rows = answers.flatMap(({ node, message }) =>
      [...message.containers]
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map((info) => [
          node,
          info.namespace,
          `${info.id === info.podId ? '' : '└─ '}${info.id}`,
          info.image,
          String(info.pid),
          info.status,
        ]),
    );
    context.out(tabulate([['NODE', 'NAMESPACE', 'ID', 'IMAGE', 'PID', 'STATUS'], ...rows]));
    return 0;
  });
}

export const memoryCommand: Command<Runner> = {
  use: 'memory',
  aliases: ['m', 'free'],
  short: 'Show memory usage',
  args: noArgs,
  run: memory,
};

function* memory(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error getting memory stats', MachineService.Memory, Empty.empty);
    const rows = answers.map(({ node, message }) => {
      const info = message.meminfo!;
      const used = info.memtotal - info.memfree - info.cached - info.buffers;
      const values = [info.memtotal, used, info.memfree, info.shmem, info.buffers, info.cached, info.memavailable];
      return [node, ...values.map((kib) => String(Math.floor(kib / 1024)))];
    });
    context.out(tabulate([['NODE', 'TOTAL', 'USED', 'FREE', 'SHARED', 'BUFFERS', 'CACHE', 'AVAILABLE'], ...rows]));
    return 0;
  });
}

export const timeCommand: Command<Runner> = {
  use: 'time [--check server]',
  short: 'Gets current server time',
  args: noArgs,
  run: time,
  flags: [flag('check', 'string', '', 'checks server time against specified ntp server', { short: 'c' })],
};

function* time(parsed: Parsed, context: ToolContext): Task<number> {
  const server = parsed.flags.text('check');
  return yield* withClient(parsed, context, function* (client) {
    const answers =
      server === ''
        ? yield* client.unary('error fetching time', TimeService.Time, Empty.empty)
        : yield* client.unary('error fetching time', TimeService.TimeCheck, { server });
    const rows = answers.map(({ node, message }) => [
      node,
      message.server,
      goTime(message.localtime),
      goTime(message.remotetime),
    ]);
    context.out(tabulate([['NODE', 'NTP-SERVER', 'NODE-TIME', 'NTP-SERVER-TIME'], ...rows]));
    return 0;
  });
}

/** Go's time.Time as String prints it in UTC. */
function goTime(time: { readonly seconds: number; readonly nanos: number } | null): string {
  if (time === null) return '0001-01-01 00:00:00 +0000 UTC';
  const fraction = time.nanos === 0 ? '' : `.${String(time.nanos).padStart(9, '0').replace(/0+$/, '')}`;
  const text = rfc3339(time.seconds * 1_000_000);
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${fraction} +0000 UTC`;
}
