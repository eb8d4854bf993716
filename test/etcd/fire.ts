import type { InternalRaftRequest } from '../../src/api/etcd/internal.ts';
import { InternalRaftRequest as RequestCodec } from '../../src/api/etcd/internal.ts';
import { MaintenanceService } from '../../src/api/etcd/services.ts';
import { EtcdClient } from '../../src/etcd/client/client.ts';
import { createdAt, putOp, rangeOp } from '../../src/etcd/client/concurrency.ts';
import type { ApplyResult } from '../../src/etcd/server/apply/applier.ts';
import type { ServerObserver } from '../../src/etcd/server/observer.ts';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import { crc32c } from '../../src/platform/crc32c.ts';
import { type Random, shuffled } from '../../src/platform/random.ts';
import { RpcError } from '../../src/platform/rpc.ts';
import type { Task } from '../../src/platform/task.ts';
import { READY, untilOk } from './helpers.ts';
import { type Node, SimCluster } from './sim-cluster.ts';

const SECOND = 1_000_000;

/** What went wrong, or was seen, in one run under faults. */
export interface FireReport {
  readonly problems: readonly string[];
  readonly acknowledged: number;
  readonly applied: number;
  readonly digest: string;
  readonly faults: readonly string[];
}

/** Follows every member's log: at one index all apply the same request with the same result. */
class Agreement implements ServerObserver {
  readonly problems: string[] = [];
  readonly #seen = new Map<number, { readonly request: number; readonly result: string }>();
  highest = 0;

  applied(memberId: string, index: number, _term: number, request: InternalRaftRequest, result: ApplyResult): void {
    this.highest = Math.max(this.highest, index);
    const sum = crc32c(RequestCodec.encode(request));
    const text = 'status' in result ? result.message : `revision ${result.header?.revision}`;
    const known = this.#seen.get(index);
    if (known === undefined) this.#seen.set(index, { request: sum, result: text });
    else if (known.request !== sum || known.result !== text) {
      this.problems.push(`${memberId} applied another request at ${index}: ${text}, not ${known.result}`);
    }
  }

  read(): void {}

  snapshot(): void {}
}

export interface FireOptions {
  readonly seed: number;
  readonly rounds?: number;
  readonly strictWire?: boolean;
  readonly flags?: readonly string[];
  /** Called before the final checks; for looking at a seed. */
  readonly atEnd?: (cluster: SimCluster) => void;
}

/** Traffic from several clients while members lose power, are killed, stopped and cut off; then everything heals. */
export function underFire(options: FireOptions): FireReport {
  const agreement = new Agreement();
  const cluster = new SimCluster({
    seed: options.seed,
    observer: agreement,
    strictWire: options.strictWire ?? false,
    flags: options.flags ?? ['--snapshot-count=30', '--snapshot-catchup-entries=10'],
  });
  try {
    return new Fire(cluster, agreement, options).run();
  } finally {
    cluster.close();
  }
}

class Fire {
  readonly #cluster: SimCluster;
  readonly #agreement: Agreement;
  readonly #options: FireOptions;
  readonly #random: Random;
  readonly #acknowledged = new Map<string, number>();
  readonly #faults: string[] = [];
  #stop = false;

  constructor(cluster: SimCluster, agreement: Agreement, options: FireOptions) {
    this.#cluster = cluster;
    this.#agreement = agreement;
    this.#options = options;
    this.#random = cluster.ops.random.stream('fire');
  }

  run(): FireReport {
    const { sim, nodes } = this.#cluster;
    for (const node of nodes) node.station.disk.faults.crashMode = this.#random.chance(500_000) ? 'torn' : 'drop';
    sim.runFor(2 * SECOND);
    for (let i = 0; i < 4; i++) this.#traffic(i);
    for (let round = 0; round < (this.#options.rounds ?? 8); round++) {
      sim.runFor(this.#random.int(100_000, 2 * SECOND));
      this.#strike();
    }
    this.#heal();
    this.#stop = true;
    sim.runFor(15 * SECOND);
    return this.#check();
  }

  /** One client: writes keys of its own, each with a value never used before. */
  #traffic(number: number): void {
    const { ops, nodes } = this.#cluster;
    const endpoints = shuffled(this.#random, nodes).map(({ address }) => `http://${address}:2379`);
    const client = new EtcdClient(ops, { endpoints });
    const random = this.#random.stream(`client-${number}`);
    const self = this;
    this.#cluster.spawn(`client-${number}`, function* (): Task<void> {
      for (let i = 0; !self.#stop; i++) {
        const key = `c${number}-${i}`;
        try {
          const revision = yield* self.#operation(client, random, key);
          if (revision !== null) self.#acknowledged.set(key, revision);
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
        }
        yield* ops.clock.sleep(random.int(0, 40_000));
      }
      client.close();
    });
  }

