import { race } from '../../platform/combinators.ts';
import type { CallContext, Metadata, Method, Rpc, RpcChannel, ServerStream, TlsClient } from '../../platform/rpc.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { forever } from '../services/builtin/plain.ts';
import type { Role } from './roles.ts';

export const API_PORT = 50_000;
/** Largest message that Talos takes from others of its kind, and from talosctl (reference/controllers.md). */
export const API_MESSAGE_BYTES = 32 * 1024 * 1024;
const BACKOFF_MAX_US = 15_000_000;

/** Connections from this machine's apid to those of other machines, kept open. */
export class Peers {
  #rpc: Rpc;
  #tls: TlsClient;
  #channels = new Map<string, RpcChannel>();

  constructor(rpc: Rpc, tls: TlsClient) {
    this.#rpc = rpc;
    this.#tls = tls;
  }

  channel(node: string): RpcChannel {
    let channel = this.#channels.get(node);
    if (channel === undefined) {
      channel = this.#rpc.channel([{ address: node, port: API_PORT }], {
        tls: this.#tls,
        maxReceiveBytes: API_MESSAGE_BYTES,
        backoffMaxUs: BACKOFF_MAX_US,
      });
      this.#channels.set(node, channel);
    }
    return channel;
  }

  close(): void {
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }
}

/** Metadata of a forwarded call: whom it is for is gone, who asked is stated. */
export function forwarded(context: CallContext, roles: readonly Role[]): Metadata {
  const { node: _node, nodes: _nodes, ...rest } = context.metadata;
  return { ...rest, proxyfrom: context.local.address, 'talos-role': roles.join(',') };
}

/** Sends a unary call to one machine; its status is the answer. */
export function* forwardUnary(
  peers: Peers,
  method: Method<unknown, unknown>,
  node: string,
  request: unknown,
  context: CallContext,
  roles: readonly Role[],
): Task<unknown> {
  return yield* peers.channel(node).unary(method, request, { metadata: forwarded(context, roles) });
}

/** Joins the caller's stream with one to another machine. */
export function* forwardStream(
  peers: Peers,
  method: Method<unknown, unknown>,
  node: string,
  stream: ServerStream<unknown, unknown>,
  roles: readonly Role[],
  decorate: (message: unknown) => unknown = (message) => message,
): Task<void> {
  const upstream = peers.channel(node).stream(method, { metadata: forwarded(stream.context, roles) });
  const upward = (function* (): Task<void> {
    for (;;) {
      const message = yield* stream.receive();
      if (message === undefined) break;
      upstream.send(message);
      yield* upstream.drained();
    }
    upstream.closeSend();
    yield* forever();
  })();
  const downward = (function* (): Task<void> {
    for (;;) {
      const message = yield* upstream.receive();
      if (message === undefined) return;
      if (!stream.send(decorate(message))) throw new RpcError('Canceled', 'context canceled');
      yield* stream.drained();
    }
  })();
  try {
    yield* race<void>({ downward, upward });
  } finally {
    upstream.cancel();
  }
}
