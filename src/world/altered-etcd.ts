import type { KeyValue } from '../api/etcd/kv.ts';
import { readFrames } from '../etcd/server/backend/frame.ts';
import { type DatabaseState, encodeImage, StateBuilder } from '../etcd/server/backend/image.ts';
import { concatBytes, utf8Decode, utf8Encode } from '../platform/bytes.ts';
import type { FileSystem } from '../sim/disk/file-system.ts';
import type { FileNode } from '../sim/disk/tree.ts';
import type { Machine } from '../sim/machine/machine.ts';

/** Where etcd keeps its database, seen from the root of EPHEMERAL. */
const DATABASE = '/lib/etcd/member/snap/db';
const ALTERED = utf8Encode('altered');

/** The database on a file system, and what it says. */
interface Database {
  readonly file: FileNode;
  readonly state: DatabaseState;
}

/** Whether the etcd database of a machine holds a key. */
export function holdsEtcdKey(machine: Machine, key: string): boolean {
  return machine.disks.some((disk) =>
    disk.volumes.some(({ fileSystem }) => databaseWith(fileSystem, key) !== undefined),
  );
}

/**
 * Switches a machine off and gives a key another value in its etcd's database, with all sums right, as a write does that
 * went wrong before it was summed up. False when the database does not hold the key: then the machine stays on.
 */
export function alterEtcd(machine: Machine, key: string): boolean {
  if (!holdsEtcdKey(machine, key)) return false;
  machine.powerOff();
  return machine.disks.some((disk) => disk.volumes.some((volume) => alterIn(volume.fileSystem, key)));
}

function alterIn(fileSystem: FileSystem, key: string): boolean {
  const database = databaseWith(fileSystem, key);
  if (database === undefined) return false;
  const { file, state } = database;
  const revisions = state.revisions.map(({ kv, sub }) => ({
    kv: isLive(kv, key) ? { ...kv, value: ALTERED } : kv,
    sub,
  }));
  const bytes = concatBytes(encodeImage({ ...state, revisions }));
  fileSystem.truncate(DATABASE, file, 0);
  fileSystem.write(DATABASE, file, 0, bytes);
  file.content.commitAll();
  return true;
}

/** Undefined when there is no database, or none that holds the key. */
function databaseWith(fileSystem: FileSystem, key: string): Database | undefined {
  const file = fileSystem.lookup(DATABASE);
  if (file?.kind !== 'file') return undefined;
  const builder = new StateBuilder();
  readFrames(file.content.read(0, file.content.size), (frame) => builder.add(frame));
  const state = builder.finish();
  return state.revisions.some(({ kv }) => isLive(kv, key)) ? { file, state } : undefined;
}

/** Whether this is a value of the key, not another's and not its deletion. */
function isLive(kv: KeyValue | null, key: string): kv is KeyValue {
  return kv !== null && kv.version !== 0 && utf8Decode(kv.key) === key;
}
