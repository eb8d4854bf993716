import { type Event, EventsRequest } from '../../../api/machine/observe.ts';
import { MachineService } from '../../../api/machine/services.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { eachBatch } from '../batches.ts';
import { withClient } from '../client.ts';
import { readMachineEvent } from '../machine-event.ts';
import { CommandFailure, type Runner } from '../run.ts';

/** `talosctl events`: the event streams of nodes, until it is interrupted (reference/lifecycle-api-cli.md E.4, F.3). */
export const eventsCommand: Command<Runner> = {
  use: 'events',
  short: 'Stream runtime events',
  args: noArgs,
  run: events,
  flags: [
    flag(
      'tail',
      'int',
      0,
      'show specified number of past events (use -1 to show full history, default is to show no history)',
    ),
    flag(
      'duration',
      'duration',
      0,
      'show events for the past duration interval (one second resolution, default is to show no history)',
    ),
    flag('since', 'string', '', 'show events after the specified event ID (default is to show no history)'),
    flag('actor-id', 'string', '', 'filter events by the specified actor ID (default is no filter)'),
  ],
};

function* events(parsed: ParsedCommand<Runner>, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const request = EventsRequest.of({
    tailEvents: flags.number('tail'),
    tailId: flags.text('since'),
    tailSeconds: Math.floor(flags.number('duration') / 1_000_000),
    withActorId: flags.text('actor-id'),
  });
  return yield* withClient(parsed, context, function* (client) {
    const stream = client.stream(MachineService.Events);
    stream.send(request);
    stream.closeSend();
    const errors: string[] = [];
    let head = [['NODE', 'ID', 'EVENT', 'ACTOR', 'SOURCE', 'MESSAGE']];
    try {
      yield* eachBatch(context.platform.clock, stream, (batch) => {
        for (const { metadata } of batch) if ((metadata?.error ?? '') !== '') errors.push(metadata!.error);
        const rows = batch.flatMap((event) => rowsOf(event, client.nodes[0]!));
        if (rows.length > 0) context.out(tabulate([...head, ...rows]));
        if (rows.length > 0) head = [];
      });
    } catch (error) {
      if (error instanceof RpcError) throw new CommandFailure(`error streaming results: ${error.describe()}`);
      throw error;
    }
    if (errors.length > 0) throw new CommandFailure(`1 error occurred:\n ${errors.join('\n ')}`);
    return 0;
  });
}

/** Two lines an event: the real one breaks the row after the type. */
function rowsOf(event: Event, onlyNode: string): string[][] {
  const shown = readMachineEvent(event);
  if (shown === undefined) return [];
  const node = event.metadata?.hostname || onlyNode;
  return [
    [node, event.id, event.data!.typeUrl],
    [event.actorId, shown.source, shown.message],
  ];
}
