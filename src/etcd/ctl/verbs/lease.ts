import { leaseNumber } from '../../../api/etcd/ids.ts';
import type { LeaseId, ResponseHeader } from '../../../api/etcd/kv.ts';
import { encodeBase64 } from '../../../platform/base64.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import { END } from '../../../platform/channel.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpecs } from '../flags.ts';
import { errorText } from '../print/errors.ts';
import { fieldLines, headerFields } from '../print/fields.ts';
import { embeddedHeader, headerOnlyJson } from '../print/messages.ts';
import { lines, show } from '../print/show.ts';
import { badArgs, parseHexId } from './arguments.ts';

export const TIME_TO_LIVE_FLAGS: FlagSpecs = Object.freeze({ keys: boolFlag('Get keys attached to this lease') });
export const KEEP_ALIVE_FLAGS: FlagSpecs = Object.freeze({
  once: boolFlag('Resets the keep-alive time to its original value and exits immediately'),
});

function leaseId(run: Run, usage: string): LeaseId {
  if (run.args.length !== 1) badArgs(usage);
  return parseHexId(run.args[0]!, 'lease ID arg', 'ParseInt');
}

/** An answer whose JSON embeds the header. */
interface Answer {
  readonly header: ResponseHeader | null;
  readonly simple: string;
  readonly json: readonly string[];
  readonly fields: Parameters<typeof fieldLines>[0];
}

function print(run: Run, answer: Answer): void {
  show(run, {
    simple: () => lines([answer.simple]),
    json: () => lines([`{${[...embeddedHeader(answer.header), ...answer.json].join(',')}}`]),
    fields: () => headerFields(answer.header) + fieldLines(answer.fields),
  });
}

/** Runs a call whose error ends the command in words, or with a code, of its own. */
function* explained<T>(task: Task<T>, code: number, explain: (text: string) => string): Task<T> {
  try {
    return yield* task;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new CtlExit(code, explain(errorText(error)));
  }
}

/** Commands about leases that are not changed count every failure as one of the connection. */
function asked<T>(task: Task<T>): Task<T> {
  return explained(task, ExitCode.BadConnection, (text) => text);
}

export function* grantVerb(run: Run): Task<void> {
  if (run.args.length !== 1) badArgs('lease grant command needs TTL argument');
  if (!/^[+-]?\d+$/.test(run.args[0]!)) {
    badArgs(`bad TTL (strconv.ParseInt: parsing ${goQuote(run.args[0]!)}: invalid syntax)`);
  }
  const { id, ttl, header } = yield* explained(
    run.client().leases.grant(Number.parseInt(run.args[0]!, 10), undefined, run.limits),
    ExitCode.Error,
    (text) => `failed to grant lease (${text})`,
  );
  print(run, {
    header,
    simple: `lease ${id} granted with TTL(${ttl}s)`,
    json: [`"ID":${leaseNumber(id)}`, `"TTL":${ttl}`, `"Error":""`],
    fields: [
      ['ID', leaseNumber(id)],
      ['TTL', ttl],
    ],
  });
}

export function* revokeVerb(run: Run): Task<void> {
  const id = leaseId(run, 'lease revoke command needs 1 argument');
  const answer = yield* explained(
    run.client().leases.revoke(id, run.limits),
    ExitCode.Error,
    (text) => `failed to revoke lease (${text})`,
  );
  show(run, {
    simple: () => lines([`lease ${id} revoked`]),
    json: () => lines([headerOnlyJson(answer)]),
    fields: () => headerFields(answer.header),
  });
}

export function* timeToLiveVerb(run: Run): Task<void> {
  const id = leaseId(run, 'lease timetolive command needs lease ID as argument');
  const withKeys = run.flags.bool('keys');
  const { ttl, grantedTtl, keys, header } = yield* asked(run.client().leases.timeToLive(id, withKeys));
  const attached = withKeys ? `, attached keys([${keys.map((key) => utf8Decode(key)).join(' ')}])` : '';
  const alive = `lease ${id} granted with TTL(${grantedTtl}s), remaining(${ttl}s)${attached}`;
  const keysJson = keys.length === 0 ? 'null' : `[${keys.map((key) => `"${encodeBase64(key)}"`).join(',')}]`;
  print(run, {
    header,
    simple: grantedTtl === 0 && ttl === -1 ? `lease ${id} already expired` : alive,
    json: [`"id":${leaseNumber(id)}`, `"ttl":${ttl}`, `"granted-ttl":${grantedTtl}`, `"keys":${keysJson}`],
    fields: [
      ['ID', leaseNumber(id)],
      ['TTL', ttl],
      ['GrantedTTL', grantedTtl],
      ...keys.map((key) => ['Key', goQuote(utf8Decode(key))] as const),
    ],
  });
}

export function* listVerb(run: Run): Task<void> {
  const { leases, header } = yield* asked(run.client().leases.leases());
  print(run, {
    header,
    simple: [`found ${leases.length} leases`, ...leases.map(({ id }) => id)].join('\n'),
    json: [`"leases":[${leases.map(({ id }) => `{"id":${leaseNumber(id)}}`).join(',')}]`],
    fields: leases.map(({ id }) => ['ID', leaseNumber(id)] as const),
  });
}

export function* keepAliveVerb(run: Run): Task<void> {
  const id = leaseId(run, 'lease keep-alive command needs lease ID as argument');
  const { leases } = run.client();
  const kept = (header: ResponseHeader | null, ttl: number): void =>
    print(run, {
      header,
      simple: `lease ${id} keepalived with TTL(${ttl})`,
      json: [`"ID":${leaseNumber(id)}`, `"TTL":${ttl}`],
      fields: [
        ['ID', leaseNumber(id)],
        ['TTL', ttl],
      ],
    });
  if (run.flags.bool('once')) {
    const { header, ttl } = yield* asked(leases.keepAliveOnce(id));
    kept(header, ttl);
    return;
  }
  const answers = leases.keepAlive(id);
  for (;;) {
    const answer = yield* answers.receive();
    if (answer === END) break;
    kept(answer.header, answer.ttl);
  }
  if (run.format === 'simple') run.line(`lease ${id} expired or revoked.`);
  else throw new CtlExit(ExitCode.Error, `lease ${id} expired or revoked.`);
}
