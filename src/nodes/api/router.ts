import type { CallContext, HandlerEntry, ServerStream } from '../../platform/rpc.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { asStatus, invalidArgument } from './errors.ts';
import { forwardStream, forwardUnary, type Peers } from './forward.ts';
import { manyStream, manyUnary } from './one-to-many.ts';
import { mayCall, type Role, rolesOf } from './roles.ts';

/** What the router knows of its machine. */
export interface RouterHost {
  /** Own addresses and names: calls for them are served here. */
  isLocal(node: string): boolean;
  rbac(): boolean;
  /** Connections to the API of other machines; undefined where this machine may not forward. */
  peers(): Peers | undefined;
}

/** Where a call goes. */
export type Route =
  | { readonly to: 'local' }
  | { readonly to: 'one'; readonly node: string }
  | { readonly to: 'many'; readonly nodes: readonly string[] };

/**
 * apid: serves calls here or sends them on to the machines that `node` or `nodes` name
 * (reference/lifecycle-api-cli.md E.8, reference/v1.11.3.md 16).
 */
export function routed(host: RouterHost, entries: readonly HandlerEntry[]): readonly HandlerEntry[] {
  return entries.map((entry) => {
    if (entry.unary !== undefined) {
      return { method: entry.method, unary: (request, context) => asStatus(unary(host, entry, request, context)) };
    }
    return { method: entry.method, stream: (stream) => asStatus(streaming(host, entry, stream)) };
  });
}

function* unary(host: RouterHost, entry: HandlerEntry, request: unknown, context: CallContext): Task<unknown> {
  const route = routeOf(host, entry.method.path, context);
  const roles = rolesOf(context, host.rbac());
  if (route.to === 'many') return yield* manyUnary(host, entry, request, context, roles, route.nodes);
  if (route.to === 'one') return yield* forwardUnary(peersOf(host), entry.method, route.node, request, context, roles);
  return yield* servedHere(entry, request, context, roles);
}

function* streaming(host: RouterHost, entry: HandlerEntry, stream: ServerStream<unknown, unknown>): Task<void> {
  const route = routeOf(host, entry.method.path, stream.context);
  const roles = rolesOf(stream.context, host.rbac());
  if (route.to === 'many') return yield* manyStream(host, entry, stream, roles, route.nodes);
  if (route.to === 'one') return yield* forwardStream(peersOf(host), entry.method, route.node, stream, roles);
  checkRoles(entry.method.path, roles);
  return yield* entry.stream!(stream);
}

/** Serves a unary call on this machine. */
export function* servedHere(
  entry: HandlerEntry,
  request: unknown,
  context: CallContext,
  roles: readonly Role[],
): Task<unknown> {
  checkRoles(entry.method.path, roles);
  return yield* asStatus(entry.unary!(request, context));
}

export function checkRoles(path: string, roles: readonly Role[]): void {
  if (!mayCall(path, roles)) throw new RpcError('PermissionDenied', 'not authorized');
}

export function peersOf(host: RouterHost): Peers {
  const peers = host.peers();
  if (peers === undefined) throw new RpcError('PermissionDenied', 'no request forwarding');
  return peers;
}

function routeOf(host: RouterHost, path: string, context: CallContext): Route {
  const { metadata } = context;
  const { node, nodes } = metadata;
  if (metadata.proxyfrom !== undefined || (node === undefined && nodes === undefined)) return { to: 'local' };
  if (nodes !== undefined && nodes !== '') {
    if (path.startsWith('/cosi.')) throw invalidArgument('one-2-many proxying is not supported for COSI methods');
    const list = nodes.split(',');
    if (host.peers() === undefined) {
      if (list.length === 1 && host.isLocal(list[0]!)) return { to: 'local' };
      throw new RpcError('PermissionDenied', 'no request forwarding');
    }
    return { to: 'many', nodes: list };
  }
  if (node === undefined || node.includes(',')) throw invalidArgument('node metadata must be single-valued');
  return host.isLocal(node) ? { to: 'local' } : { to: 'one', node };
}
