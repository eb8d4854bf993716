import type { KeyValue } from '../api/etcd/kv.ts';
import { readFrames } from '../etcd/server/backend/frame.ts';
import { encodeImage, StateBuilder } from '../etcd/server/backend/image.ts';
import { concatBytes, utf8Decode, utf8Encode } from '../platform/bytes.ts';
import type { FileSystem } from '../sim/disk/file-system.ts';
import type { Machine } from '../sim/machine/machine.ts';

/** Where etcd keeps its database, seen from the root of EPHEMERAL. */
const DATABASE = '/lib/etcd/member/snap/db';
const ALTERED = utf8Encode('altered');

/** Whether the etcd database of a machine holds a key. */
export function holdsEtcdKey(machine: Machine, key: string): boolean {
  return machine.disks.some((disk) =>
    disk.volumes.some(({ fileSystem }) => stateIn(fileSystem)?.revisions.some(({ kv }) => isLive(kv, key)) ?? false),
  );
}

/**
 * Switches a machine off and gives a key another value in its etcd's database, with all sums right, as a write does that
 * went wrong before it was summed up. False when the
 * database does not hold the key: then the machine stays on.
 */
export function alterEtcd(machine: Machine, key: string): boolean {
  if (!holdsEtcdKey(machine, key)) return false;
  machine.powerOff();
  return machine.disks.some((disk) => disk.volumes.some((volume) => alterIn(volume.fileSystem, key)));
}

function alterIn(fileSystem: FileSystem, key: string): boolean {
  const file = fileSystem.lookup(DATABASE);
  const state = stateIn(fileSystem);
  if (file?.kind !== 'file' || state === undefined) return false;
  let found = false;
  const revisions = state.revisions.map(({ kv, sub }) => {
    if (!isLive(kv, key)) return { kv, sub };
    found = true;
    return { sub, kv: { ...kv, value: ALTERED } };
  });
  if (!found) return false;
  const bytes = concatBytes(encodeImage({ ...state, revisions }));
  fileSystem.truncate(DATABASE, file, 0);
  fileSystem.write(DATABASE, file, 0, bytes);
  file.content.commitAll();
  return true;
}

/** What the database on a file system says; undefined when there is none. */
function stateIn(fileSystem: FileSystem): ReturnType<StateBuilder['finish']> | undefined {
  const file = fileSystem.lookup(DATABASE);
  if (file?.kind !== 'file') return undefined;
  const builder = new StateBuilder();
  readFrames(file.content.read(0, file.content.size), (frame) => builder.add(frame));
  return builder.finish();
}

/** Whether this is a value of the key, not another's and not its deletion. */
function isLive(kv: KeyValue | null, key: string): kv is KeyValue {
  return kv !== null && kv.version !== 0 && utf8Decode(kv.key) === key;
}
