import type { Notifier } from '../../platform/signal.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { AccessError } from '../errors.ts';
import type { Pointer } from '../metadata.ts';
import type { ListQuery } from '../query.ts';
import type { Resource, ResourceKind } from '../resource.ts';
import type { ModifyOptions, State } from '../state.ts';
import type { RestartBackoff } from './backoff.ts';
import type { Input, Output } from './controller.ts';
import { inputNamespace } from './registry.ts';

/** Reads what was declared. */
export interface Reader {
  get<S>(kind: ResourceKind<S>, id: string, namespace?: string): Resource<S> | undefined;
  list<S>(kind: ResourceKind<S>, query?: ListQuery, namespace?: string): readonly Resource<S>[];
}

/** What the runtime lends a context. */
export interface ContextHost {
  readonly state: State;
  readonly scope: TaskScope;
  setInputs(inputs: readonly Input[]): void;
  beforeWrite(verb: string, pointer: Pointer): void;
  /** Waits until the next pass may start. */
  wakeUp(): Task<void>;
  queueReconcile(): void;
}

/** What a controller may do; everything that it did not declare is refused with AccessError. */
export class ControllerContext implements Reader {
  readonly name: string;
  #host: ContextHost;
  #inputs: readonly Input[];
  #outputs: readonly Output[];
  #backoff: RestartBackoff;
  #tracked: Set<string> | undefined;

  constructor(
    name: string,
    inputs: readonly Input[],
    outputs: readonly Output[],
    host: ContextHost,
    backoff: RestartBackoff,
  ) {
    this.name = name;
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#host = host;
    this.#backoff = backoff;
  }

  /** Tasks started here end with the run of the controller. */
  get scope(): TaskScope {
    return this.#host.scope;
  }

  /** Waits for the next reason to run; several reasons since the last pass are one. */
  wakeUp(): Task<void> {
    return this.#host.wakeUp();
  }

  /** Asks for another pass. */
  queueReconcile(): void {
    this.#host.queueReconcile();
  }

