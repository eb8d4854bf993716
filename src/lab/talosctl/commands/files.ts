import { MachineService } from '../../../api/machine/services.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, exactArgs, maximumArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
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
    flag('recurse', 'bool', false, 'recurse into subdirectories', { short: 'r' }),
    flag('depth', 'int', 1, 'maximum recursion depth', { short: 'd' }),
  ],
};

/** Names only: owners, modes and times of files are not simulated, so there is no `--long`. */
function* list(parsed: Parsed, context: ToolContext): Task<number> {
  const depth = parsed.flags.number('depth');
  const recurse = parsed.flags.on('recurse') || depth > 1;
  const request = { root: parsed.args[0] ?? '/', recurse, recursionDepth: parsed.flags.on('recurse') ? 0 : depth };
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
        else rows.push([info.metadata?.hostname || client.nodes[0]!, info.relativeName]);
      });
    } catch (error) {
      if (error instanceof RpcError) throw new CommandFailure(`error streaming results: ${error.describe()}`);
      throw error;
    }
    context.out(tabulate([['NODE', 'NAME'], ...rows]));
    if (errors.length === 0) return 0;
    // The node's own list form, with one space in front of each error (reference/v1.11.3.md 15.1).
    const head = errors.length === 1 ? '1 error occurred:' : `${errors.length} errors occurred:`;
    throw new CommandFailure(`${head}\n${errors.map((error) => ` ${error}`).join('\n')}`);
  });
}
