import { alarmName } from '../../../api/etcd/alarms.ts';
import { shortId } from '../../../api/etcd/ids.ts';
import type { HashKvResponse, StatusResponse } from '../../../api/etcd/maintenance.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import { all } from '../../../platform/combinators.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { formatDurationUs } from '../../../platform/text/duration.ts';
import { formatBytes } from '../../../platform/text/humanize.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpecs, intFlag } from '../flags.ts';
import { errorText } from '../print/errors.ts';
import { fieldLines, hashKvFields, statusFields } from '../print/fields.ts';
import { hashKvJson, statusJson } from '../print/messages.ts';
import { lines, show } from '../print/show.ts';
import { renderTable } from '../print/table.ts';

/** Of `endpoint` and of all below it; of `defrag` too. */
export const ENDPOINT_FLAGS: FlagSpecs = Object.freeze({
  cluster: boolFlag('use all endpoints from the cluster member list'),
});
export const HASH_KV_FLAGS: FlagSpecs = Object.freeze({
  rev: intFlag('maximum revision to hash (default: all revisions)'),
});

/** The endpoints a command is about: those given, or with `--cluster` every member's client URLs. */
function* targets(run: Run): Task<readonly string[]> {
  if (!run.flags.bool('cluster')) return run.endpoints;
  try {
    const { members } = yield* run.client().memberList(true, run.limits);
    return members.flatMap((member) => member.clientUrls);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new CtlExit(ExitCode.Error, `failed to fetch endpoints from etcd cluster member list: ${errorText(error)}`);
  }
}

interface Health {
  readonly endpoint: string;
  readonly tookUs: number;
  /** Empty when healthy. */
  readonly error: string;
}

/** A linearizable read of the key `health`, then a look at the alarms, on every endpoint at once. */
export function* healthVerb(run: Run): Task<void> {
  const endpoints = yield* targets(run);
  const results = yield* all(endpoints.map((endpoint) => examine(run, endpoint)));
  printHealth(run, results);
  if (results.some((result) => result.error !== '')) throw new CtlExit(ExitCode.Error, 'unhealthy cluster');
}

function* examine(run: Run, endpoint: string): Task<Health> {
  const { clock } = run.context.ports;
  const client = run.client([endpoint]);
  const startedUs = clock.monotonicUs();
  let error = '';
  try {
    yield* client.range({ key: utf8Encode('health') }, run.limits);
  } catch (failure) {
    if (!(failure instanceof RpcError)) throw failure;
    if (failure.status !== 'PermissionDenied') error = errorText(failure);
  }
  const tookUs = clock.monotonicUs() - startedUs;
  if (error !== '') return { endpoint, tookUs, error };
  try {
    const { alarms } = yield* client.maintenance.alarmList(run.limits);
    const names = alarms.map(({ alarm }) => alarmName(alarm));
    if (names.length > 0) error = `Active Alarm(s): ${names.map((name) => `${name} `).join('')}`;
  } catch (failure) {
    if (!(failure instanceof RpcError)) throw failure;
    error = 'Unable to fetch the alarm list';
  }
  return { endpoint, tookUs, error };
}

function printHealth(run: Run, results: readonly Health[]): void {
  const took = ({ tookUs }: Health): string => formatDurationUs(tookUs);
  const isHealthy = ({ error }: Health): boolean => error === '';
  if (run.format === 'simple') {
    for (const result of results) {
      const { endpoint, error } = result;
      if (isHealthy(result))
        run.line(`${endpoint} is healthy: successfully committed proposal: took = ${took(result)}`);
      else run.errorLine(`${endpoint} is unhealthy: failed to commit proposal: ${error}`);
    }
    return;
  }
  show(run, {
    json: () => lines([`[${results.map(healthJson).join(',')}]`]),
    table: () => {
      const rows = results.map((result) => [result.endpoint, `${isHealthy(result)}`, took(result), result.error]);
      return renderTable(['endpoint', 'health', 'took', 'error'], rows);
    },
    fields: () =>
      lines(
        results.map((result) =>
          fieldLines([
            ['Endpoint', goQuote(result.endpoint)],
            ['Health', isHealthy(result)],
            ['Took', took(result)],
            ['Error', result.error],
          ]),
        ),
      ),
  });
}

