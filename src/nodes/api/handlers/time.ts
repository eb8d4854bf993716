import { NetError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { secondsAndNanos } from '../../../rpc/well-known.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';
import { TimeServerStatuses } from '../../resources/network.ts';
import { queryTime } from '../../time/query.ts';

/** The local clock beside that of a time server: the first configured one unless another is named. */
export function* timeAnswer(machine: Machine, wanted: string | undefined) {
  const server = wanted ?? machine.state.get(TimeServerStatuses, 'timeservers')?.spec.timeServers[0] ?? '';
  const { offsetUs } = yield* queryTime(machine.platform, yield* addressOf(machine, server));
  const nowUs = machine.platform.clock.nowUs();
  const time = {
    metadata: null,
    server,
    localtime: secondsAndNanos(nowUs),
    remotetime: secondsAndNanos(nowUs + offsetUs),
  };
  return { messages: [time] };
}

function* addressOf(machine: Machine, server: string): Task<string> {
  try {
    return (yield* machine.platform.net.lookup(server))[0]!;
  } catch (error) {
    if (error instanceof NetError) throw new NodeError(`error querying NTP server "${server}": ${error.message}`);
    throw error;
  }
}
