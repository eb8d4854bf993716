import { parseId } from '../../../api/etcd/ids.ts';
import {
  CompactionRequest,
  DeleteRangeRequest,
  type DeleteRangeResponse,
  NO_BYTES,
  PutRequest,
  type PutResponse,
  RangeRequest,
  type RangeResponse,
  SortOrder,
  SortTarget,
} from '../../../api/etcd/kv.ts';
import { FIRST_KEY, prefixEnd } from '../../../api/etcd/ranges.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpec, type FlagSpecs, type Flags, intFlag, textFlag } from '../flags.ts';
import { deleteFields, putFields, rangeFields } from '../print/fields.ts';
import { deleteJson, putJson, rangeJson } from '../print/messages.ts';
import { lines, show } from '../print/show.ts';
import { kvLines } from '../print/words.ts';
import { badArgs } from './arguments.ts';

const ORDERS: Readonly<Record<string, number>> = Object.freeze({
  '': SortOrder.None,
  ASCEND: SortOrder.Ascend,
  DESCEND: SortOrder.Descend,
});
const TARGETS: Readonly<Record<string, number>> = Object.freeze({
  '': SortTarget.Key,
  KEY: SortTarget.Key,
  VERSION: SortTarget.Version,
  CREATE: SortTarget.Create,
  MODIFY: SortTarget.Mod,
  VALUE: SortTarget.Value,
});

export const PUT_FLAGS: FlagSpecs = Object.freeze({
  lease: textFlag('lease ID (in hexadecimal) to attach to the key', '0'),
  'prev-kv': boolFlag('return the previous key-value pair before modification'),
  'ignore-value': boolFlag('updates the key using its current value'),
  'ignore-lease': boolFlag('updates the key using its current lease'),
});

/** `--consistency`, of reads and of lists of members. */
export const CONSISTENCY_FLAG: FlagSpec = Object.freeze(textFlag('Linearizable(l) or Serializable(s)', 'l'));

export const GET_FLAGS: FlagSpecs = Object.freeze({
  consistency: CONSISTENCY_FLAG,
  order: textFlag('Order of results; ASCEND or DESCEND (ASCEND by default)'),
  'sort-by': textFlag('Sort target; CREATE, KEY, MODIFY, VALUE, or VERSION'),
  limit: intFlag('Maximum number of results'),
  prefix: boolFlag('Get keys with matching prefix'),
  'from-key': boolFlag('Get keys that are greater than or equal to the given key using byte compare'),
  rev: intFlag('Specify the kv revision'),
  'keys-only': boolFlag('Get only the keys'),
  'count-only': boolFlag('Get only the count'),
  'print-value-only': boolFlag('Only write values when using the "simple" output format'),
  'min-create-rev': intFlag('Minimum create revision'),
  'max-create-rev': intFlag('Maximum create revision'),
  'min-mod-rev': intFlag('Minimum modification revision'),
  'max-mod-rev': intFlag('Maximum modification revision'),
});

export const DEL_FLAGS: FlagSpecs = Object.freeze({
  prefix: boolFlag('delete keys with matching prefix'),
  'prev-kv': boolFlag('return deleted key-value pairs'),
  'from-key': boolFlag('delete keys that are greater than or equal to the given key using byte compare'),
  range: boolFlag('delete range of keys'),
});

export const COMPACTION_FLAGS: FlagSpecs = Object.freeze({
  physical: boolFlag("'true' to wait for compaction to physically remove all old revisions"),
});

const PUT_USAGE = 'put command needs 1 argument and input from stdin or 2 arguments';

/** The request of `put` words; `stdin` gives the value when only the key is there. */
export function putRequest(args: readonly string[], flags: Flags, stdin: string): PutRequest {
  const [key] = args;
  if (key === undefined) return badArgs(PUT_USAGE);
  const ignoreValue = flags.bool('ignore-value');
  if (ignoreValue && args.length > 1) return badArgs("put command needs only 1 argument when 'ignore-value' is set");
  if (!ignoreValue && args.length < 2 && stdin === '') return badArgs(PUT_USAGE);
  const lease = parseId(flags.text('lease'));
  if (lease === null) {
    const why = `strconv.ParseInt: parsing ${goQuote(flags.text('lease'))}: invalid syntax`;
    return badArgs(`bad lease ID (${why}), expecting ID in Hex`);
  }
  return PutRequest.of({
    key: utf8Encode(key),
    value: ignoreValue ? NO_BYTES : utf8Encode(args[1] ?? stdin),
    lease,
    prevKv: flags.bool('prev-kv'),
    ignoreValue,
    ignoreLease: flags.bool('ignore-lease'),
  });
}

export function* putVerb(run: Run): Task<void> {
  const request = putRequest(run.args, run.flags, run.context.stdin);
  printPut(run, yield* run.client().put(request, run.limits));
}

export function printPut(run: Run, response: PutResponse): void {
  show(run, {
    simple: () => putLines(response, run.hex),
    json: () => lines([putJson(response)]),
    fields: () => putFields(response),
  });
}

export function putLines({ prevKv }: PutResponse, hex: boolean): string {
  return `OK\n${prevKv === null ? '' : kvLines(prevKv, hex, false)}`;
}

