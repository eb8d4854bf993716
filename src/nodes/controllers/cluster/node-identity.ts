import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, shared, weak } from '../../../cosi/index.ts';
import { toHex } from '../../../platform/bytes.ts';
import { decodeBase62, encodeBase62 } from '../../discovery/base62.ts';
import type { Machine } from '../../machine.ts';
import { Identities } from '../../resources/cluster.ts';
import { EtcFileStatuses, MountStatuses } from '../../resources/runtime.ts';
import { STATE_PATH } from '../../storage/volumes.ts';

const FILE = `${STATE_PATH}/node-identity.yaml`;

/** Who this machine is to discovery, for as long as its STATE volume lives (reference/network-config.md C.1). */
export function nodeIdentityController(machine: Machine): Controller {
  return passController({
    name: 'cluster.NodeIdentityController',
    inputs: [weak(MountStatuses, 'STATE')],
    outputs: [exclusive(Identities), shared(EtcFileStatuses)],
    pass: function* (context) {
      if (context.get(MountStatuses, 'STATE') === undefined) return;
      const stored = /^nodeId: (\S+)/m.exec((yield* machine.files.read(FILE)) ?? '')?.[1];
      let nodeId = stored;
      if (nodeId === undefined) {
        nodeId = encodeBase62(machine.platform.crypto.randomBytes(32));
        yield* machine.files.writeDurably(FILE, `nodeId: ${nodeId}\n`);
      }
      context.set(Identities, 'local', { nodeId });
      yield* machine.files.write('/etc/machine-id', toHex(decodeBase62(nodeId, 32).subarray(0, 16)));
      context.set(EtcFileStatuses, 'machine-id', { specVersion: '1' });
    },
  });
}
