import { NO_LEASE, PutRequest, RangeRequest } from '../src/api/etcd/kv.ts';
import { KvService } from '../src/api/etcd/services.ts';
import type { CheckerSet } from '../src/lab/checkers/all.ts';
import { utf8Encode } from '../src/platform/bytes.ts';
import type { RpcChannel } from '../src/platform/rpc.ts';
import type { Task } from '../src/platform/task.ts';
import { SimCluster } from '../test/etcd/sim-cluster.ts';
import { processorMs } from './processor-time.ts';

const SECOND = 1_000_000;
const CLIENTS = 400;
const CONNECTIONS = 9;
const KEYS = Object.freeze(Array.from({ length: 20_000 }, (_, i) => utf8Encode(`key-${i}`)));
const VALUE = new Uint8Array(64).fill(120);

/** A request of one of the clients, the `i`th of all. */
export type LoadCall = (channel: RpcChannel, i: number) => Task<unknown>;

export const put: LoadCall = (channel, i) =>
  channel.unary(KvService.Put, PutRequest.of({ key: keyOf(i), value: VALUE, lease: NO_LEASE }));

/** Linearizable. */
export const get: LoadCall = (channel, i) => channel.unary(KvService.Range, RangeRequest.of({ key: keyOf(i) }));

export const putOrGet: LoadCall = (channel, i) => (i % 2 === 0 ? put(channel, i) : get(channel, i));

function keyOf(i: number): Uint8Array {
  return KEYS[i % KEYS.length]!;
}

/**
 * Three members and 400 clients that each wait for their answer, on nine connections, three to a member, as etcd's own
 * `benchmark` does it: its clients share connections and write keys made beforehand.
 */
export class EtcdLoad {
  readonly #cluster: SimCluster;
  readonly #channels: readonly RpcChannel[];

  /** With `checkers` attached as a session attaches them, if any. */
  constructor(checkers?: CheckerSet) {
    const flags = ['--snapshot-count=100000'];
    this.#cluster = new SimCluster({ flags, digest: 'fast', ...(checkers && { observer: checkers.etcd }) });
    const { sim, nodes } = this.#cluster;
    if (checkers !== undefined) sim.on(undefined, (event) => checkers.take(event));
    sim.runFor(2 * SECOND);
    this.#channels = Array.from({ length: CONNECTIONS }, (_, i) => this.#cluster.channel(nodes[i % 3]!));
  }

  /** Processor time that `count` requests take, in milliseconds. */
  drive(count: number, call: LoadCall): number {
    const { sim } = this.#cluster;
    let done = 0;
    let next = 0;
    for (let client = 0; client < CLIENTS; client++) {
      const channel = this.#channels[client % CONNECTIONS]!;
      this.#cluster.spawn(`client-${client}`, function* (): Task<void> {
        while (next < count) {
          yield* call(channel, next++);
          done++;
        }
      });
    }
    return processorMs(() => sim.runUntil(() => done >= count, { untilUs: sim.nowUs + 3600 * SECOND }));
  }

  close(): void {
    this.#cluster.close();
  }
}
