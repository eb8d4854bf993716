import type { Event, ResponseHeader } from '../../api/etcd/kv.ts';
import { NO_BYTES } from '../../api/etcd/kv.ts';
import type { WatchId } from '../../api/etcd/watch.ts';
import { WatchCreateRequest } from '../../api/etcd/watch.ts';
import { Channel, type End } from '../../platform/channel.ts';
import type { RpcChannel, RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { ClientPorts } from './client.ts';
import { WatchConnection } from './watch-connection.ts';

export interface WatchOptions {
  readonly key: Uint8Array;
  readonly rangeEnd?: Uint8Array;
  /** First revision to deliver; 0: from the next change. */
  readonly startRevision?: number;
  readonly prevKv?: boolean;
  readonly progressNotify?: boolean;
  readonly fragment?: boolean;
  readonly filters?: readonly number[];
  /** End the watch when the server has been without a leader for a while. */
  readonly requireLeader?: boolean;
  /** Deliver an update when the server has begun the watch. */
  readonly createdNotify?: boolean;
}

/** What a watch delivers: events of whole revisions, a sign of progress, or its end. */
export interface WatchUpdate {
  /** Of the answer; null with the last update. */
  readonly header: ResponseHeader | null;
  readonly revision: number;
  readonly events: readonly Event[];
  readonly created: boolean;
  /** Set with the last update: the watch is over. `compactRevision` tells from where it could begin again. */
  readonly error: RpcError | null;
  readonly compactRevision: number;
}

/** What the streams of a client share. */
export interface StreamDeps {
  readonly ports: ClientPorts;
  readonly channel: RpcChannel;
}

/** One watch. It survives reconnections; its updates are read with {@link receive}. */
export class Watch {
  readonly options: WatchOptions;
  readonly updates = new Channel<WatchUpdate>();
  /** Id on the current stream; null while it is not created there. */
  id: WatchId | null = null;
  /** Where a new stream has to begin. */
  nextRevision: number;
  /** Events of a fragmented answer so far. */
  fragments: Event[] = [];
  readonly #cancel: (watch: Watch) => void;

  constructor(options: WatchOptions, cancel: (watch: Watch) => void) {
    this.options = options;
    this.nextRevision = options.startRevision ?? 0;
    this.#cancel = cancel;
  }

  /** Waits for the next update; END after the watch was cancelled or its last update was read. */
  receive(): Task<WatchUpdate | End> {
    return this.updates.receive();
  }

  cancel(): void {
    if (this.updates.closed) return;
    this.updates.close();
    this.#cancel(this);
  }

  /** The request that begins, or begins again, this watch. */
  createRequest(): WatchCreateRequest {
    const { key, rangeEnd, prevKv, progressNotify, fragment, filters } = this.options;
    return WatchCreateRequest.of({
      key,
      rangeEnd: rangeEnd ?? NO_BYTES,
      startRevision: this.nextRevision,
      prevKv: prevKv ?? false,
      progressNotify: progressNotify ?? false,
      fragment: fragment ?? false,
      filters: filters ?? [],
    });
  }
}

/** Watches of one client: all that require a leader share one stream, all others another (reference/etcd.md E5). */
export class WatchClient {
  readonly #deps: StreamDeps;
  readonly #connections = new Map<boolean, WatchConnection>();

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  watch(options: WatchOptions): Watch {
    const requireLeader = options.requireLeader ?? false;
    let connection = this.#connections.get(requireLeader);
    if (connection === undefined || connection.ended) {
      connection = new WatchConnection(this.#deps, requireLeader);
      this.#connections.set(requireLeader, connection);
    }
    const owner = connection;
    const watch = new Watch(options, (cancelled) => owner.remove(cancelled));
    connection.add(watch);
    return watch;
  }

  /** Asks for a sign of progress on the streams that are open. */
  requestProgress(): void {
    for (const connection of this.#connections.values()) connection.requestProgress();
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }
}
