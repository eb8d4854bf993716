import {
  Compare,
  CompareResult,
  CompareTarget,
  DeleteRangeRequest,
  type KeyValue,
  PutRequest,
  RangeRequest,
  RequestOp,
  SortOrder,
  SortTarget,
  TxnRequest,
} from '../../../../src/api/etcd/kv.ts';
import { utf8Decode, utf8Encode } from '../../../../src/platform/bytes.ts';
import type { Random } from '../../../../src/platform/random.ts';
import type { Task } from '../../../../src/platform/task.ts';
import type { RecordedClient } from '../recorded-client.ts';

/** Keys that everybody works on: few, so that they collide. */
const KEYS = 10;
/** All of them. */
export const ALL_KEYS = Object.freeze({ key: utf8Encode('k'), rangeEnd: utf8Encode('l') });

type Step = (self: KeyTraffic) => Task<unknown>;

/** What is done how often (reference/etcd.md F5, and more of what is rare there). */
const STEPS: readonly (readonly [number, Step])[] = Object.freeze([
  [20, (self: KeyTraffic) => self.put()],
  [10, (self: KeyTraffic) => self.client.range({ key: self.key() })],
  [8, (self: KeyTraffic) => self.client.range({ key: self.key(), serializable: true })],
  [6, (self: KeyTraffic) => self.client.range(ALL_KEYS)],
  [4, (self: KeyTraffic) => self.client.range({ ...ALL_KEYS, serializable: true })],
  [5, (self: KeyTraffic) => self.oddRange()],
  [6, (self: KeyTraffic) => self.client.range({ key: self.key(), revision: self.client.revision })],
  [5, (self: KeyTraffic) => self.client.range({ ...ALL_KEYS, revision: self.pastRevision() })],
  [6, (self: KeyTraffic) => self.client.deleteRange({ key: self.key(), prevKv: self.random.chance(500_000) })],
  [2, (self: KeyTraffic) => self.deletePart()],
  [8, (self: KeyTraffic) => self.compareAndSet()],
  [8, (self: KeyTraffic) => self.manyAtOnce()],
  [3, (self: KeyTraffic) => self.readAndWrite()],
  [3, (self: KeyTraffic) => self.nested()],
  [4, (self: KeyTraffic) => self.readTogether()],
  [2, (self: KeyTraffic) => self.onlyCompare()],
] as const);
const TOTAL = STEPS.reduce((sum, [weight]) => sum + weight, 0);

/** Random requests of one client about a few keys; every value is written once only. */
export class KeyTraffic {
  readonly client: RecordedClient;
  readonly random: Random;
  readonly #name: string;
  #count = 0;

  constructor(client: RecordedClient, random: Random, name: string) {
    this.client = client;
    this.random = random;
    this.#name = name;
  }

  step(): Task<unknown> {
    let at = this.random.int(1, TOTAL);
    for (const [weight, run] of STEPS) {
      at -= weight;
      if (at <= 0) return run(this);
    }
    return this.put();
  }

  key(): Uint8Array {
    return utf8Encode(`k${this.random.int(0, KEYS - 1)}`);
  }

