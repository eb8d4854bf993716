import seedrandom from 'seedrandom';
import {
  Compare,
  DeleteRangeRequest,
  NO_BYTES,
  NO_LEASE,
  PutRequest,
  RangeRequest,
  RequestOp,
  TxnRequest,
} from '../../../src/api/etcd/kv.ts';
import { AlarmType } from '../../../src/api/etcd/maintenance.ts';
import { utf8Decode, utf8Encode } from '../../../src/platform/bytes.ts';

/** One request of a random sequence. */
export type Operation =
  | { readonly kind: 'put'; readonly request: PutRequest }
  | { readonly kind: 'range'; readonly request: RangeRequest }
  | { readonly kind: 'delete'; readonly request: DeleteRangeRequest }
  | { readonly kind: 'txn'; readonly request: TxnRequest }
  | { readonly kind: 'compact'; readonly back: number; readonly physical: boolean }
  | { readonly kind: 'grant'; readonly id: string; readonly ttl: number }
  | { readonly kind: 'revoke'; readonly id: string }
  | { readonly kind: 'ttl'; readonly id: string }
  | { readonly kind: 'leases' }
  | { readonly kind: 'hash'; readonly back: number }
  | { readonly kind: 'watch'; readonly request: WatchedRange; readonly back: number }
  | { readonly kind: 'alarm'; readonly alarm: AlarmType; readonly active: boolean };

/** What a watch is asked for. The first key of its range is changed at the end, so that the watch has something to end by. */
export interface WatchedRange {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly prevKv: boolean;
  readonly fragment: boolean;
  readonly filters: readonly number[];
}

const KEYS = ['a', 'aa', 'ab', 'b', 'ba', 'c', 'k\u00ff', ''];
const LEASES = ['0000000000000001', '0000000000000002', '00000000000000ff', 'fffffffffffffff0', '7fffffffffffffff'];

/** Draws requests with every option, valid and not. The same seed draws the same sequence. */
export class OperationSource {
  readonly #random: () => number;
  /** Alarms are taken back soon, and never two at once: 3.4 forgets the second one with the first. */
  #alarm: AlarmType = AlarmType.None;

  constructor(seed: string) {
    this.#random = seedrandom.alea(seed);
  }

