import { WatchService } from '../../../../src/api/etcd/services.ts';
import { WatchCreateRequest, WatchFilter, type WatchResponse } from '../../../../src/api/etcd/watch.ts';
import { utf8Encode } from '../../../../src/platform/bytes.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import type { Random } from '../../../../src/platform/random.ts';
import { type ClientStream, type RpcChannel, RpcError } from '../../../../src/platform/rpc.ts';
import type { Task } from '../../../../src/platform/task.ts';
import type { Checks } from '../checks.ts';
import { FollowedStream } from '../followed-stream.ts';

const NOTHING = Object.freeze({ createRequest: null, cancelRequest: null, progressRequest: null });
const SECOND = 1_000_000;

type Stream = ClientStream<
  typeof WatchService.Watch.request extends { encode(message: infer M): unknown } ? M : never,
  WatchResponse
>;

/** One stream after the other with a few watches each, as the server sees them: nothing of the client library. */
export class WatchTraffic {
  readonly #channel: RpcChannel;
  readonly #checks: Checks;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #name: string;
  #stream: Stream | undefined;
  #followed: FollowedStream;
  /** Where a watch of the stream before stopped: the next one goes on there. */
  #resume: WatchCreateRequest[] = [];
  #streams = 0;
  /** Reads slowly, so that the server's queue fills. */
  #slow = false;
  events = 0;

  constructor(channel: RpcChannel, checks: Checks, clock: Clock, random: Random, name: string) {
    this.#channel = channel;
    this.#checks = checks;
    this.#clock = clock;
    this.#random = random;
    this.#name = name;
    this.#followed = this.#follow();
  }

  /** Opens a stream, follows it until it breaks or was long enough; for ever when `last`. */
  *step(last: boolean): Task<void> {
    const stream: Stream = this.#channel.stream(WatchService.Watch, { waitForReady: true });
    this.#stream = stream;
    this.#followed = this.#follow();
    this.#slow = !last && this.#random.chance(150_000);
    const over = (): void => {
      this.#slow = false;
      stream.cancel();
    };
    const end = last ? undefined : this.#clock.after(this.#random.int(300_000, 4 * SECOND), over);
    try {
      this.#create(last);
      yield* this.#receive(stream);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    } finally {
      end?.cancel();
      this.#stream = undefined;
      this.#resume = this.#followed.resumed();
      this.events += this.#followed.events;
      stream.cancel();
    }
    yield* this.#clock.sleep(50_000);
  }

  askProgress(): void {
    this.#stream?.send({ ...NOTHING, progressRequest: {} });
  }

  /** Nothing more will come: what is still open must have been told everything. */
  finish(): void {
    this.#followed.finish();
  }

  #create(everything: boolean): void {
    const resume = this.#resume.splice(0);
    const fresh = Array.from({ length: this.#random.int(1, 3) }, () => this.#draw());
    if (everything) fresh.push(this.#fromTheStart());
    for (const request of [...resume.slice(0, 3), ...fresh]) {
      this.#followed.asked(request);
      this.#stream!.send({ ...NOTHING, createRequest: request });
    }
  }

  #fromTheStart(): WatchCreateRequest {
    const startRevision = Math.max(1, this.#checks.order.model.compacted);
    return WatchCreateRequest.of({ key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0), startRevision, prevKv: true });
  }

  #draw(): WatchCreateRequest {
    const random = this.#random;
    const { revision } = this.#checks.order;
    const from = random.int(0, 9);
    const startRevision = random.chance(400_000) ? 0 : Math.max(1, revision + random.int(-60, 15));
    return WatchCreateRequest.of({
      key: utf8Encode(from < 5 ? 'k' : `k${from}`),
      rangeEnd: from < 5 ? utf8Encode('l') : from < 7 ? utf8Encode(`k${from + 2}`) : new Uint8Array(0),
      startRevision,
      prevKv: random.chance(600_000),
      progressNotify: random.chance(500_000),
      fragment: random.chance(300_000),
      filters: random.chance(150_000) ? [random.chance(500_000) ? WatchFilter.NoPut : WatchFilter.NoDelete] : [],
    });
  }

  *#receive(stream: Stream): Task<void> {
    for (;;) {
      const response = yield* stream.receive();
      if (response === undefined) return;
      this.#followed.take(response);
      if (this.#slow) yield* this.#clock.sleep(this.#random.int(0, 300_000));
    }
  }

  #follow(): FollowedStream {
    const truth = () => this.#checks.order.model;
    const blame = (guarantee: string, detail: string): void => this.#checks.blame(guarantee, detail);
    return new FollowedStream(`${this.#name}.${++this.#streams}`, truth, blame);
  }
}
