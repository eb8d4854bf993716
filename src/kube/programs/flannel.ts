import { utf8Encode } from '../../platform/bytes.ts';
import type { Process } from '../../platform/containers.ts';
import { parentOf, readWhole, writeDurably } from '../../platform/disk.ts';
import { DiskError } from '../../platform/errors.ts';
import type { Task } from '../../platform/task.ts';
import { untilStopped } from '../component/process.ts';

const SUBNET_FILE = '/run/flannel/subnet.env';

/**
 * flannel's image: `cp` for its init container, which lays down the CNI configuration, and flanneld. The overlay network
 * itself is not simulated, nor does flanneld ask the API server for its subnet: the kubelet gives pods their addresses.
 */
export function* flannel(process: Process): Task<number> {
  const words = process.argv.slice(1).filter((word) => !word.startsWith('-'));
  if (process.argv[0] === 'cp') return yield* copy(process, words[0] ?? '', words[1] ?? '');
  const { disk } = process.platform;
  if ((yield* disk.stat(parentOf(SUBNET_FILE))) !== undefined)
    yield* writeDurably(disk, SUBNET_FILE, utf8Encode('FLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n'));
  process.print('Running backend.');
  return yield* untilStopped(process);
}

function* copy(process: Process, from: string, to: string): Task<number> {
  const { disk } = process.platform;
  try {
    const content = yield* readWhole(disk, from);
    if (content === undefined) {
      process.print(`cp: can't stat '${from}': No such file or directory`);
      return 1;
    }
    yield* writeDurably(disk, to, content);
    return 0;
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    process.print(`cp: can't create '${to}': ${error.message}`);
    return 1;
  }
}
