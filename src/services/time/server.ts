import { decodeRequest, encodeReply } from '../../api/os/sntp.ts';
import { race } from '../../platform/combinators.ts';
import type { Process } from '../../platform/containers.ts';
import type { DatagramSocket } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { readEndpoint, readFlags } from '../flags.ts';
import { startFailure } from '../start-failure.ts';

const STRATUM = 2;

/**
 * A time server: `ntpd [--listen=:123]` answers SNTP with the wall clock of the machine it runs on. Ends with 0 at a
 * signal, with 1 when it cannot listen, with 2 for bad flags.
 */
export function* timeServer({ argv, platform, signals, print }: Process): Task<number> {
  try {
    const listen = readFlags(argv.slice(1), ['listen']).get('listen')?.at(-1) ?? ':123';
    const socket = yield* platform.net.bindDatagram(readEndpoint('listen', listen));
    yield* race<unknown>({ answers: answers(platform, socket), signal: signals.receive() });
    return 0;
  } catch (error) {
    return startFailure(error, print);
  }
}

function* answers({ clock }: Platform, socket: DatagramSocket): Task<never> {
  for (;;) {
    const { from, payload } = yield* socket.receive();
    const receivedUs = clock.nowUs();
    const originUs = payload instanceof Uint8Array ? decodeRequest(payload) : undefined;
    if (originUs === undefined) continue;
    socket.send(from, encodeReply({ originUs, receivedUs, transmittedUs: clock.nowUs(), stratum: STRATUM }));
  }
}