  next(revision: number): Operation {
    if (this.#alarm !== AlarmType.None ? this.#chance(12) : this.#chance(1)) return this.#switchAlarm();
    if (this.#chance(2)) return this.watch();
    const draw = this.#int(0, 99);
    if (draw < 34) return { kind: 'put', request: this.put(false) };
    if (draw < 56) return { kind: 'range', request: this.range(revision) };
    if (draw < 64) return { kind: 'delete', request: this.remove() };
    if (draw < 84) return { kind: 'txn', request: this.txn(revision, 2) };
    if (draw < 87) return { kind: 'compact', back: this.#int(-2, 12), physical: this.#chance(30) };
    if (draw < 91)
      return { kind: 'grant', id: this.#pick(LEASES), ttl: this.#pick([3000, 100_000, 9_000_000_000, 9_000_000_001]) };
    if (draw < 93) return { kind: 'revoke', id: this.#pick([...LEASES, NO_LEASE]) };
    if (draw < 96) return { kind: 'ttl', id: this.#pick(LEASES) };
    return draw < 97 ? { kind: 'leases' } : { kind: 'hash', back: this.#int(-1, 6) };
  }

  /** A look at what happened so far: from a revision that may have been compacted, or none. */
  watch(): Operation {
    const request = {
      key: utf8Encode(this.#pick(['a', 'aa', 'b', 'c'])),
      rangeEnd: this.#end(),
      prevKv: this.#chance(60),
      fragment: this.#chance(30),
      filters: this.#chance(40) ? [this.#int(0, 1)] : [],
    };
    return { kind: 'watch', request, back: this.#int(0, 40) };
  }

  /** Ends a sequence: no alarm is left behind, and all that happened is looked at once more. */
  end(): Operation {
    return this.#alarm === AlarmType.None ? this.watch() : this.#switchAlarm();
  }

  #switchAlarm(): Operation {
    const active = this.#alarm === AlarmType.None;
    const alarm = active ? this.#pick([AlarmType.NoSpace, AlarmType.Corrupt]) : this.#alarm;
    this.#alarm = active ? alarm : AlarmType.None;
    return { kind: 'alarm', alarm, active };
  }

  put(isInner: boolean): PutRequest {
    // Not in a transaction: one that deletes the key before makes etcd panic, and its log with it useless.
    const ignoreValue = !isInner && this.#chance(10);
    const ignoreLease = !isInner && this.#chance(10);
    return PutRequest.of({
      key: this.#key(isInner),
      value: ignoreValue && this.#chance(80) ? NO_BYTES : utf8Encode(`v${this.#int(0, 9999)}`),
      lease: ignoreLease && this.#chance(80) ? NO_LEASE : this.#chance(25) ? this.#pick(LEASES) : NO_LEASE,
      prevKv: this.#chance(40),
      ignoreValue,
      ignoreLease,
    });
  }

  range(revision: number): RangeRequest {
    const filter = (): number => (this.#chance(8) ? this.#int(1, revision) : 0);
    return RangeRequest.of({
      key: this.#key(false),
      rangeEnd: this.#end(),
      limit: this.#chance(30) ? this.#int(0, 4) : 0,
      revision: this.#chance(30) ? this.#int(Math.max(-1, revision - 15), revision + 1) : 0,
      // Equal values come in no stated order, but Go sorts as few as these keys by insertion, which keeps theirs.
      sortOrder: this.#chance(30) ? this.#int(0, 2) : 0,
      sortTarget: this.#chance(30) ? this.#int(0, 4) : 0,
      serializable: this.#chance(30),
      keysOnly: this.#chance(10),
      countOnly: this.#chance(10),
      minModRevision: filter(),
      maxModRevision: filter(),
      minCreateRevision: filter(),
      maxCreateRevision: filter(),
    });
  }

  remove(): DeleteRangeRequest {
    return DeleteRangeRequest.of({ key: this.#key(false), rangeEnd: this.#end(), prevKv: this.#chance(50) });
  }

  txn(revision: number, depth: number): TxnRequest {
    const list = <T>(most: number, make: () => T): T[] => Array.from({ length: this.#int(0, most) }, make);
    return TxnRequest.of({
      compare: list(2, () => this.#compare(revision)),
      success: list(3, () => this.#op(revision, depth)),
      failure: list(2, () => this.#op(revision, depth)),
    });
  }

  #op(revision: number, depth: number): RequestOp {
    const draw = this.#int(0, 99);
    if (draw < 45) return RequestOp.of({ requestPut: this.put(true) });
    if (draw < 70) return RequestOp.of({ requestRange: this.range(revision) });
    if (draw < 85 || depth === 0) return RequestOp.of({ requestDeleteRange: this.remove() });
    return RequestOp.of({ requestTxn: this.txn(revision, depth - 1) });
  }

  #compare(revision: number): Compare {
    const target = this.#int(0, 4);
    return Compare.of({
      result: this.#int(0, 3),
      target,
      key: this.#key(true),
      rangeEnd: this.#chance(15) ? this.#end() : NO_BYTES,
      ...(target === 0 ? { version: this.#int(0, 3) } : {}),
      ...(target === 1 ? { createRevision: this.#chance(50) ? 0 : this.#int(0, revision) } : {}),
      ...(target === 2 ? { modRevision: this.#int(Math.max(0, revision - 10), revision) } : {}),
      ...(target === 3 ? { value: utf8Encode(`v${this.#int(0, 9999)}`) } : {}),
      ...(target === 4 ? { lease: this.#chance(50) ? NO_LEASE : this.#pick(LEASES) } : {}),
    });
  }

  #key(isNonEmpty: boolean): Uint8Array {
    const key = this.#pick(KEYS);
    return utf8Encode(key === '' && (isNonEmpty || this.#chance(70)) ? 'z' : key);
  }

  #end(): Uint8Array {
    if (this.#chance(40)) return NO_BYTES;
    return this.#chance(20) ? Uint8Array.of(0) : utf8Encode(this.#pick(['aa', 'b', 'c', 'd', 'zz']));
  }

  #int(min: number, max: number): number {
    return min + Math.floor(this.#random() * (max - min + 1));
  }

  #chance(percent: number): boolean {
    return this.#random() * 100 < percent;
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#int(0, items.length - 1)]!;
  }
}

/** An operation as one line: bytes as text, what is not set left out. */
export function describeOperation(operation: Operation): string {
  return JSON.stringify(operation, (_name, value: unknown) => {
    if (value instanceof Uint8Array) return utf8Decode(value);
    const isUnset = value === null || value === false || value === 0 || value === '' || value === NO_LEASE;
    return isUnset || (Array.isArray(value) && value.length === 0) ? undefined : value;
  });
}
