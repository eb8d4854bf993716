import { decodeRequest, encodeReply } from '../../api/os/sntp.ts';
import type { Process } from '../../platform/containers.ts';
import type { Task } from '../../platform/task.ts';

export const NTP_PORT = 123;

/** A time server: answers SNTP with the wall clock of the machine it runs on. */
export function* timeServer(process: Process): Task<number> {
  const { net, clock } = process.platform;
  const socket = yield* net.bindDatagram({ address: '0.0.0.0', port: NTP_PORT });
  for (;;) {
    const { from, payload } = yield* socket.receive();
    const receivedUs = clock.nowUs();
    const originUs = payload instanceof Uint8Array ? decodeRequest(payload) : undefined;
    if (originUs === undefined) continue;
    socket.send(from, encodeReply({ originUs, receivedUs, transmittedUs: clock.nowUs(), stratum: 2 }));
  }
}
