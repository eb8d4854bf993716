import { Bug } from '../platform/errors.ts';
import type {
  CallContext,
  Codec,
  HandlerEntry,
  Method,
  MethodKind,
  StreamHandler,
  UnaryHandler,
} from '../platform/rpc.ts';
import { type Task, wait } from '../platform/task.ts';

/** A method before its service gives it a path. */
export interface MethodShape<K extends MethodKind, Req, Res> {
  readonly kind: K;
  readonly request: Codec<Req>;
  readonly response: Codec<Res>;
}

export function unary<Req, Res>(request: Codec<Req>, response: Codec<Res>): MethodShape<'unary', Req, Res> {
  return { kind: 'unary', request, response };
}

export function serverStream<Req, Res>(
  request: Codec<Req>,
  response: Codec<Res>,
): MethodShape<'server-stream', Req, Res> {
  return { kind: 'server-stream', request, response };
}

export function clientStream<Req, Res>(
  request: Codec<Req>,
  response: Codec<Res>,
): MethodShape<'client-stream', Req, Res> {
  return { kind: 'client-stream', request, response };
}

export function bidi<Req, Res>(request: Codec<Req>, response: Codec<Res>): MethodShape<'bidi', Req, Res> {
  return { kind: 'bidi', request, response };
}

type MethodShapes = Readonly<Record<string, unknown>>;

/** A method of a described service; its kind stays visible in the type. */
export interface DescribedMethod<K extends MethodKind, Req, Res> extends Method<Req, Res> {
  readonly kind: K;
}

type MethodFor<M> = M extends MethodShape<infer K, infer Req, infer Res> ? DescribedMethod<K, Req, Res> : never;

/** The methods of a service by name: `KV.Range`. */
export type Service<M extends MethodShapes = MethodShapes> = { readonly [N in keyof M]: MethodFor<M[N]> };

/** Describes a gRPC service: `service('etcdserverpb.KV', { Range: unary(RangeRequest, RangeResponse) })`. */
export function service<const M extends MethodShapes>(name: string, methods: M): Service<M> {
  const described: Record<string, Method<unknown, unknown>> = {};
  for (const method of Object.keys(methods)) {
    const shape = methods[method] as MethodShape<MethodKind, unknown, unknown>;
    described[method] = Object.freeze({ path: `/${name}/${method}`, ...shape });
  }
  return Object.freeze(described) as unknown as Service<M>;
}

type HandlerFor<M> =
  M extends DescribedMethod<infer K, infer Req, infer Res>
    ? K extends 'unary'
      ? UnaryHandler<Req, Res>
      : StreamHandler<Req, Res>
    : never;

/** What implements a service. A method left out answers Unimplemented. */
export type Implementation<S> = { readonly [N in keyof S]?: HandlerFor<S[N]> };

/** The handlers of a service, typed by its description, for {@link ServeOptions.handlers}. */
export function serviceHandlers<S extends Readonly<Record<string, unknown>>>(
  description: S,
  implementation: Implementation<S>,
): HandlerEntry[] {
  const entries: HandlerEntry[] = [];
  for (const name of Object.keys(implementation)) {
    const method = description[name] as Method<unknown, unknown> | undefined;
    if (method === undefined) throw new Bug(`no method ${name} in the service description`);
    const handler = implementation[name as keyof S] as unknown;
    if (method.kind === 'unary') entries.push({ method, unary: handler as UnaryHandler<unknown, unknown> });
    else entries.push({ method, stream: handler as StreamHandler<unknown, unknown> });
  }
  return entries;
}

/** A unary handler that never waits, and whose plain function a server may call without starting a task. */
export interface ImmediateHandler<Req, Res> extends UnaryHandler<Req, Res> {
  readonly immediate: (request: Req, context: CallContext) => Res;
}

/** Marks a handler that answers at once (or throws RpcError): the cheapest way to serve a unary method. */
export function immediate<Req, Res>(answer: (request: Req, context: CallContext) => Res): ImmediateHandler<Req, Res> {
  function* handler(request: Req, context: CallContext): Task<Res> {
    return answer(request, context);
  }
  return Object.assign(handler, { immediate: answer });
}

/** Who waits for the answer to a unary call. One of both is called, once, unless the answer was withdrawn. */
export interface Caller<Res> {
  answer(response: Res): void;
  refuse(error: unknown): void;
}

/** An answer that is still to come. */
export interface PendingAnswer {
  /** The caller went away. */
  withdraw(): void;
}

/** Begins to serve a request; may answer before it returns. What it throws refuses the call. */
export type Serve<Req, Res> = (request: Req, context: CallContext, caller: Caller<Res>) => PendingAnswer;

/** A unary handler that waits without a task of its own. */
export interface ServingHandler<Req, Res> extends UnaryHandler<Req, Res> {
  readonly serve: Serve<Req, Res>;
}

/** Marks a handler that is called back when its answer is there: no task is started for the call. */
export function serving<Req, Res>(serve: Serve<Req, Res>): ServingHandler<Req, Res> {
  const handler = (request: Req, context: CallContext): Task<Res> =>
    wait<Res>((resume, fail) => {
      const pending = serve(request, context, { answer: resume, refuse: fail });
      return () => pending.withdraw();
    });
  return Object.assign(handler, { serve });
}
