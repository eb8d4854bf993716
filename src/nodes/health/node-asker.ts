import { parse } from 'yaml';
import { State as CosiService } from '../../api/cosi/state.ts';
import { joinErrors, type ResourceKind } from '../../cosi/index.ts';
import type { CallContext, HandlerEntry, Method } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { forwarded } from '../api/forward.ts';
import { manyUnary } from '../api/one-to-many.ts';
import type { Role } from '../api/roles.ts';
import { peersOf, type RouterHost } from '../api/router.ts';
import { NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';

interface Answer {
  readonly metadata: { readonly hostname: string; readonly error: string } | null;
}

/** Asks the nodes of a cluster in the name of the caller. */
export class NodeAsker {
  readonly #machine: Machine;
  readonly #host: RouterHost;
  readonly #entries: readonly HandlerEntry[];
  readonly #context: CallContext;
  readonly #roles: readonly Role[];

  constructor(
    machine: Machine,
    host: RouterHost,
    entries: readonly HandlerEntry[],
    context: CallContext,
    roles: readonly Role[],
  ) {
    this.#machine = machine;
    this.#host = host;
    this.#entries = entries;
    this.#context = context;
    this.#roles = roles;
  }

  /** One element for each node, by address. NodeError lists what went wrong on which node. */
  *ask<Req, M extends Answer>(
    method: Method<Req, { readonly messages: readonly M[] }>,
    request: Req,
    nodes: readonly string[],
  ): Task<readonly { readonly node: string; readonly answer: M }[]> {
    const entry = this.#entries.find((candidate) => candidate.method.path === method.path)!;
    const { messages } = yield* manyUnary(this.#host, entry, request, this.#context, this.#roles, nodes);
    const answers = messages as readonly M[];
    const errors = answers
      .filter((answer) => (answer.metadata?.error ?? '') !== '')
      .map((answer) => `${answer.metadata!.hostname}: ${answer.metadata!.error}`);
    if (errors.length > 0) throw new NodeError(joinErrors(errors));
    return answers.map((answer) => ({ node: answer.metadata?.hostname ?? '', answer }));
  }

  /** Resources of a type on one node. */
  *list<Spec>(kind: ResourceKind<Spec>, node: string): Task<readonly { readonly id: string; readonly spec: Spec }[]> {
    if (this.#host.isLocal(node)) {
      return this.#machine.state.list(kind).map(({ metadata, spec }) => ({ id: metadata.id, spec }));
    }
    const metadata = forwarded(this.#context, this.#roles);
    const stream = peersOf(this.#host).channel(node).stream(CosiService.List, { metadata });
    const found: { readonly id: string; readonly spec: Spec }[] = [];
    try {
      stream.send({ namespace: kind.namespace, type: kind.type, options: null });
      stream.closeSend();
      for (let message = yield* stream.receive(); message !== undefined; message = yield* stream.receive()) {
        const { metadata: about, spec } = message.resource!;
        found.push({ id: about!.id, spec: parse(spec!.yamlSpec) as Spec });
      }
      return found;
    } finally {
      stream.cancel();
    }
  }
}
