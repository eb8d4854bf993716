import { parseId } from '../../../api/etcd/ids.ts';
import { Compare, CompareResult, CompareTarget, RequestOp, type TxnResponse } from '../../../api/etcd/kv.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpecs, parseWords } from '../flags.ts';
import { txnFields } from '../print/fields.ts';
import { txnJson } from '../print/messages.ts';
import { lines, show } from '../print/show.ts';
import {
  DEL_FLAGS,
  deleteLines,
  deleteRequest,
  GET_FLAGS,
  PUT_FLAGS,
  putLines,
  putRequest,
  rangeLines,
  rangeRequest,
} from './kv.ts';

export const TXN_FLAGS: FlagSpecs = Object.freeze({
  interactive: boolFlag('Input transaction in interactive mode', false, 'i'),
});

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

/** Reads conditions and both branches from standard input, each list ended by an empty line; an end before that is an error. */
export function* txnVerb(run: Run): Task<void> {
  if (run.args.length !== 0) throw new CtlExit(ExitCode.BadArgs, 'txn command does not accept argument');
  const prompt = (text: string): void => {
    if (run.flags.bool('interactive')) run.line(text);
  };
  // What stands behind the last newline is no line: the real tool reads on, and finds the end.
  const input = run.context.stdin.split('\n').slice(0, -1);
  const nextList = <T>(parse: (line: string) => T): T[] => {
    const list: T[] = [];
    for (;;) {
      const line = input.shift();
      if (line === undefined) throw new CtlExit(ExitCode.InvalidInput, 'EOF');
      if (line.trim() === '') return list;
      list.push(parse(line));
    }
  };
  prompt('compares:');
  const compare = nextList(parseCompare);
  prompt('success requests (get, put, del):');
  const success = nextList(parseOperation);
  prompt('failure requests (get, put, del):');
  const failure = nextList(parseOperation);
  printTxn(run, yield* run.client().txn({ compare, success, failure }));
}

/** A condition such as `mod("k") > "0"`. */
export function parseCompare(line: string): Compare {
  const malformed = (why: string): never => {
    throw new CtlExit(ExitCode.InvalidInput, `malformed comparison: ${line}${why}`);
  };
  const match = /^\s*([^\s(]+)\("((?:[^"\\]|\\.)*)"\)\s*(\S+?)\s*"((?:[^"\\]|\\.)*)"\s*$/.exec(line);
  if (match === null) return malformed(line.includes('(') ? `; got ${line.split('(', 1)[0]}("")  ""` : '');
  const [, name, quotedKey, operator, quotedValue] = match as unknown as readonly string[];
  const target = TARGETS[name!] ?? malformed(` (unknown target ${name})`);
  const result = RESULTS[operator!] ?? malformed(`; got ${name}("${quotedKey}") ${operator} "${quotedValue}"`);
  const value = unquoted(quotedValue!);
  const number = (): number => {
    if (!/^[+-]?\d+$/.test(value)) throw new CtlExit(ExitCode.InvalidInput, `invalid txn compare request: ${line}`);
    return Number.parseInt(value, 10);
  };
  const base = { key: utf8Encode(unquoted(quotedKey!)), target, result };
  if (target === CompareTarget.Value) return Compare.of({ ...base, value: utf8Encode(value) });
  if (target === CompareTarget.Version) return Compare.of({ ...base, version: number() });
  if (target === CompareTarget.Create) return Compare.of({ ...base, createRevision: number() });
  if (target === CompareTarget.Mod) return Compare.of({ ...base, modRevision: number() });
  const lease = parseId(value);
  if (lease === null) throw new CtlExit(ExitCode.InvalidInput, `invalid txn compare request: ${line}`);
  return Compare.of({ ...base, lease });
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
  show(run, {
    simple: () => txnLines(response, run.hex),
    json: () => lines([txnJson(response)]),
    fields: () => txnFields(response),
  });
}

/** An empty line before each answer. */
function txnLines({ succeeded, responses }: TxnResponse, hex: boolean): string {
  const answers = responses.map((op) => {
    if (op.responseDeleteRange !== null) return deleteLines(op.responseDeleteRange, hex);
    if (op.responsePut !== null) return putLines(op.responsePut, hex);
    return op.responseRange === null ? '' : rangeLines(op.responseRange, hex);
  });
  return `${succeeded ? 'SUCCESS' : 'FAILURE'}\n${answers.map((text) => `\n${text}`).join('')}`;
}
