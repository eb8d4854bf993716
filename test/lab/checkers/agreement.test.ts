import { describe, expect, it } from 'vitest';
import {
  Compare,
  CompareResult,
  CompareTarget,
  DeleteRangeRequest,
  PutRequest,
  RangeRequest,
  type RangeResponse,
  RequestOp,
  type ResponseHeader,
  TxnRequest,
} from '../../../src/api/etcd/kv.ts';
import { executeRange } from '../../../src/etcd/server/apply/range.ts';
import { type Begun, ClientOperations, type ClientRequest } from '../../../src/lab/checkers/etcd/client-operations.ts';
import { CommitOrder } from '../../../src/lab/checkers/etcd/commit-order.ts';
import { searchLinearization } from '../../../src/lab/checkers/linearizable/search.ts';
import { utf8Decode, utf8Encode } from '../../../src/platform/bytes.ts';
import type { Random } from '../../../src/platform/random.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';
import {
  REGISTER,
  type RegisterInput,
  type RegisterOperation,
  type RegisterOutput,
} from '../../etcd/fire/short-histories.ts';
import { Replica, requestOf } from '../../etcd/storm/replica.ts';
import { byTier } from '../../support/tier.ts';

type Response = { readonly header: ResponseHeader | null };
type Corruption = 'none' | 'stale read' | 'unwritten value' | 'lost write' | 'wrong outcome';

interface Planned {
  readonly input: RegisterInput;
  readonly invokedAt: number;
  readonly effectAt: number;
  readonly returnedAt: number;
  readonly answered: boolean;
}

const KEY = utf8Encode('x');

/** What both checkers say of one history of one key; `corruption` falsifies one answer of it. */
function judge(seed: number, corruption: Corruption): { online: boolean; search: string; corrupted: boolean } {
  const random = new KeyedRandom(String(seed + 1), 'agreement');
  const problems: string[] = [];
  const blame = (guarantee: string, detail: string): number => problems.push(`${guarantee}: ${detail}`);
  const order = new CommitOrder(blame, () => 0);
  const run = new Run(plan(random), order, new ClientOperations(order, blame), corruption, random);
  const history = run.history();
  const verdict = searchLinearization(REGISTER, history);
  return { online: problems.length === 0, search: verdict.kind, corrupted: run.corrupted };
}

function plan(random: Random): Planned[] {
  let at = 0;
  return Array.from({ length: random.int(4, 12) }, (_, i): Planned => {
    at += random.int(0, 40);
    const effectAt = at + random.int(1, 30);
    const kind = random.int(0, 9);
    const value = `v${i}`;
    const input: RegisterInput =
      kind < 4
        ? { kind: 'get' }
        : kind < 7
          ? { kind: 'put', value }
          : kind < 8
            ? { kind: 'delete' }
            : { kind: 'swap', from: i === 0 ? '' : `v${random.int(0, i - 1)}`, to: value };
    return {
      input,
      invokedAt: at,
      effectAt,
      returnedAt: effectAt + random.int(1, 30),
      answered: random.chance(850_000),
    };
  });
}

/** Lets a real store answer the planned operations in the order of their effects. */
class Run {
  readonly #planned: readonly Planned[];
  readonly #order: CommitOrder;
  readonly #operations: ClientOperations;
  readonly #replica = new Replica('000000000000000a', () => {});
  readonly #corruption: Corruption;
  readonly #random: Random;
  readonly #begun: Begun[] = [];
  readonly #responses: Response[] = [];
  readonly #requests: ClientRequest[];
  /** Answers to the read of the key after each effect so far. */
  readonly #states: RangeResponse[] = [];
  #index = 0;
  corrupted = false;

  constructor(
    planned: readonly Planned[],
    order: CommitOrder,
    operations: ClientOperations,
    corruption: Corruption,
    random: Random,
  ) {
    this.#planned = planned;
    this.#order = order;
    this.#operations = operations;
    this.#corruption = corruption;
    this.#random = random;
    this.#requests = planned.map(({ input }) => requestFor(input));
  }

  history(): RegisterOperation[] {
    const marks = this.#planned.flatMap((one, i) => [
      { at: one.invokedAt, rank: 0, run: () => this.#begin(i) },
      { at: one.effectAt, rank: 1, run: () => this.#effect(i) },
      ...(one.answered ? [{ at: one.returnedAt, rank: 2, run: () => this.#return(i) }] : []),
    ]);
    marks.sort((a, b) => a.at - b.at || a.rank - b.rank);
    for (const mark of marks) mark.run();
    return this.#planned.map(({ input, invokedAt, returnedAt, answered }, i) => ({
      client: `c${i}`,
      input,
      output: answered ? outputOf(input, this.#responses[i]!) : undefined,
      invokedAt,
      returnedAt,
    }));
  }

  #begin(i: number): void {
    this.#begun[i] = this.#operations.begin();
  }

