import { acceptAll } from '../../platform/accept.ts';
import { race } from '../../platform/combinators.ts';
import type { Process, Program } from '../../platform/containers.ts';
import {
  type DnsQuestion,
  decodeQuestion,
  encodeAnswer,
  ResponseCode,
  UDP_LIMIT_BYTES,
} from '../../platform/dns/message.ts';
import { framed, receiveFramed } from '../../platform/dns/stub.ts';
import { NetError } from '../../platform/errors.ts';
import type { Connection, DatagramSocket } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { readEndpoint, readFlags } from '../flags.ts';
import { startFailure } from '../start-failure.ts';

const TTL_SEC = 30;
const TCP_LIMIT_BYTES = 65_535;

/** IPv4 addresses by name; whoever holds it may change it at any time. */
export type Zone = ReadonlyMap<string, readonly string[]>;

/**
 * A name server: `named [--listen=:53]` answers for the names of its zone, over datagrams and connections. The addresses
 * of a name come in turn, another one first at each answer. Ends with 0 at a signal, with 1 when it cannot listen, with 2
 * for bad flags.
 */
export function nameServer(zone: Zone): Program {
  return (process) => serve(process, new Answers(zone));
}

function* serve({ argv, platform, signals, print }: Process, answers: Answers): Task<number> {
  try {
    const listen = readEndpoint('listen', readFlags(argv.slice(1), ['listen']).get('listen')?.at(-1) ?? ':53');
    const socket = yield* platform.net.bindDatagram(listen);
    const listener = yield* platform.net.listen(listen);
    platform.scope.spawn('accept', () => acceptAll(listener, (client) => take(platform, client, answers)));
    yield* race<unknown>({ datagrams: overDatagrams(socket, answers), signal: signals.receive() });
    return 0;
  } catch (error) {
    return startFailure(error, print);
  }
}

/** What a zone says, each time beginning with the next address. */
class Answers {
  readonly #zone: Zone;
  #turn = 0;

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  to(question: DnsQuestion, limitBytes: number): Uint8Array {
    const addresses = this.#zone.get(question.name) ?? [];
    const code = addresses.length === 0 ? ResponseCode.NoSuchName : ResponseCode.Success;
    const first = addresses.length === 0 ? 0 : this.#turn++ % addresses.length;
    const records = [...addresses.slice(first), ...addresses.slice(0, first)].map((address) => ({
      address,
      ttlSec: TTL_SEC,
    }));
    return encodeAnswer({ ...question, code, records }, limitBytes);
  }
}

function* overDatagrams(socket: DatagramSocket, answers: Answers): Task<never> {
  for (;;) {
    const { from, payload } = yield* socket.receive();
    const question = payload instanceof Uint8Array ? decodeQuestion(payload) : undefined;
    if (question !== undefined) socket.send(from, answers.to(question, UDP_LIMIT_BYTES));
  }
}

function take(platform: Platform, client: Connection, answers: Answers): void {
  platform.scope.spawn('client', () => overConnection(client, answers));
}

function* overConnection(client: Connection, answers: Answers): Task<void> {
  try {
    for (;;) {
      const message = yield* receiveFramed(client);
      const question = message === undefined ? undefined : decodeQuestion(message);
      if (question === undefined) return;
      client.send(framed(answers.to(question, TCP_LIMIT_BYTES)));
    }
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
  } finally {
    client.close();
  }
}