  *#operation(client: EtcdClient, random: Random, key: string): Task<number | null> {
    const limits = { timeoutUs: SECOND };
    const bytes = utf8Encode(key);
    const kind = random.int(0, 9);
    if (kind < 6) return (yield* client.put({ key: bytes, value: bytes }, limits)).header!.revision;
    if (kind < 8) {
      const request = {
        compare: [createdAt(key, 0)],
        success: [putOp({ key: bytes, value: bytes })],
        failure: [rangeOp({ key: bytes })],
      };
      return (yield* client.txn(request, limits)).header!.revision;
    }
    if (kind === 8) {
      const { header } = yield* client.range({ key: bytes }, limits);
      if (random.chance(100_000)) yield* client.compact({ revision: Math.max(1, header!.revision - 20) }, limits);
      return null;
    }
    const { id } = yield* client.leases.grant(3, undefined, limits);
    yield* client.put({ key: utf8Encode(`leased-${key}`), lease: id }, limits);
    return null;
  }

  #strike(): void {
    const { sim, nodes } = this.#cluster;
    const node = nodes[this.#random.int(0, nodes.length - 1)]!;
    const kinds = ['power', 'kill', 'stop', 'partition', 'one-way', 'freeze', 'all'] as const;
    const kind = kinds[this.#random.int(0, kinds.length - 1)]!;
    const forUs = this.#random.int(200_000, 4 * SECOND);
    this.#faults.push(`${sim.nowUs} ${kind} ${node.name} ${forUs}`);
    if (kind === 'power') this.#cluster.powerCycle(node, forUs);
    else if (kind === 'kill') {
      this.#cluster.kill(node);
      sim.runFor(forUs);
      this.#cluster.start(node);
    } else if (kind === 'stop') {
      node.process?.signal('SIGSTOP');
      sim.runFor(forUs);
      node.process?.signal('SIGCONT');
    } else if (kind === 'freeze') {
      node.station.freeze();
      sim.runFor(forUs);
      node.station.thaw();
    } else if (kind === 'all') this.#blackout(forUs);
    else this.#cutOff(node, kind === 'one-way', forUs);
  }

  #blackout(forUs: number): void {
    const { sim, nodes } = this.#cluster;
    for (const node of nodes) node.station.powerOff();
    sim.runFor(forUs);
    for (const node of nodes) {
      node.station.powerOn();
      this.#cluster.start(node);
    }
  }

  #cutOff(node: Node, oneWay: boolean, forUs: number): void {
    const { sim, nodes } = this.#cluster;
    const rest = nodes.filter((other) => other !== node).map((other) => other.name);
    const { faults } = sim.network;
    const fault = oneWay ? faults.partitionOneWay([node.name], rest) : faults.partition([node.name], rest);
    sim.runFor(forUs);
    fault.heal();
  }

  #heal(): void {
    const { sim, nodes } = this.#cluster;
    sim.network.faults.healAll();
    for (const node of nodes) if (node.process?.exit.isSet === true) this.#cluster.start(node);
  }

  #check(): FireReport {
    const problems = [...this.#agreement.problems];
    this.#options.atEnd?.(this.#cluster);
    const { nodes } = this.#cluster;
    for (const node of nodes) {
      const exit = node.process?.exit.peek();
      if (exit !== undefined)
        problems.push(`${node.name} ended with ${exit.code}: ${this.#cluster.lines(node).at(-1)}`);
    }
    const channel = this.#cluster.channel(...nodes);
    const client = new EtcdClient(this.#cluster.ops, { endpoints: nodes.map(({ address }) => `${address}:2379`) });
    const all = this.#cluster.run(() =>
      untilOk(() => client.range({ key: utf8Encode('c'), rangeEnd: utf8Encode('d') }, { timeoutUs: 2 * SECOND })),
    );
    const found = new Map(all.kvs.map((kv) => [utf8Decode(kv.key), kv.modRevision]));
    for (const [key, revision] of this.#acknowledged) {
      if (found.get(key) !== revision) problems.push(`${key} was acknowledged at ${revision}, is at ${found.get(key)}`);
    }
    const hashes = nodes.map((node) => {
      const own = this.#cluster.channel(node);
      return this.#cluster.run(() => own.unary(MaintenanceService.HashKV, { revision: all.header!.revision }, READY));
    });
    if (new Set(hashes.map(({ hash }) => hash)).size !== 1) {
      problems.push(
        `members differ: ${hashes.map(({ hash, compactRevision }) => `${hash}@${compactRevision}`).join(' ')}`,
      );
    }
    channel.close();
    return {
      problems,
      acknowledged: this.#acknowledged.size,
      applied: this.#agreement.highest,
      digest: this.#cluster.sim.digest(),
      faults: this.#faults,
    };
  }
}
