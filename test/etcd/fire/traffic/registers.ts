import { Compare, CompareResult, CompareTarget, TxnRequest } from '../../../../src/api/etcd/kv.ts';
import { utf8Decode, utf8Encode } from '../../../../src/platform/bytes.ts';
import type { Random } from '../../../../src/platform/random.ts';
import type { Task } from '../../../../src/platform/task.ts';
import type { Checks } from '../checks.ts';
import type { RecordedClient } from '../recorded-client.ts';
import { type RegisterInput, type RegisterOutput, SHORT } from '../short-histories.ts';
import { put, textOfFirst } from './keys.ts';

/** Which key the clients work on now, so that each has a short history. */
export class Registers {
  #used = 0;

  next(): string {
    return `s${Math.floor(this.#used++ / SHORT)}`;
  }
}

/** Requests about one key at a time, whose histories are searched for a linearization. */
export class RegisterTraffic {
  readonly client: RecordedClient;
  readonly #checks: Checks;
  readonly #random: Random;
  readonly #registers: Registers;
  readonly #name: string;
  #last = '';
  #count = 0;

  constructor(client: RecordedClient, checks: Checks, random: Random, registers: Registers, name: string) {
    this.client = client;
    this.#checks = checks;
    this.#random = random;
    this.#registers = registers;
    this.#name = name;
  }

  *step(): Task<void> {
    const key = this.#registers.next();
    const input = this.#choose();
    const invokedAt = this.#checks.nowUs;
    const output = yield* this.#run(utf8Encode(key), input);
    if (typeof output === 'string') this.#last = output;
    // A read without an answer says nothing.
    if (output === undefined && input.kind === 'get') return;
    this.#checks.histories.add(key, { client: this.#name, input, output, invokedAt, returnedAt: this.#checks.nowUs });
  }

  #choose(): RegisterInput {
    const kind = this.#random.int(0, 9);
    const value = `${this.#name}.${++this.#count}`;
    if (kind < 4) return { kind: 'get' };
    if (kind < 7) return { kind: 'put', value };
    return kind < 8 ? { kind: 'delete' } : { kind: 'swap', from: this.#last, to: value };
  }

  *#run(key: Uint8Array, input: RegisterInput): Task<RegisterOutput | undefined> {
    if (input.kind === 'get') {
      const answer = yield* this.client.range({ key });
      return answer === null ? undefined : textOfFirst(answer.kvs);
    }
    if (input.kind === 'put') {
      const answer = yield* this.client.put({ key, value: utf8Encode(input.value), prevKv: true });
      if (answer !== null) return answer.prevKv === null ? '' : utf8Decode(answer.prevKv.value);
      return undefined;
    }
    if (input.kind === 'delete') {
      const answer = yield* this.client.deleteRange({ key, prevKv: true });
      return answer === null ? undefined : textOfFirst(answer.prevKvs);
    }
    const answer = yield* this.client.txn(swap(key, input.from, input.to));
    return answer?.succeeded;
  }
}

function swap(key: Uint8Array, from: string, to: string): TxnRequest {
  const compare =
    from === ''
      ? Compare.of({ key, target: CompareTarget.Create, result: CompareResult.Equal })
      : Compare.of({ key, target: CompareTarget.Value, result: CompareResult.Equal, value: utf8Encode(from) });
  return TxnRequest.of({ compare: [compare], success: [put({ key, value: utf8Encode(to) })] });
}
