import { alarmText } from '../../../api/etcd/alarms.ts';
import { parseId, shortId } from '../../../api/etcd/ids.ts';
import type { AlarmMember, AlarmResponse } from '../../../api/etcd/maintenance.ts';
import { concatBytes } from '../../../platform/bytes.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { formatDurationUs } from '../../../platform/text/duration.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { errorText } from '../print/errors.ts';
import { alarmFields } from '../print/fields.ts';
import { alarmsJson, headerOnlyJson } from '../print/messages.ts';
import { lines, show } from '../print/show.ts';
import { badArgs } from './arguments.ts';

const SECTOR_BYTES = 512;
const HASH_BYTES = 32;

function printAlarms(run: Run, answer: AlarmResponse): void {
  show(run, {
    simple: () => lines(answer.alarms.map(alarmText)),
    json: () => lines([alarmsJson(answer)]),
    fields: () => alarmFields(answer),
  });
}

export function* alarmListVerb(run: Run): Task<void> {
  if (run.args.length !== 0) badArgs('alarm list command accepts no arguments');
  printAlarms(run, yield* run.client().maintenance.alarmList(run.limits));
}

/** Lists, then takes back one alarm after the other; prints what was taken back. */
export function* alarmDisarmVerb(run: Run): Task<void> {
  if (run.args.length !== 0) badArgs('alarm disarm command accepts no arguments');
  const { maintenance } = run.client();
  const { alarms, header } = yield* maintenance.alarmList(run.limits);
  const disarmed: AlarmMember[] = [];
  for (const alarm of alarms) disarmed.push(...(yield* maintenance.alarmDisarm(alarm, run.limits)).alarms);
  printAlarms(run, { header, alarms: disarmed });
}

/** Finds the leader among the endpoints and asks it to hand over. */
export function* moveLeaderVerb(run: Run): Task<void> {
  if (run.args.length !== 1) badArgs('move-leader command needs 1 argument');
  const target = parseId(run.args[0]!);
  if (target === null) {
    throw new CtlExit(ExitCode.BadArgs, `strconv.ParseUint: parsing ${goQuote(run.args[0]!)}: invalid syntax`);
  }
  for (const endpoint of run.endpoints) {
    const status = yield* run.client().maintenance.status(endpoint, run.limits);
    if (status.header!.memberId !== status.leader) continue;
    const answer = yield* run.client([endpoint]).maintenance.moveLeader(target, run.limits);
    show(run, {
      simple: () => `Leadership transferred from ${shortId(status.leader)} to ${shortId(target)}\n`,
      json: () => lines([headerOnlyJson(answer)]),
    });
    return;
  }
  throw new CtlExit(ExitCode.BadArgs, `no leader endpoint given at [${run.endpoints.join(' ')}]`);
}

export function* defragVerb(run: Run): Task<void> {
  const { clock } = run.context.ports;
  const endpoints = run.flags.bool('cluster')
    ? (yield* run.client().memberList(true, run.limits)).members.flatMap((member) => member.clientUrls)
    : run.endpoints;
  let failed = false;
  for (const endpoint of endpoints) {
    const startedUs = clock.monotonicUs();
    try {
      yield* run.client().maintenance.defragment(endpoint, run.limits);
      run.line(
        `Finished defragmenting etcd member[${endpoint}]. took ${formatDurationUs(clock.monotonicUs() - startedUs)}`,
      );
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      failed = true;
      const took = formatDurationUs(clock.monotonicUs() - startedUs);
      run.errorLine(`Failed to defragment etcd member[${endpoint}]. took ${took}. (${errorText(error)})`);
    }
  }
  if (failed) throw new CtlExit(ExitCode.Error, '');
}

/** Saves the database of the one endpoint to a file, after its sum was found to be there. */
export function* snapshotSaveVerb(run: Run): Task<void> {
  if (run.args.length !== 1) badArgs('snapshot save expects one argument');
  if (run.endpoints.length !== 1) {
    badArgs(`snapshot must be requested to one selected node, not multiple [${run.endpoints.join(' ')}]`);
  }
  const parts: Uint8Array[] = [];
  let version = '';
  try {
    yield* run.client().maintenance.snapshot((part) => {
      parts.push(part.blob);
      if (part.version !== '') version = part.version;
    });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new CtlExit(ExitCode.Interrupted, errorText(error));
  }
  const file = concatBytes(parts);
  if (file.length % SECTOR_BYTES !== HASH_BYTES) {
    throw new CtlExit(ExitCode.Interrupted, `sha256 checksum not found [bytes: ${file.length}]`);
  }
  const [path] = run.args;
  run.context.writeFile(path!, file);
  run.line(`Snapshot saved at ${path}`);
  if (version !== '') run.line(`Server version ${version}`);
}
