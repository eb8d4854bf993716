import type { Process } from '../../../platform/containers.ts';
import { DiskError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { parseBool } from '../../../platform/text/boolean.ts';
import { parseInitialCluster, parseUrls } from '../config/urls.ts';
import { Console } from '../console.ts';
import { StartError } from '../start/errors.ts';
import { RestoreError, restoreSnapshot } from './restore.ts';

const FLAGS: Readonly<Record<string, string>> = Object.freeze({
  name: 'default',
  'data-dir': '',
  'wal-dir': '',
  'initial-cluster': 'default=http://localhost:2380',
  'initial-cluster-token': 'etcd-cluster',
  'initial-advertise-peer-urls': 'http://localhost:2380',
  'skip-hash-check': 'false',
  'bump-revision': '0',
  'mark-compacted': 'false',
});

/** What the command needs of its process. */
type RestoreProcess = Pick<Process, 'argv' | 'platform' | 'print'>;

/** `etcdutl snapshot restore FILE [flags]`. */
export function* restoreCommand(process: RestoreProcess): Task<number> {
  const fail = (text: string, code: number): number => {
    process.print(`Error: ${text}`);
    return code;
  };
  const [first, second, ...rest] = process.argv.slice(1);
  if (first !== 'snapshot' || second !== 'restore') {
    return fail(`unknown command "${[first, second].filter(Boolean).join(' ')}" for "etcdutl"`, 1);
  }
  const values: Record<string, string> = { ...FLAGS };
  const files: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    const arg = rest[i]!;
    if (!arg.startsWith('--')) {
      files.push(arg);
      continue;
    }
    const cut = arg.indexOf('=');
    const name = cut < 0 ? arg.slice(2) : arg.slice(2, cut);
    if (!(name in FLAGS)) return fail(`unknown flag: --${name}`, 1);
    const isBool = FLAGS[name] === 'false';
    values[name] = cut >= 0 ? arg.slice(cut + 1) : isBool ? 'true' : (rest[++i] ?? '');
  }
  if (files.length !== 1) return fail('snapshot restore requires exactly one argument', 128);
  return yield* run(process, files[0]!, values, fail);
}

function* run(
  process: RestoreProcess,
  snapshotPath: string,
  values: Readonly<Record<string, string>>,
  fail: (text: string, code: number) => number,
): Task<number> {
  const name = values.name!;
  const bumpRevision = Number.parseInt(values['bump-revision']!, 10);
  const markCompacted = parseBool(values['mark-compacted']!) ?? false;
  if (bumpRevision > 0 && !markCompacted) return fail('--mark-compacted required if --revision-bump > 0', 128);
  const advertised = values['initial-advertise-peer-urls']!;
  const initialCluster = parseInitialCluster(values['initial-cluster']!);
  if (typeof initialCluster === 'string') return fail(initialCluster, 1);
  const advertisePeerUrls = parseUrls(advertised);
  if (typeof advertisePeerUrls === 'string') return fail(advertisePeerUrls, 1);
  const console = new Console(process);
  const dataDir = values['data-dir'] === '' ? `${name}.etcd` : values['data-dir']!;
  const where = {
    path: snapshotPath,
    'wal-dir': values['wal-dir'] === '' ? `${dataDir}/member/wal` : values['wal-dir'],
    'data-dir': dataDir,
    'snap-dir': `${dataDir}/member/snap`,
  };
  console.info('restoring snapshot', where);
  try {
    yield* restoreSnapshot(process.platform.disk, {
      name,
      initialCluster,
      initialClusterToken: values['initial-cluster-token']!,
      advertisePeerUrls,
      snapshotPath,
      dataDir,
      walDir: values['wal-dir']!,
      skipHashCheck: parseBool(values['skip-hash-check']!) ?? false,
      bumpRevision,
      markCompacted,
    });
    console.info('restored snapshot', where);
    return 0;
  } catch (error) {
    if (error instanceof RestoreError || error instanceof StartError || error instanceof DiskError) {
      return fail(error.message, 1);
    }
    throw error;
  }
}