  #value(): Uint8Array {
    const text = `${this.#name}-${++this.#count}`;
    // One that fills several sectors can be torn.
    return utf8Encode(this.random.chance(100_000) ? text.padEnd(this.random.int(600, 3000), '.') : text);
  }

  pastRevision(): number {
    return Math.max(1, this.client.revision - this.random.int(0, 40) + (this.random.chance(100_000) ? 45 : 0));
  }

  put(): Task<unknown> {
    const kind = this.random.int(0, 19);
    const key = this.key();
    const prevKv = this.random.chance(300_000);
    if (kind === 0) return this.client.put({ key, ignoreValue: true, prevKv });
    if (kind === 1) return this.client.put({ key, value: this.#value(), ignoreLease: true, prevKv });
    return this.client.put({ key, value: this.#value(), prevKv });
  }

  deletePart(): Task<unknown> {
    const from = this.random.int(0, KEYS - 1);
    const request = { key: utf8Encode(`k${from}`), rangeEnd: utf8Encode(`k${from + this.random.int(1, 3)}`) };
    return this.client.deleteRange({ ...request, prevKv: this.random.chance(500_000) });
  }

  /** Limits, orders, filters. */
  oddRange(): Task<unknown> {
    const { random } = this;
    const revision = this.pastRevision();
    return this.client.range({
      ...ALL_KEYS,
      limit: random.int(0, 4),
      sortOrder: [SortOrder.None, SortOrder.Ascend, SortOrder.Descend][random.int(0, 2)]!,
      // Of equal values, versions and so on the order is open.
      sortTarget: [SortTarget.Key, SortTarget.Value][random.int(0, 1)]!,
      keysOnly: random.chance(200_000),
      countOnly: random.chance(200_000),
      ...(random.chance(300_000) ? { minModRevision: revision } : {}),
      ...(random.chance(200_000) ? { maxCreateRevision: revision } : {}),
    });
  }

  /** Reads a key, then writes it if nobody else did. */
  *compareAndSet(): Task<unknown> {
    const key = this.key();
    const before = (yield* this.client.range({ key, serializable: this.random.chance(300_000) }))?.kvs[0];
    const request = TxnRequest.of({
      compare: [before === undefined ? absent(key) : unchanged(before)],
      success: [put({ key, value: this.#value() })],
      failure: [RequestOp.of({ requestRange: RangeRequest.of({ key }) })],
    });
    return yield* this.client.txn(request);
  }

  /** Several keys in one transaction. */
  manyAtOnce(): Task<unknown> {
    const first = this.random.int(0, KEYS - 1);
    const ops = Array.from({ length: 4 }, (_, i): RequestOp => {
      const key = utf8Encode(`k${(first + i * 3) % KEYS}`);
      const kind = this.random.int(0, 9);
      if (i === 0 || kind < 5) return put({ key, value: this.#value(), prevKv: kind < 2 });
      if (kind < 9) return RequestOp.of({ requestRange: RangeRequest.of({ key }) });
      return RequestOp.of({ requestDeleteRange: DeleteRangeRequest.of({ key, prevKv: true }) });
    });
    return this.client.txn({ success: ops });
  }

  /** A put beside a read at a revision that may be gone on some members (reference/etcd.md G1 #18667). */
  readAndWrite(): Task<unknown> {
    const read = RangeRequest.of({ key: this.key(), revision: this.pastRevision() });
    const ops = [put({ key: this.key(), value: this.#value() }), RequestOp.of({ requestRange: read })];
    return this.client.txn({ success: ops });
  }

  /** The inner condition is about a key that the outer transaction writes: it has to see what was before. */
  nested(): Task<unknown> {
    const { random } = this;
    const at = random.int(0, KEYS - 1);
    const [outer, key] = [utf8Encode(`k${at}`), utf8Encode(`k${(at + 1) % KEYS}`)];
    const value = this.#value();
    const inner = TxnRequest.of({
      compare: [
        random.chance(500_000)
          ? Compare.of({ key: outer, target: CompareTarget.Value, result: CompareResult.Equal, value })
          : Compare.of({ key, target: CompareTarget.Version, result: CompareResult.Greater, version: 2 }),
      ],
      success: [RequestOp.of({ requestDeleteRange: DeleteRangeRequest.of({ key, prevKv: true }) })],
      failure: [put({ key, value: this.#value() })],
    });
    const all = RequestOp.of({ requestRange: RangeRequest.of(ALL_KEYS) });
    return this.client.txn({ success: [put({ key: outer, value }), RequestOp.of({ requestTxn: inner }), all] });
  }

  readTogether(): Task<unknown> {
    const read = (): RequestOp => {
      const serializable = this.random.chance(600_000);
      const where = this.random.chance(500_000) ? ALL_KEYS : { key: this.key() };
      return RequestOp.of({ requestRange: RangeRequest.of({ ...where, serializable }) });
    };
    const compare = [absent(this.key())];
    return this.client.txn({ compare, success: [read()], failure: [read(), read()] });
  }

  /** Of one key, there or not, or of all together. */
  onlyCompare(): Task<unknown> {
    const { random } = this;
    const result = random.int(0, 3);
    const value = Compare.of({ key: this.key(), target: CompareTarget.Value, result, value: utf8Encode('w') });
    const modified = { target: CompareTarget.Mod, modRevision: this.pastRevision() };
    const compare = random.chance(500_000) ? value : Compare.of({ ...ALL_KEYS, ...modified, result });
    return this.client.txn({ compare: [compare] });
  }
}

export function put(request: Partial<PutRequest>): RequestOp {
  return RequestOp.of({ requestPut: PutRequest.of(request) });
}

function absent(key: Uint8Array): Compare {
  return Compare.of({ key, target: CompareTarget.Create, result: CompareResult.Equal });
}

function unchanged({ key, modRevision }: KeyValue): Compare {
  return Compare.of({ key, target: CompareTarget.Mod, result: CompareResult.Equal, modRevision });
}

/** What a key holds, or nothing. */
export function textOfFirst(kvs: readonly KeyValue[]): string {
  return kvs[0] === undefined ? '' : utf8Decode(kvs[0].value);
}
