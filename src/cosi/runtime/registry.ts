import { AccessError } from '../errors.ts';
import type { Change } from '../event.ts';
import type { Input, Output } from './controller.ts';

/** One edge of the graph of controllers and resources: a declared input or output. */
export interface Dependency {
  readonly controller: string;
  readonly mode: Input['mode'] | Output['mode'];
  readonly namespace: string;
  readonly type: string;
  /** Only this resource; undefined: all of the type. */
  readonly id: string | undefined;
}

interface Subscription<T> {
  readonly input: Input;
  readonly subscriber: T;
}

/** Who reads and who writes what; refuses declarations that contradict each other (reference/controllers.md A.5). */
export class Registry<T extends { readonly name: string }> {
  #exclusive = new Map<string, string>();
  #shared = new Map<string, string[]>();
  #subscriptions = new Map<string, Subscription<T>[]>();
  #outputs: Dependency[] = [];

  addOutputs(controller: string, outputs: readonly Output[]): void {
    for (const output of outputs) {
      this.#addOutput(controller, output);
      const { namespace, type } = output.kind;
      this.#outputs.push({ controller, mode: output.mode, namespace, type, id: undefined });
    }
  }

  #addOutput(controller: string, output: Output): void {
    const { type } = output.kind;
    const owner = this.#exclusive.get(type);
    if (owner !== undefined) {
      throw new AccessError(`resource "${type}" is already managed in exclusive mode by "${owner}"`);
    }
    const sharers = this.#shared.get(type) ?? [];
    if (output.mode === 'exclusive') {
      if (sharers.length > 0) {
        throw new AccessError(`resource "${type}" is already managed in shared mode by "${sharers[0]}"`);
      }
      this.#exclusive.set(type, controller);
      return;
    }
    if (sharers.includes(controller)) {
      throw new AccessError(`duplicate shared controller output: "${type}" -> "${controller}"`);
    }
    this.#shared.set(type, [...sharers, controller]);
  }

  /** Replaces what wakes a subscriber. */
  setInputs(subscriber: T, inputs: readonly Input[]): void {
    refuseDuplicates(subscriber.name, inputs);
    for (const [key, list] of this.#subscriptions) {
      const kept = list.filter((entry) => entry.subscriber !== subscriber);
      if (kept.length !== list.length) this.#subscriptions.set(key, kept);
    }
    for (const input of inputs) {
      const key = collectionKey(inputNamespace(input), input.kind.type);
      const list = this.#subscriptions.get(key) ?? [];
      this.#subscriptions.set(key, [...list, { input, subscriber }]);
    }
  }

  /** All inputs and outputs as they are declared now, by controller. */
  dependencies(): readonly Dependency[] {
    const inputs = [...this.#subscriptions.values()].flat().map(
      ({ input, subscriber }): Dependency => ({
        controller: subscriber.name,
        mode: input.mode,
        namespace: inputNamespace(input),
        type: input.kind.type,
        id: input.id,
      }),
    );
    return [...this.#outputs, ...inputs].sort((a, b) =>
      a.controller < b.controller ? -1 : a.controller > b.controller ? 1 : 0,
    );
  }

  /** Calls `wake` for everybody whom a change concerns: subscribers of the whole kind first, then those of the one id. */
  dependents(change: Change, wake: (subscriber: T, input: Input) => void): void {
    const { namespace, type, id } = change.resource.metadata;
    const list = this.#subscriptions.get(collectionKey(namespace, type));
    if (list === undefined) return;
    for (const entry of list)
      if (entry.input.id === undefined && concerns(entry.input, change)) wake(entry.subscriber, entry.input);
    for (const entry of list)
      if (entry.input.id === id && concerns(entry.input, change)) wake(entry.subscriber, entry.input);
  }
}

function concerns(input: Input, change: Change): boolean {
  if (input.mode !== 'destroy-ready') return true;
  const { phase, finalizers } = change.resource.metadata;
  return change.kind !== 'destroyed' && phase === 'tearingDown' && finalizers.length === 0;
}

function refuseDuplicates(controller: string, inputs: readonly Input[]): void {
  const seen = new Set<string>();
  for (const input of inputs) {
    const key = `${collectionKey(inputNamespace(input), input.kind.type)}/${input.id ?? ''}`;
    if (seen.has(key)) throw new AccessError(`duplicate controller input: "${controller}" -> ${key}`);
    seen.add(key);
  }
}

export function inputNamespace(input: Input): string {
  return input.namespace ?? input.kind.namespace;
}

function collectionKey(namespace: string, type: string): string {
  return `${namespace}/${type}`;
}
