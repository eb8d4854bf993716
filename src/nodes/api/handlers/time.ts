import { ipBytes } from '../../../platform/x509/ip.ts';
import { secondsAndNanos } from '../../../rpc/well-known.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';
import { TimeServerStatuses } from '../../resources/network.ts';
import { queryTime } from '../../time/query.ts';

/** The local clock beside that of a time server: the first configured one unless another is named. */
export function* timeAnswer(machine: Machine, wanted: string | undefined) {
  const server = wanted ?? machine.state.get(TimeServerStatuses, 'timeservers')?.spec.timeServers[0] ?? '';
  const address = ipBytes(server) !== null ? server : machine.surroundings.resolve(server)[0];
  if (address === undefined)
    throw new NodeError(`error querying NTP server "${server}": lookup ${server}: no such host`);
  const { offsetUs } = yield* queryTime(machine.platform, address);
  const nowUs = machine.platform.clock.nowUs();
  const time = {
    metadata: null,
    server,
    localtime: secondsAndNanos(nowUs),
    remotetime: secondsAndNanos(nowUs + offsetUs),
  };
  return { messages: [time] };
}
