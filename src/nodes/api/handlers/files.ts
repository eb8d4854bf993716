import { FileInfo, FileType } from '../../../api/machine/observe.ts';
import type { MachineService } from '../../../api/machine/services.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import type { FileInfo as Entry } from '../../../platform/disk.ts';
import { DiskError } from '../../../platform/errors.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { Implementation } from '../../../rpc/service.ts';
import { NodeError } from '../../errors.ts';
import { onHost } from '../../kube/paths.ts';
import type { Machine } from '../../machine.ts';

type Handlers = Implementation<typeof MachineService>;
type ReadStream = Parameters<NonNullable<Handlers['Read']>>[0];
type ListStream = Parameters<NonNullable<Handlers['List']>>[0];

const CHUNK_BYTES = 32_768;
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

/** Streams a regular file of the machine. */
export function* readFile(machine: Machine, stream: ReadStream): Task<void> {
  const request = yield* stream.receive();
  if (request === undefined) return;
  const { path } = request;
  if (path === BOOT_ID_FILE) {
    stream.send({ metadata: null, bytes: utf8Encode(`${machine.bootId}\n`) });
    return;
  }
  const info = yield* machine.files.disk.stat(onHost(path));
  if (info === undefined) throw new RpcError('NotFound', `stat ${path}: no such file or directory`);
  if (info.kind !== 'file') throw new NodeError('path must be a regular file');
  const file = yield* machine.files.disk.open(onHost(path));
  try {
    for (let at = 0; at < file.sizeBytes(); at += CHUNK_BYTES) {
      stream.send({ metadata: null, bytes: yield* file.read(at, CHUNK_BYTES) });
      yield* stream.drained();
    }
  } finally {
    file.close();
  }
}

/** Streams a directory as `.` and its entries, with `recurse` also those below. */
export function* listFiles(machine: Machine, stream: ListStream): Task<void> {
  const request = yield* stream.receive();
  if (request === undefined) return;
  const root = request.root === '' ? '/' : request.root;
  const depth = request.recurse ? (request.recursionDepth === 0 ? Number.MAX_SAFE_INTEGER : request.recursionDepth) : 1;
  const info = yield* machine.files.disk.stat(onHost(root));
  if (info === undefined) throw new NodeError(`stat ${root}: no such file or directory`);
  // Every type when none is asked for.
  const send = (path: string, relative: string, entry: Entry): void => {
    const type = entry.kind === 'directory' ? FileType.Directory : FileType.Regular;
    if (request.types.length === 0 || request.types.includes(type)) stream.send(fileInfo(path, relative, entry));
  };
  send(root, '.', info);
  if (info.kind === 'directory') yield* listBelow(machine, stream, send, root, '', depth);
}

type Send = (path: string, relative: string, entry: Entry) => void;

function* listBelow(
  machine: Machine,
  stream: ListStream,
  send: Send,
  path: string,
  relative: string,
  depth: number,
): Task<void> {
  try {
    for (const entry of yield* machine.files.disk.list(onHost(path))) {
      const name = `${path === '/' ? '' : path}/${entry.name}`;
      const relativeName = relative === '' ? entry.name : `${relative}/${entry.name}`;
      send(name, relativeName, entry);
      yield* stream.drained();
      if (entry.kind === 'directory' && depth > 1)
        yield* listBelow(machine, stream, send, name, relativeName, depth - 1);
    }
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    stream.send(FileInfo.of({ name: path, relativeName: relative, error: error.message }));
  }
}

/** Modes are not simulated: every directory is 0755 and every file 0644. */
function fileInfo(name: string, relativeName: string, { kind, sizeBytes }: Entry) {
  const isDir = kind === 'directory';
  return FileInfo.of({ name, relativeName, isDir, size: sizeBytes, mode: isDir ? 0x800001ed : 0o644 });
}