  #effect(i: number): void {
    const request = this.#requests[i]!;
    if (request.range) this.#responses[i] = executeRange(this.#replica.state.store, request.range) as Response;
    else if (this.#loses(i))
      this.#responses[i] = { ...this.#states.at(-1)!, prevKv: this.#states.at(-1)!.kvs[0] ?? null } as Response;
    else {
      const entry = requestOf(++this.#index, request);
      const result = this.#replica.apply(this.#index, entry);
      this.#order.applied('a', this.#index, 1, entry, result);
      this.#responses[i] = result as Response;
    }
    this.#states.push(executeRange(this.#replica.state.store, RangeRequest.of({ key: KEY })) as RangeResponse);
  }

  #return(i: number): void {
    this.#responses[i] = this.#falsified(i);
    this.#operations.returned(this.#begun[i]!, this.#requests[i]!, this.#responses[i]!);
  }

  #loses(i: number): boolean {
    const { input, answered } = this.#planned[i]!;
    if (this.corrupted || this.#corruption !== 'lost write' || input.kind !== 'put' || !answered) return false;
    this.corrupted = this.#states.length > 0 && this.#random.chance(500_000);
    return this.corrupted;
  }

  #falsified(i: number): Response {
    const { input, invokedAt } = this.#planned[i]!;
    const response = this.#responses[i]!;
    if (this.corrupted) return response;
    if (this.#corruption === 'wrong outcome' && input.kind === 'swap') {
      this.corrupted = true;
      return { ...response, succeeded: !(response as { succeeded?: boolean }).succeeded } as Response;
    }
    if (input.kind !== 'get') return response;
    if (this.#corruption === 'unwritten value') {
      this.corrupted = true;
      const [kv] = (response as RangeResponse).kvs;
      const other = { ...(kv ?? { key: KEY, createRevision: 2, modRevision: 2, version: 1, lease: '0'.repeat(16) }) };
      return { ...response, count: 1, kvs: [{ ...other, value: utf8Encode('nobody wrote this') }] } as Response;
    }
    if (this.#corruption !== 'stale read') return response;
    // Something that was overwritten, for certain, before this read began.
    const before = this.#planned.filter(
      (one) => one.answered && one.input.kind === 'put' && one.returnedAt < invokedAt,
    );
    const old = this.#states.find(
      ({ kvs }) => kvs[0] !== undefined && before.some((one) => isAfter(one, kvs[0]!.value, this.#planned)),
    );
    if (old === undefined) return response;
    this.corrupted = true;
    return old;
  }
}

/** Whether a put began after the one that wrote `value` had returned. */
function isAfter(later: Planned, value: Uint8Array, all: readonly Planned[]): boolean {
  const text = utf8Decode(value);
  const writer = all.find(({ input }) => input.kind === 'put' && input.value === text);
  return writer?.answered === true && later.invokedAt > writer.returnedAt;
}

function requestFor(input: RegisterInput): ClientRequest {
  if (input.kind === 'get') return { range: RangeRequest.of({ key: KEY }) };
  if (input.kind === 'put') return { put: PutRequest.of({ key: KEY, value: utf8Encode(input.value), prevKv: true }) };
  if (input.kind === 'delete') return { deleteRange: DeleteRangeRequest.of({ key: KEY, prevKv: true }) };
  const compare =
    input.from === ''
      ? Compare.of({ key: KEY, target: CompareTarget.Create, result: CompareResult.Equal })
      : Compare.of({
          key: KEY,
          target: CompareTarget.Value,
          result: CompareResult.Equal,
          value: utf8Encode(input.from),
        });
  const put = PutRequest.of({ key: KEY, value: utf8Encode(input.to) });
  return { txn: TxnRequest.of({ compare: [compare], success: [RequestOp.of({ requestPut: put })] }) };
}

function outputOf(input: RegisterInput, response: Response): RegisterOutput {
  const { kvs, prevKv, prevKvs, succeeded } = response as {
    kvs?: RangeResponse['kvs'];
    prevKv?: RangeResponse['kvs'][number] | null;
    prevKvs?: RangeResponse['kvs'];
    succeeded?: boolean;
  };
  if (input.kind === 'swap') return succeeded === true;
  const kv = input.kind === 'put' ? prevKv : (kvs ?? prevKvs)?.[0];
  return kv === undefined || kv === null ? '' : utf8Decode(kv.value);
}

const RUNS = byTier(400, 20_000, 50_000);

describe('the order of writes and the search for an order', () => {
  it('both accept what a real store did', () => {
    for (let seed = 0; seed < RUNS; seed++) {
      expect({ seed, ...judge(seed, 'none') }).toEqual({
        seed,
        online: true,
        search: 'linearizable',
        corrupted: false,
      });
    }
  });

  it.each<[Corruption, boolean]>([
    ['stale read', true],
    ['unwritten value', true],
    ['lost write', false],
    ['wrong outcome', false],
  ])('%s: the order of writes refuses it, and whatever the search refuses', (corruption, searchSees) => {
    let corrupted = 0;
    let found = 0;
    for (let seed = 0; seed < RUNS; seed++) {
      const verdict = judge(seed, corruption);
      if (!verdict.corrupted) continue;
      corrupted++;
      if (verdict.search === 'violation') found++;
      expect({ seed, online: verdict.online }).toEqual({ seed, online: false });
      if (searchSees) expect({ seed, search: verdict.search }).toEqual({ seed, search: 'violation' });
    }
    expect(corrupted).toBeGreaterThan(RUNS / 50);
    expect(found).toBeGreaterThan(corrupted / 5);
  });
});
