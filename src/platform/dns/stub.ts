import { concatBytes } from '../bytes.ts';
import { race } from '../combinators.ts';
import { NetError } from '../errors.ts';
import { type Connection, type DatagramSocket, type Endpoint, hostPort, type Net } from '../net.ts';
import type { Task } from '../task.ts';
import { DNS_PORT, type DnsAnswer, decodeAnswer, encodeQuestion, ResponseCode } from './message.ts';

const ATTEMPTS = 2;
const TIMEOUT_US = 5_000_000;
const NAME_LIMIT = 254;

/** What a stub resolver works with. */
export interface StubResolver {
  readonly net: Pick<Net, 'bindDatagram' | 'dial'>;
  /** Addresses of name servers, in the order in which they are asked. */
  readonly servers: readonly string[];
  readonly sleep: (durationUs: number) => Task<void>;
  /** An identifier for a question: 0 to 65,535. */
  readonly drawId: () => number;
  /** The own address towards another; undefined when there is no route. */
  readonly sourceFor: (address: string) => string | undefined;
}

/**
 * Asks for a name as Go's resolver does: every server in turn, five seconds each, twice over; a server that knows that
 * there is no such name ends it. What can be no name is not asked for. Throws NetError `unknown-host` in Go's words.
 */
export function* lookupHost(stub: StubResolver, name: string): Task<readonly string[]> {
  if (!isDomainName(name)) throw unknownHost(`lookup ${name}: no such host`);
  let last = `lookup ${name}: no name servers`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++)
    for (const address of stub.servers) {
      const server = { address, port: DNS_PORT };
      const about = `lookup ${name} on ${hostPort(server)}`;
      const answer = yield* ask(stub, name, server);
      if (typeof answer === 'string') last = `${about}: ${answer}`;
      else if (answer.code === ResponseCode.NoSuchName) throw unknownHost(`${about}: no such host`);
      else if (answer.code !== ResponseCode.Success) last = `${about}: server misbehaving`;
      else if (answer.records.length === 0) throw unknownHost(`${about}: no such host`);
      else return answer.records.map((record) => record.address);
    }
  throw unknownHost(last);
}

/** Whether it is asked for at all: labels of letters, digits, `-` and `_`, and not all of them digits (Go: `isDomainName`). */
function isDomainName(name: string): boolean {
  const labels = name.replace(/\.$/, '').split('.');
  return (
    name.length <= NAME_LIMIT &&
    labels.every((label) => /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label)) &&
    /[A-Za-z_-]/.test(name)
  );
}

export function unknownHost(text: string): NetError {
  return new NetError('unknown-host', text);
}

/** The answer of one server, or why there is none. */
function* ask(stub: StubResolver, name: string, server: Endpoint): Task<DnsAnswer | string> {
  const source = stub.sourceFor(server.address);
  if (source === undefined) return `dial udp ${hostPort(server)}: connect: network is unreachable`;
  const asked = { id: stub.drawId(), name: name.replace(/\.$/, '').toLowerCase() };
  try {
    const answer = yield* overDatagrams(stub, asked, server, source);
    if (typeof answer === 'string' || !answer.truncated) return answer;
    const late = after(stub, `read tcp ${hostPort(server)}: i/o timeout`);
    return yield* race<DnsAnswer | string>({ answer: overConnection(stub, asked, server), late });
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    return error.message;
  }
}

function* after(stub: StubResolver, text: string): Task<string> {
  yield* stub.sleep(TIMEOUT_US);
  return text;
}

interface Question {
  readonly id: number;
  readonly name: string;
}

function* overDatagrams(
  stub: StubResolver,
  asked: Question,
  server: Endpoint,
  source: string,
): Task<DnsAnswer | string> {
  const socket = yield* stub.net.bindDatagram({ address: '0.0.0.0', port: 0 });
  try {
    socket.send(server, encodeQuestion(asked));
    const local = hostPort({ address: source, port: socket.local.port });
    const late = after(stub, `read udp ${local}->${hostPort(server)}: i/o timeout`);
    return yield* race<DnsAnswer | string>({ answer: answerTo(asked, socket), late });
  } finally {
    socket.close();
  }
}

/** Anything else that arrives is nobody's answer. */
function* answerTo(asked: Question, socket: DatagramSocket): Task<DnsAnswer> {
  for (;;) {
    const { payload } = yield* socket.receive();
    const answer = payload instanceof Uint8Array ? decodeAnswer(payload) : undefined;
    if (answer?.id === asked.id && answer.name === asked.name) return answer;
  }
}

function* overConnection({ net }: StubResolver, asked: Question, server: Endpoint): Task<DnsAnswer> {
  const connection = yield* net.dial(server, { timeoutUs: TIMEOUT_US });
  try {
    connection.send(framed(encodeQuestion(asked)));
    const message = yield* receiveFramed(connection);
    const answer = message === undefined ? undefined : decodeAnswer(message);
    if (answer === undefined) throw new NetError('reset', `read tcp ${hostPort(server)}: EOF`);
    return answer;
  } finally {
    connection.close();
  }
}

/** Over connections every message has its length in front. */
export function framed(message: Uint8Array): Uint8Array {
  return concatBytes([new Uint8Array([message.length >> 8, message.length & 255]), message]);
}

/** The next message of a connection; undefined when it ends before. */
export function* receiveFramed(connection: Connection): Task<Uint8Array | undefined> {
  let bytes = new Uint8Array();
  for (;;) {
    const wanted = bytes.length < 2 ? undefined : 2 + bytes[0]! * 256 + bytes[1]!;
    if (wanted !== undefined && bytes.length >= wanted) return bytes.slice(2, wanted);
    const segment = yield* connection.receive();
    if (!(segment instanceof Uint8Array)) return undefined;
    bytes = new Uint8Array(concatBytes([bytes, segment]));
  }
}
