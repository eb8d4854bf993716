import { isDefect } from '../../cosi/index.ts';
import { all } from '../../platform/combinators.ts';
import { type CallContext, type HandlerEntry, type ServerStream, STATUS_NAMES } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { toRpcError } from './errors.ts';
import { forwardStream, forwardUnary } from './forward.ts';
import type { Role } from './roles.ts';
import { checkRoles, peersOf, type RouterHost, servedHere } from './router.ts';

interface Envelope {
  readonly messages: readonly object[];
}

/** Asks several machines at once; each contributes its messages, a failing one a message that only says why. */
export function* manyUnary(
  host: RouterHost,
  entry: HandlerEntry,
  request: unknown,
  context: CallContext,
  roles: readonly Role[],
  nodes: readonly string[],
): Task<Envelope> {
  const answers = yield* all(nodes.map((node) => askOne(host, entry, request, context, roles, node)));
  return { messages: answers.flat() };
}

function* askOne(
  host: RouterHost,
  entry: HandlerEntry,
  request: unknown,
  context: CallContext,
  roles: readonly Role[],
  node: string,
): Task<readonly object[]> {
  try {
    const answer = host.isLocal(node)
      ? yield* servedHere(entry, request, context, roles)
      : yield* forwardUnary(peersOf(host), entry.method, node, request, context, roles);
    return (answer as Envelope).messages.map((message) => tagged(message, node));
  } catch (error) {
    if (isDefect(error)) throw error;
    return [failure(entry, node, error)];
  }
}

function tagged(message: object, node: string): object {
  return { ...message, metadata: { hostname: node, error: '', status: null } };
}

/** An element of the answer with nothing but the error in it. */
function failure(entry: HandlerEntry, node: string, error: unknown): object {
  const status = toRpcError(error);
  const metadata = {
    hostname: node,
    error: status.describe(),
    status: { code: STATUS_NAMES.indexOf(status.status), message: status.message, details: [] },
  };
  return { ...emptyElement(entry), metadata };
}

/** Decoding a message that has only an empty element gives that element with all defaults. */
function emptyElement(entry: HandlerEntry): object {
  const onlyEmptyElement = Uint8Array.of(0x0a, 0x00);
  if (entry.method.kind !== 'unary') return entry.method.response.decode(new Uint8Array()) as object;
  return (entry.method.response.decode(onlyEmptyElement) as Envelope).messages[0]!;
}

/** Streams from several machines at once; an error of one is a message of the stream. */
export function* manyStream(
  host: RouterHost,
  entry: HandlerEntry,
  stream: ServerStream<unknown, unknown>,
  roles: readonly Role[],
  nodes: readonly string[],
): Task<void> {
  if (nodes.length === 1) return yield* streamOne(host, entry, stream, roles, nodes[0]!);
  // Several readers of one request: only server streams are asked of several machines.
  const request = yield* stream.receive();
  yield* all(nodes.map((node) => streamOne(host, entry, oneRequest(stream, request), roles, node)));
}

function* streamOne(
  host: RouterHost,
  entry: HandlerEntry,
  stream: ServerStream<unknown, unknown>,
  roles: readonly Role[],
  node: string,
): Task<void> {
  const decorate = (message: unknown): unknown => tagged(message as object, node);
  try {
    if (host.isLocal(node)) {
      checkRoles(entry.method.path, roles);
      yield* entry.stream!({
        context: stream.context,
        receive: () => stream.receive(),
        each: (take) => stream.each(take),
        send: (message) => stream.send(decorate(message)),
        drained: () => stream.drained(),
      });
    } else {
      yield* forwardStream(peersOf(host), entry.method, node, stream, roles, decorate);
    }
  } catch (error) {
    if (isDefect(error)) throw error;
    stream.send(failure(entry, node, error));
  }
}

/** A view of a server stream that gives `request` and then the half-close. */
function oneRequest(stream: ServerStream<unknown, unknown>, request: unknown): ServerStream<unknown, unknown> {
  let given = false;
  return {
    context: stream.context,
    *receive() {
      if (given) return undefined;
      given = true;
      return request;
    },
    *each(take) {
      if (given) return;
      given = true;
      take(request);
    },
    send: (message) => stream.send(message),
    drained: () => stream.drained(),
  };
}