/** Key and end of `get`, `del` and `watch` words with `--prefix` and `--from-key`. */
export function rangeOf(
  verb: string,
  args: readonly string[],
  flags: Flags,
): { readonly key: Uint8Array; readonly rangeEnd: Uint8Array } {
  const [key, end] = args;
  if (key === undefined)
    return badArgs(`${verb} command needs one argument as key and an optional argument as range_end`);
  const prefix = flags.bool('prefix');
  const fromKey = flags.bool('from-key');
  if (prefix && fromKey) badArgs('`--prefix` and `--from-key` cannot be set at the same time, choose one');
  if (end !== undefined && (prefix || fromKey)) {
    badArgs('too many arguments, only accept one argument when `--prefix` or `--from-key` is set');
  }
  const bytes = utf8Encode(key);
  if (prefix) return key === '' ? { key: FIRST_KEY, rangeEnd: FIRST_KEY } : { key: bytes, rangeEnd: prefixEnd(bytes) };
  if (fromKey) return { key: key === '' ? FIRST_KEY : bytes, rangeEnd: FIRST_KEY };
  return { key: bytes, rangeEnd: end === undefined ? NO_BYTES : utf8Encode(end) };
}

export function rangeRequest(args: readonly string[], flags: Flags): RangeRequest {
  if (flags.bool('keys-only') && flags.bool('count-only')) {
    badArgs('`--keys-only` and `--count-only` cannot be set at the same time, choose one');
  }
  const consistency = flags.text('consistency');
  if (consistency !== 'l' && consistency !== 's') {
    throw new CtlExit(ExitCode.BadFeature, `unknown consistency flag ${JSON.stringify(consistency)}`);
  }
  const order = flags.text('order').toUpperCase();
  const target = flags.text('sort-by').toUpperCase();
  if (ORDERS[order] === undefined) throw new CtlExit(ExitCode.BadFeature, `bad sort order ${flags.text('order')}`);
  if (TARGETS[target] === undefined) throw new CtlExit(ExitCode.BadFeature, `bad sort target ${flags.text('sort-by')}`);
  const byKey = TARGETS[target] === SortTarget.Key;
  return RangeRequest.of({
    ...rangeOf('get', args, flags),
    limit: flags.int('limit'),
    revision: flags.int('rev'),
    // Ascending by key is how the server answers anyway, and costs nothing if it is not asked for.
    sortOrder: ORDERS[order] === SortOrder.Ascend && byKey ? SortOrder.None : ORDERS[order]!,
    sortTarget: TARGETS[target]!,
    serializable: consistency === 's',
    keysOnly: flags.bool('keys-only'),
    countOnly: flags.bool('count-only'),
    minCreateRevision: flags.int('min-create-rev'),
    maxCreateRevision: flags.int('max-create-rev'),
    minModRevision: flags.int('min-mod-rev'),
    maxModRevision: flags.int('max-mod-rev'),
  });
}

export function* getVerb(run: Run): Task<void> {
  const request = rangeRequest(run.args, run.flags);
  if (request.countOnly && run.format === 'simple') badArgs('--count-only is only for `--write-out=fields`');
  const response = yield* run.client().range(request, run.limits);
  const valueOnly = run.flags.bool('print-value-only');
  if (valueOnly && run.format !== 'simple') badArgs('print-value-only is only for `--write-out=simple`');
  printRange(run, response, valueOnly);
}

export function printRange(run: Run, response: RangeResponse, valueOnly = false): void {
  show(run, {
    simple: () => rangeLines(response, run.hex, valueOnly),
    json: () => lines([rangeJson(response)]),
    fields: () => rangeFields(response),
  });
}

export function rangeLines({ kvs }: RangeResponse, hex: boolean, valueOnly = false): string {
  return kvs.map((kv) => kvLines(kv, hex, valueOnly)).join('');
}

export function deleteRequest(args: readonly string[], flags: Flags): DeleteRangeRequest {
  if (args.length > 2) badArgs('del command needs one argument as key and an optional argument as range_end');
  return DeleteRangeRequest.of({ ...rangeOf('del', args, flags), prevKv: flags.bool('prev-kv') });
}

export function* delVerb(run: Run): Task<void> {
  const request = deleteRequest(run.args, run.flags);
  if (run.args.length > 1 && !run.flags.bool('range')) {
    run.errorLine(
      'Warning: Keys between the range will be deleted. Use --range=true to suppress this warning. Deleting in 2 seconds...',
    );
    yield* run.context.ports.clock.sleep(2_000_000);
  }
  printDelete(run, yield* run.client().deleteRange(request, run.limits));
}

function printDelete(run: Run, response: DeleteRangeResponse): void {
  show(run, {
    simple: () => deleteLines(response, run.hex),
    json: () => lines([deleteJson(response)]),
    fields: () => deleteFields(response),
  });
}

export function deleteLines({ deleted, prevKvs }: DeleteRangeResponse, hex: boolean): string {
  return `${deleted}\n${prevKvs.map((kv) => kvLines(kv, hex, false)).join('')}`;
}

export function* compactionVerb(run: Run): Task<void> {
  if (run.args.length !== 1) badArgs('compaction command needs 1 argument');
  const [text] = run.args;
  if (!/^-?\d+$/.test(text!)) throw new CtlExit(ExitCode.Error, `strconv.ParseInt: parsing "${text}": invalid syntax`);
  const revision = Number.parseInt(text!, 10);
  const request = CompactionRequest.of({ revision, physical: run.flags.bool('physical') });
  yield* run.client().compact(request, run.limits);
  run.line(`compacted revision ${revision}`);
}
