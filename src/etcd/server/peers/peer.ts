import type { Timer } from '../../../platform/clock.ts';
import { NetError } from '../../../platform/errors.ts';
import { type ClientStream, type Metadata, type RpcChannel, RpcError } from '../../../platform/rpc.ts';
import type { Task, TaskScope } from '../../../platform/task.ts';
import type { Message, NodeId } from '../../../raft/index.ts';
import { peerChannel } from './endpoint.ts';
import type { PeerBatch } from './message-codec.ts';
import { PeerRefusal, PeerService } from './service.ts';
import { sendSnapshot } from './snapshot-sender.ts';
import type { TransportDeps, TransportOwner } from './transport.ts';

/** Pause before another attempt to open the stream. */
const RETRY_US = 100_000;
/** A stream that was silent this long is broken; each side speaks every third of it (reference/etcd.md D1). */
export const STREAM_TIMEOUT_US = 5_000_000;
export const KEEPALIVE_US = 1_666_667;
/**
 * A transfer goes on without an answer until the receiver has stored everything; only probes tell that it is not there any
 * more. Those of the real server are its kernel's, as Go asks for them: after 30 s, nine times.
 */
const TRANSFER_PROBES = Object.freeze({ keepaliveTimeUs: 30_000_000, keepaliveTimeoutUs: 270_000_000 });
const KEEPALIVE: PeerBatch = Object.freeze({ messages: Object.freeze([]) });

/** The sending side towards one member: a message stream that is opened again for ever. */
export class Peer {
  readonly #deps: TransportDeps;
  readonly #owner: TransportOwner;
  readonly #metadata: Metadata;
  readonly #id: NodeId;
  readonly #scope: TaskScope;
  #urls: readonly string[];
  #urlIndex = 0;
  #stream: ClientStream<PeerBatch, object> | null = null;
  #connectedSinceUs: number | null = null;
  #heardUs = 0;

  constructor(deps: TransportDeps, owner: TransportOwner, metadata: Metadata, id: NodeId, urls: readonly string[]) {
    this.#deps = deps;
    this.#owner = owner;
    this.#metadata = metadata;
    this.#id = id;
    this.#urls = urls;
    this.#scope = deps.scope.child(`peer-${id}`);
    this.#scope.spawn('stream', () => this.#keepStream());
  }

  get connectedSinceUs(): number | null {
    return this.#connectedSinceUs;
  }

  setUrls(urls: readonly string[]): void {
    if (urls.join(',') === this.#urls.join(',')) return;
    this.#urls = urls;
    this.#urlIndex = 0;
    this.#stream?.cancel();
  }

  send(messages: readonly Message[]): void {
    if (this.#stream === null || !this.#stream.send({ messages })) this.#owner.reportUnreachable(this.#id);
  }

  /** Sends a snapshot on a stream of its own, beside the messages. */
  sendSnapshot(message: Message): void {
    const prepared = this.#owner.snapshotParts(message);
    if (prepared === null) {
      // Raft must hear of it, or it would wait for ever for this snapshot's fate.
      this.#owner.reportSnapshot(this.#id, 'failure');
      return;
    }
    this.#scope.spawn('snapshot', () => this.#deliverSnapshot(prepared.message, prepared.parts));
  }

  *#deliverSnapshot(message: Message, parts: readonly Uint8Array[]): Task<void> {
    const channel = this.#channel(TRANSFER_PROBES);
    try {
      yield* sendSnapshot(channel, this.#metadata, message, parts);
      this.#owner.reportSnapshot(this.#id, 'finish');
    } catch (error) {
      if (!isNetworkTrouble(error)) throw error;
      this.#owner.reportUnreachable(this.#id);
      this.#owner.reportSnapshot(this.#id, 'failure');
    } finally {
      channel?.close();
      this.#owner.snapshotDone();
    }
  }

  close(): void {
    this.#lose('closed');
    this.#scope.cancel();
  }

  *#keepStream(): Task<void> {
    for (;;) {
      const channel = this.#channel();
      try {
        if (channel !== null) yield* this.#runStream(channel);
      } catch (error) {
        if (!isNetworkTrouble(error)) throw error;
        this.#failed(error);
      } finally {
        channel?.close();
        this.#stream = null;
      }
      this.#lose('stream ended');
      this.#urlIndex++;
      yield* this.#deps.clock.sleep(RETRY_US);
    }
  }

  #channel(probes: Partial<typeof TRANSFER_PROBES> = {}): RpcChannel | null {
    const url = this.#urls[this.#urlIndex % Math.max(1, this.#urls.length)];
    return peerChannel(this.#deps, url === undefined ? [] : [url], {
      connectTimeoutUs: this.#deps.dialTimeoutUs,
      backoffBaseUs: RETRY_US,
      backoffMaxUs: RETRY_US,
      ...probes,
    });
  }

  /** Opens the stream and reads the receiver's signs of life until it ends; throws what ended it. */
  *#runStream(channel: RpcChannel): Task<void> {
    const { clock } = this.#deps;
    const stream = channel.stream(PeerService.Messages, { metadata: this.#metadata });
    this.#stream = stream;
    this.#heardUs = clock.monotonicUs();
    let timer: Timer;
    const tick = (): void => {
      if (clock.monotonicUs() - this.#heardUs > STREAM_TIMEOUT_US) {
        stream.cancel();
        return;
      }
      stream.send(KEEPALIVE);
      timer = clock.after(KEEPALIVE_US, tick);
    };
    timer = clock.after(KEEPALIVE_US, tick);
    try {
      yield* stream.each(() => {
        this.#heardUs = clock.monotonicUs();
        if (this.#connectedSinceUs !== null) return;
        this.#connectedSinceUs = this.#heardUs;
        this.#owner.peerConnected(this.#id);
      });
    } finally {
      timer.cancel();
      stream.cancel();
    }
  }

  #failed(error: Error): void {
    if (error.message === PeerRefusal.RemovedMember) this.#owner.toldRemoved();
    this.#lose(error.message);
  }

  #lose(reason: string): void {
    if (this.#connectedSinceUs === null) return;
    this.#connectedSinceUs = null;
    this.#owner.peerLost(this.#id, reason);
  }
}

/** Errors that a peer's failure explains; anything else is a bug of ours. */
export function isNetworkTrouble(error: unknown): error is Error {
  return error instanceof RpcError || error instanceof NetError;
}
