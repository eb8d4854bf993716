import type { Event } from '../../../src/api/etcd/kv.ts';
import { EventType, PutRequest, RequestOp, TxnRequest } from '../../../src/api/etcd/kv.ts';
import { type WatchRequest, WatchResponse } from '../../../src/api/etcd/watch.ts';
import { WatchClient } from '../../../src/etcd/client/watch.ts';
import { CommitOrder } from '../../../src/lab/checkers/etcd/commit-order.ts';
import { WatchFollower } from '../../../src/lab/checkers/etcd/watch/follower.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import { END } from '../../../src/platform/channel.ts';
import type { Random } from '../../../src/platform/random.ts';
import { type ClientStream, type RpcChannel, RpcError } from '../../../src/platform/rpc.ts';
import { type Task, wait } from '../../../src/platform/task.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';
import type { Problem } from '../fire/checks.ts';
import { HandClock } from './hand-clock.ts';
import { immediateScope } from './immediate-scope.ts';
import { Replica, requestOf } from './replica.ts';

const REVISIONS = 30;
const BREAKS = 12;
const HEADER = Object.freeze({ clusterId: '0000000000000001', memberId: '000000000000000a', raftTerm: 1 });

/** A watch of the client over streams that break anywhere, in the middle of fragmented answers too. */
export function streamStorm(seed: number): Problem | undefined {
  const random = new KeyedRandom(String(seed + 1), 'streams');
  const problems: Problem[] = [];
  const blame = (guarantee: string, detail: string): void => {
    problems.push({ guarantee, detail, atUs: 0 });
  };
  const order = history(random, blame);
  const clock = new HandClock();
  const scope = immediateScope();
  const server = new BreakingServer(order, random);
  const ports = { clock, scope, random, rpc: undefined as never };
  const watch = new WatchClient({ ports, channel: server.channel }).watch({
    key: utf8Encode('k'),
    rangeEnd: utf8Encode('l'),
    startRevision: random.int(1, 5),
    fragment: true,
  });
  const follower = new WatchFollower('watch', watch.createRequest(), () => order.model, blame);
  scope.spawn('reader', function* (): Task<void> {
    for (;;) {
      const update = yield* watch.receive();
      if (update === END) return;
      if (update.events.length > 0) follower.answer(update);
      else follower.progress(update.revision);
    }
  });
  for (let i = 0; i < BREAKS * 10; i++) clock.advance(100_000);
  follower.finish();
  return problems[0];
}

/** Some revisions of one to four keys each. */
function history(random: Random, blame: (guarantee: string, detail: string) => void): CommitOrder {
  const order = new CommitOrder(blame, () => 0);
  const replica = new Replica('000000000000000a', () => {});
  for (let index = 1; index <= REVISIONS; index++) {
    const success = Array.from({ length: random.int(1, 4) }, (_, i) =>
      RequestOp.of({ requestPut: PutRequest.of({ key: utf8Encode(`k${i}`), value: utf8Encode(`v${index}`) }) }),
    );
    const request = requestOf(index, { txn: TxnRequest.of({ success }) });
    order.applied('a', index, 1, request, replica.apply(index, request));
  }
  return order;
}

/** Answers watches rightly, until a stream breaks; the last stream lasts. */
class BreakingServer {
  readonly channel: RpcChannel;
  readonly #order: CommitOrder;
  readonly #random: Random;
  #breaks = BREAKS;

  constructor(order: CommitOrder, random: Random) {
    this.#order = order;
    this.#random = random;
    this.channel = { stream: () => this.#stream() } as unknown as RpcChannel;
  }

  #stream(): ClientStream<WatchRequest, WatchResponse> {
    let queue: WatchResponse[] = [];
    const breaks = this.#breaks-- > 0;
    return {
      send: ({ createRequest }: WatchRequest) => {
        if (createRequest === null) return true;
        const answers = this.#answers(createRequest.startRevision);
        queue = breaks ? answers.slice(0, this.#random.int(0, 4)) : answers;
        return true;
      },
      *receive(): Task<WatchResponse | undefined> {
        const next = queue.shift();
        if (next !== undefined) return next;
        if (breaks) throw new RpcError('Unavailable', 'connection reset by peer');
        return yield* wait<never>(() => () => {});
      },
      cancel: () => {},
    } as unknown as ClientStream<WatchRequest, WatchResponse>;
  }

  /** The created answer, then a few revisions at a time, each in pieces of a few events. */
  #answers(startRevision: number): WatchResponse[] {
    const header = { ...HEADER, revision: this.#order.revision };
    const answers = [WatchResponse.of({ header, watchId: 0, created: true })];
    for (let from = startRevision; from <= this.#order.revision; ) {
      const to = from + this.#random.int(0, 3);
      const events: Event[] = [];
      this.#order.model.keys.eachChange(from, to, (kv) => events.push({ type: EventType.Put, kv, prevKv: null }));
      while (events.length > 0) {
        const piece = events.splice(0, this.#random.int(1, 4));
        answers.push(WatchResponse.of({ header, watchId: 0, events: piece, fragment: events.length > 0 }));
      }
      from = to + 1;
    }
    return answers;
  }
}