  /** Asks for another pass whenever `notifier` fires, until the returned function is called. */
  wakeOn(notifier: Notifier): () => void {
    return notifier.listen(() => this.#host.queueReconcile());
  }

  resetRestartBackoff(): void {
    this.#backoff.reset();
  }

  /** Replaces the declared inputs. Does not by itself ask for a pass. */
  updateInputs(inputs: readonly Input[]): void {
    this.#host.setInputs(inputs);
    this.#inputs = inputs;
  }

  get<S>(kind: ResourceKind<S>, id: string, namespace = kind.namespace): Resource<S> | undefined {
    this.#checkRead(kind, namespace, id);
    return this.#host.state.get(kind, id, namespace);
  }

  list<S>(kind: ResourceKind<S>, query?: ListQuery, namespace = kind.namespace): readonly Resource<S>[] {
    this.#checkRead(kind, namespace, undefined);
    return this.#host.state.list(kind, query, namespace);
  }

  /** Creates or updates an own output. */
  modify<S>(
    kind: ResourceKind<S>,
    id: string,
    compute: (old: Resource<S> | undefined) => S,
    options: ModifyOptions = {},
  ): Resource<S> {
    const namespace = options.namespace ?? kind.namespace;
    this.#beforeWrite('modify', kind, { namespace, type: kind.type, id });
    return this.#host.state.modify(kind, id, compute, { owner: this.name, ...options });
  }

  /** {@link modify} with a fixed spec. */
  set<S>(kind: ResourceKind<S>, id: string, spec: S, options: ModifyOptions = {}): Resource<S> {
    return this.modify(kind, id, () => spec, options);
  }

  create<S>(kind: ResourceKind<S>, id: string, spec: S, options: ModifyOptions = {}): Resource<S> {
    const namespace = options.namespace ?? kind.namespace;
    this.#beforeWrite('create', kind, { namespace, type: kind.type, id });
    return this.#host.state.create(kind, id, spec, { owner: this.name, ...options });
  }

  /** Destroys an own output; a missing one is fine, pending finalizers are a conflict. */
  destroy(kind: ResourceKind<unknown>, id: string, namespace = kind.namespace): void {
    const pointer = { namespace, type: kind.type, id };
    if (this.#host.state.collection(namespace, kind.type).get(id) === undefined) return;
    this.#beforeWrite('destroy', kind, pointer);
    this.#host.state.destroy(pointer, { owner: this.name });
  }

  /** Starts tearing down an own output; true when it may be destroyed. */
  teardown(kind: ResourceKind<unknown>, id: string, namespace = kind.namespace): boolean {
    const pointer = { namespace, type: kind.type, id };
    this.#beforeWrite('teardown', kind, pointer);
    return this.#host.state.teardown(pointer, { owner: this.name });
  }

  addFinalizer(kind: ResourceKind<unknown>, id: string, finalizer: string, namespace = kind.namespace): void {
    this.#checkFinalizer(kind, namespace, id);
    this.#host.beforeWrite('add-finalizer', { namespace, type: kind.type, id });
    this.#host.state.addFinalizer({ namespace, type: kind.type, id }, finalizer);
  }

  /** A missing resource is fine. */
  removeFinalizer(kind: ResourceKind<unknown>, id: string, finalizer: string, namespace = kind.namespace): void {
    this.#checkFinalizer(kind, namespace, id);
    if (this.#host.state.collection(namespace, kind.type).get(id) === undefined) return;
    this.#host.beforeWrite('remove-finalizer', { namespace, type: kind.type, id });
    this.#host.state.removeFinalizer({ namespace, type: kind.type, id }, finalizer);
  }

  /** From now on remembers what is written, for {@link cleanupOutputs}. */
  startTrackingOutputs(): void {
    if (this.#tracked !== undefined) throw new AccessError(`controller "${this.name}" tracks outputs already`);
    this.#tracked = new Set();
  }

  /** Destroys own outputs of these kinds that were not written since tracking started; ends tracking. */
  cleanupOutputs(...kinds: readonly ResourceKind<unknown>[]): void {
    const tracked = this.#tracked;
    if (tracked === undefined) throw new AccessError(`controller "${this.name}" does not track outputs`);
    for (const kind of kinds) {
      for (const resource of this.#host.state.list(kind)) {
        const { metadata } = resource;
        if (metadata.owner !== this.name || tracked.has(trackKey(metadata))) continue;
        this.#host.beforeWrite('destroy', metadata);
        this.#host.state.destroy(metadata, { owner: this.name });
      }
    }
    this.#tracked = undefined;
    this.#backoff.reset();
  }

  #beforeWrite(verb: string, kind: ResourceKind<unknown>, pointer: Pointer): void {
    if (!this.#outputs.some((output) => output.kind.type === kind.type)) {
      throw new AccessError(`resource "${kind.type}" is not an output for controller "${this.name}"`);
    }
    this.#tracked?.add(trackKey(pointer));
    this.#host.beforeWrite(verb, pointer);
  }

  #checkRead(kind: ResourceKind<unknown>, namespace: string, id: string | undefined): void {
    if (this.#outputs.some((output) => output.kind.type === kind.type)) return;
    const declared = this.#inputs.some(
      (input) =>
        input.kind.type === kind.type &&
        inputNamespace(input) === namespace &&
        (input.id === undefined || input.id === id),
    );
    if (!declared) {
      throw new AccessError(
        `attempt to query resource "${namespace}"/"${kind.type}", not input or output for controller "${this.name}"`,
      );
    }
  }

  #checkFinalizer(kind: ResourceKind<unknown>, namespace: string, id: string): void {
    const allowed = this.#inputs.some(
      (input) =>
        input.mode === 'strong' &&
        input.kind.type === kind.type &&
        inputNamespace(input) === namespace &&
        (input.id === undefined || input.id === id),
    );
    if (!allowed) {
      throw new AccessError(
        `attempt to change finalizers for resource "${namespace}"/"${kind.type}"/"${id}", not an input with Strong dependency for controller "${this.name}"`,
      );
    }
  }
}

function trackKey(pointer: Pointer): string {
  return `${pointer.namespace}/${pointer.type}/${pointer.id}`;
}
