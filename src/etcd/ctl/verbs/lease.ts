import { leaseNumber } from '../../../api/etcd/ids.ts';
import { encodeBase64 } from '../../../platform/base64.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import { END } from '../../../platform/channel.ts';
import type { Task } from '../../../platform/task.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpecs } from '../flags.ts';
import { embeddedHeader, headerOnlyJson } from '../print/messages.ts';
import { badArgs, notAsTable, parseHexId } from './arguments.ts';

export const TIME_TO_LIVE_FLAGS: FlagSpecs = Object.freeze({ keys: boolFlag() });
export const KEEP_ALIVE_FLAGS: FlagSpecs = Object.freeze({ once: boolFlag() });

function leaseId(run: Run, verb: string): string {
  if (run.args.length !== 1) badArgs(`lease ${verb} command needs lease ID as argument`);
  return parseHexId(run.args[0]!, 'lease ID arg');
}

/** Prints an answer whose JSON embeds the header. */
function print(
  run: Run,
  simple: string,
  header: Parameters<typeof embeddedHeader>[0],
  fields: readonly string[],
): void {
  if (run.format === 'table') notAsTable();
  if (run.format === 'json') run.line(`{${[...embeddedHeader(header), ...fields].join(',')}}`);
  else run.line(simple);
}

export function* grantVerb(run: Run): Task<void> {
  if (run.args.length !== 1) badArgs('lease grant command needs TTL argument');
  if (!/^-?\d+$/.test(run.args[0]!)) {
    badArgs(`bad TTL (strconv.ParseInt: parsing "${run.args[0]}": invalid syntax)`);
  }
  const answer = yield* run.client().leases.grant(Number.parseInt(run.args[0]!, 10), undefined, run.limits);
  const fields = [`"ID":${leaseNumber(answer.id)}`, `"TTL":${answer.ttl}`, `"Error":""`];
  print(run, `lease ${answer.id} granted with TTL(${answer.ttl}s)`, answer.header, fields);
}

export function* revokeVerb(run: Run): Task<void> {
  const id = leaseId(run, 'revoke');
  const answer = yield* run.client().leases.revoke(id, run.limits);
  if (run.format === 'table') notAsTable();
  run.line(run.format === 'json' ? headerOnlyJson(answer) : `lease ${id} revoked`);
}

export function* timeToLiveVerb(run: Run): Task<void> {
  const id = leaseId(run, 'timetolive');
  const withKeys = run.flags.bool('keys');
  const answer = yield* run.client().leases.timeToLive(id, withKeys);
  const keys = answer.keys.length === 0 ? 'null' : `[${answer.keys.map((key) => `"${encodeBase64(key)}"`).join(',')}]`;
  const fields = [
    `"id":${leaseNumber(id)}`,
    `"ttl":${answer.ttl}`,
    `"granted-ttl":${answer.grantedTtl}`,
    `"keys":${keys}`,
  ];
  const attached = withKeys ? `, attached keys([${answer.keys.map((key) => utf8Decode(key)).join(' ')}])` : '';
  const alive = `lease ${id} granted with TTL(${answer.grantedTtl}s), remaining(${answer.ttl}s)${attached}`;
  const expired = answer.grantedTtl === 0 && answer.ttl === -1;
  print(run, expired ? `lease ${id} already expired` : alive, answer.header, fields);
}

export function* listVerb(run: Run): Task<void> {
  const answer = yield* run.client().leases.leases();
  const lines = [`found ${answer.leases.length} leases`, ...answer.leases.map(({ id }) => id)];
  const leases = `[${answer.leases.map(({ id }) => `{"id":${leaseNumber(id)}}`).join(',')}]`;
  print(run, lines.join('\n'), answer.header, [`"leases":${leases}`]);
}

export function* keepAliveVerb(run: Run): Task<void> {
  const id = leaseId(run, 'keep-alive');
  const { leases } = run.client();
  if (run.flags.bool('once')) {
    run.line(`lease ${id} keepalived with TTL(${yield* leases.keepAliveOnce(id)})`);
    return;
  }
  const answers = leases.keepAlive(id);
  for (;;) {
    const answer = yield* answers.receive();
    if (answer === END) break;
    run.line(`lease ${id} keepalived with TTL(${answer.ttl})`);
  }
  if (run.format === 'simple') run.line(`lease ${id} expired or revoked.`);
  else throw new CtlExit(ExitCode.Error, `lease ${id} expired or revoked.`);
}
