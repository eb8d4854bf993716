import { ContainerError } from '../../platform/errors.ts';
import type { Task } from '../../platform/task.ts';
import { NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import type { EtcdSpecSpec } from '../resources/etcd.ts';
import { peerUrls } from './arguments.ts';

export const SNAPSHOT_FILE = '/var/lib/etcd.snapshot';

/**
 * Makes a data directory of one member from the uploaded snapshot (reference/controllers.md C.2.4). Talos does this
 * with etcd's library; here etcd's own image does it, as `etcdutl snapshot restore`.
 */
export function* recoverFromSnapshot(machine: Machine, spec: EtcdSpecSpec, skipHashCheck: boolean): Task<void> {
  const { files, platform } = machine;
  if (!(yield* files.exists(SNAPSHOT_FILE))) {
    throw new NodeError(`error verifying snapshot: open ${SNAPSHOT_FILE}: no such file or directory`);
  }
  const own = peerUrls(spec);
  const args = [
    '/usr/local/bin/etcdutl',
    'snapshot',
    'restore',
    SNAPSHOT_FILE,
    `--name=${spec.name}`,
    '--data-dir=/var/lib/etcd',
    `--initial-cluster=${own.map((url) => `${spec.name}=${url}`).join(',')}`,
    `--initial-advertise-peer-urls=${own.join(',')}`,
    '--initial-cluster-token=etcd-cluster',
    `--skip-hash-check=${skipHashCheck}`,
  ];
  try {
    const container = yield* platform.containers.run({
      id: 'etcd-restore',
      namespace: 'system',
      image: spec.image,
      args,
      mounts: [{ source: '/var/lib', destination: '/var/lib' }],
      network: 'host',
    });
    const { code } = yield* container.wait();
    if (code !== 0)
      throw new NodeError(`error recovering from the snapshot: ${container.logTail(1)[0] ?? `exit code ${code}`}`);
  } catch (error) {
    if (error instanceof ContainerError) throw new NodeError(`error recovering from the snapshot: ${error.message}`);
    throw error;
  }
  yield* files.disk.remove(SNAPSHOT_FILE);
}
