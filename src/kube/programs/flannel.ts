import { utf8Encode } from '../../platform/bytes.ts';
import type { Process } from '../../platform/containers.ts';
import { writeDurably } from '../../platform/disk.ts';
import type { Task } from '../../platform/task.ts';
import { idle } from './idle.ts';

const DIRECTORY = '/etc/cni/net.d';
const CONFIG = JSON.stringify({
  name: 'cbr0',
  cniVersion: '0.3.1',
  plugins: [
    { type: 'flannel', delegate: { hairpinMode: true, isDefaultGateway: true } },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
});

/** flannel: its init containers lay down the CNI plugin and its configuration, then the daemon runs. */
export function* flannel(process: Process): Task<number> {
  const { disk } = process.platform;
  const words = process.argv.join(' ');
  if (words.includes('cp ') || words.includes('install')) {
    if ((yield* disk.stat(DIRECTORY)) !== undefined)
      yield* writeDurably(disk, `${DIRECTORY}/10-flannel.conflist`, utf8Encode(CONFIG));
    return 0;
  }
  if ((yield* disk.stat(DIRECTORY)) !== undefined)
    yield* writeDurably(disk, `${DIRECTORY}/10-flannel.conflist`, utf8Encode(CONFIG));
  return yield* idle(process);
}
