import { CtlExit } from '../../etcd/ctl/context.ts';
import { boolFlag, type FlagSpecs, type Flags, parseWords, textFlag } from '../../etcd/ctl/flags.ts';
import { WRITE_OUT_FLAG } from '../../etcd/ctl/globals.ts';
import { fieldLines } from '../../etcd/ctl/print/fields.ts';
import { renderTable } from '../../etcd/ctl/print/table.ts';
import { restoreCommand } from '../../etcd/server/restore/command.ts';
import { type SnapshotStatus, snapshotStatus } from '../../etcd/server/restore/status.ts';
import type { Process } from '../../platform/containers.ts';
import { parentOf } from '../../platform/disk.ts';
import type { Task } from '../../platform/task.ts';
import { formatBytes } from '../../platform/text/humanize.ts';
import { goQuote } from '../../platform/text/quote.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';

const STATUS_FLAGS: FlagSpecs = Object.freeze({ 'write-out': WRITE_OUT_FLAG });
const RESTORE_FLAGS: FlagSpecs = Object.freeze({
  'bump-revision': textFlag('How much to increase the latest revision after restore', '0'),
  'data-dir': textFlag('Path to the output data directory'),
  'initial-advertise-peer-urls': textFlag(
    "List of this member's peer URLs to advertise to the rest of the cluster",
    'http://localhost:2380',
  ),
  'initial-cluster': textFlag('Initial cluster configuration for restore bootstrap', 'default=http://localhost:2380'),
  'initial-cluster-token': textFlag(
    'Initial cluster token for the etcd cluster during restore bootstrap',
    'etcd-cluster',
  ),
  'mark-compacted': boolFlag(
    'Mark the latest revision after restore as the point of scheduled compaction (required if --bump-revision > 0, disallowed otherwise)',
  ),
  name: textFlag('Human-readable name for this member', 'default'),
  'skip-hash-check': boolFlag('Ignore snapshot integrity hash value (required if copied from data directory)'),
  'wal-dir': textFlag('Path to the WAL directory (use --data-dir if none given)'),
});
const BAD_ARGS = 128;
const BAD_FEATURE = 4;

/**
 * etcdutl on the operator's workstation: looks into snapshots, and restores them to a data directory on the workstation's
 * own disk. Other commands are refused by name.
 */
export const etcdutl: Tool = {
  name: 'etcdutl',
  problem(words) {
    const parsed = parse(words);
    return typeof parsed === 'string' ? `etcdutl: ${parsed}` : undefined;
  },
  *run(words, context) {
    const parsed = parse(words);
    if (typeof parsed === 'string') return fail(context, parsed, 1);
    if (parsed.verb === 'restore') return yield* restore(words, parsed.args, context);
    return status(parsed.args, parsed.flags, context);
  },
};

interface Parsed {
  readonly verb: 'status' | 'restore';
  readonly args: readonly string[];
  readonly flags: Flags;
}

function parse(words: readonly string[]): Parsed | string {
  const [group, verb, ...rest] = words;
  if (group !== 'snapshot') return `${group ?? '(no command)'} is not simulated; there are snapshot status and restore`;
  if (verb !== 'status' && verb !== 'restore') return `unknown command ${goQuote(verb ?? '')} for "etcdutl snapshot"`;
  try {
    return { verb, ...parseWords(rest, verb === 'status' ? STATUS_FLAGS : RESTORE_FLAGS, {}) };
  } catch (error) {
    if (error instanceof CtlExit) return error.message;
    throw error;
  }
}

function fail(context: ToolContext, text: string, code: number): number {
  context.err(`Error: ${text}\n`);
  return code;
}

function status(args: readonly string[], flags: Flags, context: ToolContext): number {
  if (args.length !== 1) return fail(context, 'snapshot status requires exactly one argument', BAD_ARGS);
  const file = context.files.readBytes(args[0]!);
  if (file === undefined) return fail(context, `stat ${args[0]}: no such file or directory`, 1);
  const found = snapshotStatus(file);
  if (found === null) return fail(context, 'invalid database', 1);
  const text = FORMATS[flags.text('write-out')]?.(found);
  if (text === undefined) return fail(context, 'unsupported output format', BAD_FEATURE);
  context.out(text);
  return 0;
}

function row(found: SnapshotStatus): readonly string[] {
  const { hash, revision, totalKeys, totalSizeBytes, storageVersion } = found;
  return [hash.toString(16), `${revision}`, `${totalKeys}`, formatBytes(totalSizeBytes), storageVersion];
}

const FORMATS: Readonly<Record<string, (found: SnapshotStatus) => string>> = Object.freeze({
  simple: (found) => `${row(found).join(', ')}\n`,
  table: (found) => renderTable(['hash', 'revision', 'total keys', 'total size', 'version'], [row(found)]),
  json: ({ hash, revision, totalKeys, totalSizeBytes, storageVersion }) =>
    `${JSON.stringify({ hash, revision, totalKey: totalKeys, totalSize: totalSizeBytes, version: storageVersion })}\n`,
  fields: (found) =>
    fieldLines([
      ['Hash', found.hash],
      ['Revision', found.revision],
      ['Keys', found.totalKeys],
      ['Size', found.totalSizeBytes],
      ['Version', found.storageVersion],
    ]),
});

/** Puts the file on the workstation's disk and lets the program of the etcd image do the rest. */
function* restore(words: readonly string[], args: readonly string[], context: ToolContext): Task<number> {
  const [path] = args;
  const file = path === undefined ? undefined : context.files.readBytes(path);
  const { disk } = context.platform;
  const place = path === undefined ? '' : absolute(path, context.cwd);
  if (file !== undefined) {
    yield* disk.makeDirectory(parentOf(place));
    const copy = yield* disk.open(place, { create: true, truncate: true });
    yield* copy.write(0, file);
    copy.close();
  }
  const process: Pick<Process, 'argv' | 'platform' | 'print'> = {
    argv: ['etcdutl', ...words.map((word) => (word === path ? place : word))],
    platform: context.platform,
    print: (line) => context.err(`${line}\n`),
  };
  return yield* restoreCommand(process);
}

function absolute(path: string, cwd: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}
