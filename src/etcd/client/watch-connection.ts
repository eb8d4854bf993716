import { EtcdError, isEtcdError } from '../../api/etcd/errors.ts';
import type { ResponseHeader } from '../../api/etcd/kv.ts';
import { REQUIRE_LEADER } from '../../api/etcd/metadata.ts';
import { WatchService } from '../../api/etcd/services.ts';
import type { WatchId, WatchRequest, WatchResponse } from '../../api/etcd/watch.ts';
import { NO_WATCH } from '../../api/etcd/watch.ts';
import { type ClientStream, RpcError } from '../../platform/rpc.ts';
import type { Task, TaskHandle } from '../../platform/task.ts';
import type { StreamDeps, Watch, WatchUpdate } from './watch.ts';

/** First pause before a broken stream is opened again; it doubles up to the second. */
const MIN_PAUSE_US = 1_000;
const MAX_PAUSE_US = 100_000;

const NO_REQUEST: WatchRequest = Object.freeze({ createRequest: null, cancelRequest: null, progressRequest: null });

/**
 * One stream of watches with its life: created one at a time, resumed where they were when the stream breaks
 * (reference/etcd.md E5). It ends when its last watch is gone.
 */
export class WatchConnection {
  readonly #deps: StreamDeps;
  readonly #metadata: Readonly<Record<string, string>>;
  readonly #task: TaskHandle<void>;
  #watches: Watch[] = [];
  /** Watches that wait for their turn to be created on the current stream; the first one's answer is awaited. */
  #queue: Watch[] = [];
  #byId = new Map<WatchId, Watch>();
  #stream: ClientStream<WatchRequest, WatchResponse> | null = null;
  #heard = false;
  ended = false;

  constructor(deps: StreamDeps, requireLeader: boolean) {
    this.#deps = deps;
    this.#metadata = requireLeader ? REQUIRE_LEADER : {};
    this.#task = deps.ports.scope.spawn('etcd-watch', () => this.#run());
  }

  add(watch: Watch): void {
    this.#watches.push(watch);
    this.#queue.push(watch);
    if (this.#stream !== null && this.#queue.length === 1) this.#createNext();
  }

  /** A watch was cancelled by its user. The last one takes the stream with it. */
  remove(watch: Watch): void {
    this.#watches = this.#watches.filter((other) => other !== watch);
    if (this.#watches.length === 0) {
      this.close();
      return;
    }
    if (watch.id === null) return;
    this.#byId.delete(watch.id);
    this.#stream?.send({ ...NO_REQUEST, cancelRequest: { watchId: watch.id } });
  }

  requestProgress(): void {
    this.#stream?.send({ ...NO_REQUEST, progressRequest: {} });
  }

  close(): void {
    this.ended = true;
    for (const watch of this.#watches.splice(0)) watch.updates.close();
    this.#stream?.cancel();
    this.#task.cancel();
  }

  *#run(): Task<void> {
    let pauseUs = MIN_PAUSE_US;
    while (!this.ended) {
      try {
        yield* this.#serveStream();
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (isFinal(error)) {
          this.#endAll(error);
          return;
        }
      }
      this.#stream = null;
      if (this.#heard) pauseUs = MIN_PAUSE_US;
      yield* this.#deps.ports.clock.sleep(pauseUs);
      pauseUs = Math.min(MAX_PAUSE_US, pauseUs * 2);
    }
  }

  /** Opens a stream, creates every watch on it again, and hands out what comes until it ends. */
  *#serveStream(): Task<void> {
    this.#byId.clear();
    for (const watch of this.#watches) {
      watch.id = null;
      watch.fragments = [];
    }
    this.#queue = [...this.#watches];
    this.#heard = false;
    const stream = this.#deps.channel.stream(WatchService.Watch, { metadata: this.#metadata, waitForReady: true });
    this.#stream = stream;
    this.#createNext();
    for (;;) {
      const response = yield* stream.receive();
      if (response === undefined) return;
      this.#heard = true;
      this.#take(response);
      if (this.ended) return;
    }
  }

  #createNext(): void {
    while (this.#queue.length > 0 && this.#queue[0]!.updates.closed) this.#queue.shift();
    const watch = this.#queue[0];
    if (watch !== undefined) this.#stream?.send({ ...NO_REQUEST, createRequest: watch.createRequest() });
  }

  #take(response: WatchResponse): void {
    if (response.created) {
      this.#created(response);
      return;
    }
    if (response.watchId === NO_WATCH) {
      for (const watch of this.#byId.values()) this.#deliver(watch, response);
      return;
    }
    const watch = this.#byId.get(response.watchId);
    if (watch !== undefined) this.#deliver(watch, response);
    else if (!response.canceled) {
      // Somebody who is not interested any more, or never was.
      this.#stream?.send({ ...NO_REQUEST, cancelRequest: { watchId: response.watchId } });
    }
  }

  /** The first watch in the queue was created, or refused. */
  #created(response: WatchResponse): void {
    const watch = this.#queue.shift();
    if (watch === undefined) return;
    if (response.watchId === NO_WATCH || (response.canceled && response.cancelReason !== '')) {
      this.#end(watch, new RpcError('FailedPrecondition', response.cancelReason), 0);
    } else if (watch.updates.closed) {
      this.#stream?.send({ ...NO_REQUEST, cancelRequest: { watchId: response.watchId } });
    } else {
      watch.id = response.watchId;
      this.#byId.set(response.watchId, watch);
      const revision = response.header?.revision ?? 0;
      // Not one more: a change of exactly this revision may come again after a reconnection.
      if (watch.nextRevision === 0) watch.nextRevision = revision;
      if (watch.options.createdNotify === true) watch.updates.offer(update(response.header, true));
    }
    this.#createNext();
  }

  #deliver(watch: Watch, response: WatchResponse): void {
    const revision = response.header?.revision ?? 0;
    if (response.canceled) {
      const error =
        response.compactRevision !== 0
          ? new RpcError('OutOfRange', EtcdError.Compacted.message)
          : new RpcError('FailedPrecondition', response.cancelReason || 'etcdserver: watch canceled');
      this.#end(watch, error, response.compactRevision);
      return;
    }
    watch.fragments.push(...response.events);
    if (response.fragment) return;
    const events = watch.fragments;
    watch.fragments = [];
    const last = events[events.length - 1];
    if (last !== undefined) watch.nextRevision = last.kv.modRevision + 1;
    else if (revision + 1 > watch.nextRevision) watch.nextRevision = revision + 1;
    watch.updates.offer({ ...update(response.header, false), events });
  }

  #end(watch: Watch, error: RpcError, compactRevision: number): void {
    watch.updates.offer({ ...update(null, false), error, compactRevision });
    watch.updates.close();
    if (watch.id !== null) this.#byId.delete(watch.id);
    this.#watches = this.#watches.filter((other) => other !== watch);
    if (this.#watches.length === 0) {
      this.ended = true;
      this.#stream?.cancel();
    }
  }

  #endAll(error: RpcError): void {
    this.ended = true;
    for (const watch of this.#watches.splice(0)) {
      watch.updates.offer({ ...update(null, false), error });
      watch.updates.close();
    }
  }
}

function update(header: ResponseHeader | null, created: boolean): WatchUpdate {
  return { header, revision: header?.revision ?? 0, events: [], created, error: null, compactRevision: 0 };
}

/** Errors that end every watch of a stream; anything else reopens it. */
function isFinal(error: RpcError): boolean {
  if (isEtcdError(error, EtcdError.NoLeader)) return true;
  return error.status !== 'Unavailable' && error.status !== 'Internal';
}