function healthJson({ endpoint, tookUs, error }: Health): string {
  const failed = error === '' ? '' : `,"error":${JSON.stringify(error)}`;
  return `{"endpoint":${JSON.stringify(endpoint)},"health":${error === ''},"took":"${formatDurationUs(tookUs)}"${failed}}`;
}

/** Columns of `endpoint status`. */
export const STATUS_HEADINGS = Object.freeze([
  'endpoint',
  'ID',
  'version',
  'storage version',
  'db size',
  'in use',
  'percentage not in use',
  'quota',
  'is leader',
  'is learner',
  'raft term',
  'raft index',
  'raft applied index',
  'errors',
  'downgrade target version',
  'downgrade enabled',
]);

function statusRow(endpoint: string, status: StatusResponse): readonly string[] {
  const unused = status.dbSize === 0 ? 0 : 100 - Math.floor((status.dbSizeInUse * 100) / status.dbSize);
  return [
    endpoint,
    shortId(status.header!.memberId),
    status.version,
    status.storageVersion,
    formatBytes(status.dbSize),
    formatBytes(status.dbSizeInUse),
    `${unused}%`,
    formatBytes(Math.max(0, status.dbSizeQuota)),
    String(status.leader === status.header!.memberId),
    String(status.isLearner),
    String(status.raftTerm),
    String(status.raftIndex),
    String(status.raftAppliedIndex),
    status.errors.join(', '),
    status.downgradeInfo?.targetVersion ?? '',
    String(status.downgradeInfo?.enabled ?? false),
  ];
}

export function* statusVerb(run: Run): Task<void> {
  const answers: { readonly endpoint: string; readonly status: StatusResponse }[] = [];
  const endpoints = yield* targets(run);
  let failed = false;
  for (const endpoint of endpoints) {
    try {
      answers.push({ endpoint, status: yield* run.client().maintenance.status(endpoint, run.limits) });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      failed = true;
      run.errorLine(`Failed to get the status of endpoint ${endpoint} (${errorText(error)})`);
    }
  }
  printStatus(run, answers);
  if (failed) throw new CtlExit(ExitCode.Error, '');
}

function printStatus(run: Run, answers: readonly { endpoint: string; status: StatusResponse }[]): void {
  const rows = answers.map(({ endpoint, status }) => statusRow(endpoint, status));
  show(run, {
    simple: () => lines(rows.map((row) => row.join(', '))),
    json: () => {
      const items = answers.map(
        ({ endpoint, status }) => `{"Endpoint":${JSON.stringify(endpoint)},"Status":${statusJson(status)}}`,
      );
      return lines([`[${items.join(',')}]`]);
    },
    table: () => renderTable(STATUS_HEADINGS, rows),
    fields: () => answers.map(({ endpoint, status }) => statusFields(endpoint, status)).join(''),
  });
}

export function* hashKvVerb(run: Run): Task<void> {
  const answers: { readonly endpoint: string; readonly hash: HashKvResponse }[] = [];
  const endpoints = yield* targets(run);
  let failure: RpcError | null = null;
  for (const endpoint of endpoints) {
    try {
      const hash = yield* run.client().maintenance.hashKv(endpoint, run.flags.int('rev'), run.limits);
      answers.push({ endpoint, hash });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      failure = error;
      run.errorLine(`Failed to get the hash of endpoint ${endpoint} (${errorText(error)})`);
    }
  }
  printHashes(run, answers);
  if (failure !== null) throw new CtlExit(ExitCode.Error, errorText(failure));
}

function printHashes(run: Run, answers: readonly { endpoint: string; hash: HashKvResponse }[]): void {
  const rows = answers.map(({ endpoint, hash }) => [endpoint, String(hash.hash), String(hash.hashRevision)]);
  show(run, {
    simple: () => lines(rows.map((row) => row.join(', '))),
    json: () => {
      const items = answers.map(
        ({ endpoint, hash }) => `{"Endpoint":${JSON.stringify(endpoint)},"HashKV":${hashKvJson(hash)}}`,
      );
      return lines([`[${items.join(',')}]`]);
    },
    table: () => renderTable(['endpoint', 'hash', 'hash_revision'], rows),
    fields: () => answers.map(({ endpoint, hash }) => hashKvFields(endpoint, hash)).join(''),
  });
}
