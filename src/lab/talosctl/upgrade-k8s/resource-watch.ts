import { EventType, type Resource, type WatchResponse } from '../../../api/cosi/state.ts';
import type { ClientStream } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { TalosClient } from '../client.ts';
import { type ResourceReference, watchStream } from '../resources.ts';

/** One of {@link EventType}, with the resource that it is about. */
export interface ResourceEvent {
  readonly type: number;
  readonly resource: Resource | null;
}

/** Follows one resource of a node. */
export class ResourceWatch {
  readonly #stream: ClientStream<unknown, WatchResponse>;
  #queue: ResourceEvent[] = [];

  constructor(talos: TalosClient, node: string, reference: Required<ResourceReference>) {
    this.#stream = watchStream(talos, node, reference);
  }

  /** What there is, then each change. Throws RpcError when the connection breaks. */
  *next(): Task<ResourceEvent> {
    while (this.#queue.length === 0) {
      const response = yield* this.#stream.receive();
      if (response === undefined) return { type: EventType.Errored, resource: null };
      this.#queue = response.event.map(({ eventType, resource }) => ({ type: eventType, resource }));
    }
    return this.#queue.shift()!;
  }

  close(): void {
    this.#stream.cancel();
  }
}
