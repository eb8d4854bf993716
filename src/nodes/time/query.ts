import { decodeReply, encodeRequest } from '../../api/os/sntp.ts';
import { timeout } from '../../platform/combinators.ts';
import { NetError, TimeoutError } from '../../platform/errors.ts';
import type { Datagram, DatagramSocket } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { NodeError } from '../errors.ts';

const NTP_PORT = 123;
const TIMEOUT_US = 5_000_000;

export interface TimeQuery {
  /** What to add to the local wall clock. */
  readonly offsetUs: number;
  readonly roundTripUs: number;
}

/** Asks one time server. NodeError when it does not answer. */
export function* queryTime(platform: Platform, address: string): Task<TimeQuery> {
  const { net, clock } = platform;
  let socket: DatagramSocket | undefined;
  try {
    socket = yield* net.bindDatagram({ address: '0.0.0.0', port: 0 });
    const originUs = clock.nowUs();
    socket.send({ address, port: NTP_PORT }, encodeRequest(originUs));
    const reply = yield* timeout(clock, TIMEOUT_US, awaitReply(socket, originUs), 'time query');
    const nowUs = clock.nowUs();
    return {
      offsetUs: Math.round((reply.receivedUs - originUs + (reply.transmittedUs - nowUs)) / 2),
      roundTripUs: nowUs - originUs - (reply.transmittedUs - reply.receivedUs),
    };
  } catch (error) {
    if (!(error instanceof NetError || error instanceof TimeoutError)) throw error;
    const why = error instanceof TimeoutError ? `read udp ${address}:${NTP_PORT}: i/o timeout` : error.message;
    throw new NodeError(`error querying NTP server "${address}": ${why}`);
  } finally {
    socket?.close();
  }
}

function* awaitReply(
  socket: DatagramSocket,
  originUs: number,
): Task<{ readonly receivedUs: number; readonly transmittedUs: number }> {
  for (;;) {
    const datagram: Datagram = yield* socket.receive();
    const reply = datagram.payload instanceof Uint8Array ? decodeReply(datagram.payload) : undefined;
    if (reply?.originUs === originUs) return reply;
  }
}
