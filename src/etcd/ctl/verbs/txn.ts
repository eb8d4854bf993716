import { Compare, CompareResult, CompareTarget, RequestOp, type TxnResponse } from '../../../api/etcd/kv.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { type FlagSpecs, parseWords } from '../flags.ts';
import { headerFields } from '../print/fields.ts';
import { txnJson } from '../print/messages.ts';
import { notAsTable } from './arguments.ts';
import {
  DEL_FLAGS,
  deleteRequest,
  GET_FLAGS,
  PUT_FLAGS,
  printDelete,
  printPut,
  printRange,
  putRequest,
  rangeRequest,
} from './kv.ts';

export const TXN_FLAGS: FlagSpecs = Object.freeze({ interactive: { kind: 'bool', initial: 'false', short: 'i' } });

const TARGETS: Readonly<Record<string, number>> = Object.freeze({
  ver: CompareTarget.Version,
  version: CompareTarget.Version,
  c: CompareTarget.Create,
  create: CompareTarget.Create,
  m: CompareTarget.Mod,
  mod: CompareTarget.Mod,
  val: CompareTarget.Value,
  value: CompareTarget.Value,
  lease: CompareTarget.Lease,
});
const RESULTS: Readonly<Record<string, number>> = Object.freeze({
  '=': CompareResult.Equal,
  '!=': CompareResult.NotEqual,
  '>': CompareResult.Greater,
  '<': CompareResult.Less,
});

/** Reads conditions and both branches from standard input, each list ended by an empty line. */
export function* txnVerb(run: Run): Task<void> {
  if (run.args.length !== 0) throw new CtlExit(ExitCode.BadArgs, 'txn command does not accept argument');
  const prompt = (text: string): void => {
    if (run.flags.bool('interactive')) run.line(text);
  };
  const lines = run.context.stdin.split('\n');
  const nextList = (): string[] => {
    const list: string[] = [];
    for (let line = lines.shift(); line !== undefined && line.trim() !== ''; line = lines.shift()) list.push(line);
    return list;
  };
  prompt('compares:');
  const compare = nextList().map(parseCompare);
  prompt('success requests (get, put, del):');
  const success = nextList().map(parseOperation);
  prompt('failure requests (get, put, del):');
  const failure = nextList().map(parseOperation);
  printTxn(run, yield* run.client().txn({ compare, success, failure }));
}

/** A condition such as `mod("k") > "0"`. */
export function parseCompare(line: string): Compare {
  const match = /^\s*([a-z]+)\((?:"((?:[^"\\]|\\.)*)"|([^)]*))\)\s*(=|!=|<|>)\s*"((?:[^"\\]|\\.)*)"\s*$/.exec(line);
  const target = match === null ? undefined : TARGETS[match[1]!];
  if (match === null || target === undefined) {
    throw new CtlExit(ExitCode.InvalidInput, `malformed comparison: ${line}`);
  }
  const value = unquoted(match[5]!);
  const number = (): number => {
    if (!/^-?\d+$/.test(value)) throw new CtlExit(ExitCode.InvalidInput, `invalid txn compare request: ${line}`);
    return Number.parseInt(value, 10);
  };
  const base = { key: utf8Encode(unquoted(match[2] ?? match[3]!)), target, result: RESULTS[match[4]!]! };
  if (target === CompareTarget.Value) return Compare.of({ ...base, value: utf8Encode(value) });
  if (target === CompareTarget.Version) return Compare.of({ ...base, version: number() });
  if (target === CompareTarget.Create) return Compare.of({ ...base, createRevision: number() });
  if (target === CompareTarget.Mod) return Compare.of({ ...base, modRevision: number() });
  return Compare.of({ ...base, lease: value.toLowerCase().padStart(16, '0') });
}

function unquoted(text: string): string {
  return text.replace(/\\(.)/g, (_all, c: string) => (c === 'n' ? '\n' : c === 't' ? '\t' : c));
}

/** One operation of a branch: `get k`, `put k v`, `del k`. */
export function parseOperation(line: string): RequestOp {
  const [verb, ...words] = splitWords(line);
  if (verb === 'put') {
    const { args, flags } = parseWords(words, PUT_FLAGS, {});
    return RequestOp.of({ requestPut: putRequest(args, flags, '') });
  }
  if (verb === 'get') {
    const { args, flags } = parseWords(words, GET_FLAGS, {});
    return RequestOp.of({ requestRange: rangeRequest(args, flags) });
  }
  if (verb === 'del') {
    const { args, flags } = parseWords(words, DEL_FLAGS, {});
    return RequestOp.of({ requestDeleteRange: deleteRequest(args, flags) });
  }
  throw new CtlExit(ExitCode.InvalidInput, `invalid txn request: ${line}`);
}

/** Words as a shell splits them, with quotes. */
function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const match of line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)) {
    words.push(match[1] !== undefined ? unquoted(match[1]) : (match[2] ?? match[3]!));
  }
  return words;
}

function printTxn(run: Run, response: TxnResponse): void {
  if (run.format === 'table') notAsTable();
  if (run.format === 'json') {
    run.line(txnJson(response));
    return;
  }
  if (run.format === 'fields') {
    run.context.out(headerFields(response.header));
    run.line(`"Succeeded" : ${response.succeeded}`);
  } else run.line(response.succeeded ? 'SUCCESS' : 'FAILURE');
  for (const op of response.responses) {
    if (run.format === 'simple') run.line('');
    if (op.responseDeleteRange !== null) printDelete(run, op.responseDeleteRange);
    else if (op.responsePut !== null) printPut(run, op.responsePut);
    else if (op.responseRange !== null) printRange(run, op.responseRange);
  }
}
