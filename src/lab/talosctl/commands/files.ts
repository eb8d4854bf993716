import { type FileInfo, FileType } from '../../../api/machine/observe.ts';
import { MachineService } from '../../../api/machine/services.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import { rfc3339 } from '../../../platform/rfc3339.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { formatBytes } from '../../../platform/text/humanize.ts';
import { type Command, exactArgs, maximumArgs, type ParsedCommand } from '../../cobra/command.ts';
import { type FlagValues, flag } from '../../cobra/flags.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { eachMessage, onlyOneNode, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';

type Parsed = ParsedCommand<Runner>;

export const readCommand: Command<Runner> = {
  use: 'read <path>',
  aliases: ['cat'],
  short: 'Read a file on the machine',
  args: exactArgs(1),
  run: read,
};

function* read(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'read');
    const stream = client.stream(MachineService.Read);
    stream.send({ path: parsed.args[0]! });
    stream.closeSend();
    try {
      yield* eachMessage(stream, ({ metadata, bytes }) => {
        if ((metadata?.error ?? '') !== '') throw new CommandFailure(`error reading: ${metadata!.error}`);
        context.out(utf8Decode(bytes));
      });
    } catch (error) {
      if (error instanceof RpcError) throw new CommandFailure(`error reading: ${error.describe()}`);
      throw error;
    }
    return 0;
  });
}

export const listCommand: Command<Runner> = {
  use: 'list [path]',
  aliases: ['ls'],
  short: 'Retrieve a directory listing',
  args: maximumArgs(1),
  run: list,
  flags: [
    flag('depth', 'int', 1, 'maximum recursion depth', { short: 'd' }),
    flag('humanize', 'bool', false, 'humanize size and time in the output', { short: 'H' }),
    flag('long', 'bool', false, 'display additional file details', { short: 'l' }),
    flag('recurse', 'bool', false, 'recurse into subdirectories', { short: 'r' }),
    flag('type', 'strings', [], 'filter by specified types: f regular file, d directory, l symbolic link', {
      short: 't',
    }),
  ],
};

const TYPES: Readonly<Record<string, number>> = {
  f: FileType.Regular,
  d: FileType.Directory,
  l: FileType.Symlink,
  L: FileType.Symlink,
};

function* list(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const depth = flags.number('depth');
  const types = flags.list('type').map((letter) => {
    const type = TYPES[letter];
    if (type === undefined) throw new CommandFailure(`invalid file type: ${letter}`);
    return type;
  });
  const recurse = flags.on('recurse') || depth > 1;
  const request = {
    root: parsed.args[0] ?? '/',
    recurse,
    recursionDepth: flags.on('recurse') ? 0 : depth,
    types,
    reportXattrs: flags.on('long'),
  };
  return yield* withClient(parsed, context, function* (client) {
    const rows: string[][] = [];
    const errors: string[] = [];
    const stream = client.stream(MachineService.List);
    stream.send(request);
    stream.closeSend();
    try {
      yield* eachMessage(stream, (info) => {
        const error = info.metadata?.error || info.error;
        if (error !== '') errors.push(error);
        else rows.push([info.metadata?.hostname || client.nodes[0]!, ...fileColumns(flags, info)]);
      });
    } catch (error) {
      if (error instanceof RpcError) throw new CommandFailure(`error streaming results: ${error.describe()}`);
      throw error;
    }
    const head = flags.on('long')
      ? ['NODE', 'MODE', 'UID', 'GID', 'SIZE(B)', 'LASTMOD', 'LABEL', 'NAME']
      : ['NODE', 'NAME'];
    context.out(tabulate([head, ...rows]));
    if (errors.length === 0) return 0;
    // The node's own list form, with one space in front of each error (reference/v1.11.3.md 15.1).
    const count = errors.length === 1 ? '1 error occurred:' : `${errors.length} errors occurred:`;
    throw new CommandFailure(`${count}\n${errors.map((error) => ` ${error}`).join('\n')}`);
  });
}

type Listed = ReturnType<typeof FileInfo.of>;

/** The simulated disks keep neither times nor security labels. */
function fileColumns(flags: FlagValues, info: Listed): string[] {
  if (!flags.on('long')) return [info.relativeName];
  const size = flags.on('humanize') ? formatBytes(info.size) : String(info.size);
  return [modeText(info), String(info.uid), String(info.gid), size, timeText(info.modified), '', info.relativeName];
}

/** Permissions as Go prints them: `drwxr-xr-x`. */
function modeText({ isDir, mode }: Listed): string {
  const bits = [...'rwxrwxrwx'].map((letter, at) => ((mode >> (8 - at)) & 1 ? letter : '-')).join('');
  return `${isDir ? 'd' : '-'}${bits}`;
}

/** `Jan _2 2006 15:04`, as times are shown that lie more than half a year back. */
function timeText(seconds: number): string {
  const [date = '', time = ''] = rfc3339(seconds * 1_000_000).split('T');
  const [year, month, day] = date.split('-').map(Number);
  return `${MONTHS[month! - 1]} ${String(day).padStart(2)} ${year} ${time.slice(0, 5)}`;
}

const MONTHS = Object.freeze('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '));
