import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, shared, weak } from '../../../cosi/index.ts';
import { toHex } from '../../../platform/bytes.ts';
import type { Machine } from '../../machine.ts';
import { Identities } from '../../resources/cluster.ts';
import { EtcFileStatuses, MountStatuses } from '../../resources/runtime.ts';
import { STATE_PATH } from '../../storage/volumes.ts';

const FILE = `${STATE_PATH}/node-identity.yaml`;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

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

/** A big-endian number in base 62; leading zero bytes are lost. */
export function encodeBase62(bytes: Uint8Array): string {
  let number = [...bytes];
  let text = '';
  while (number.some((byte) => byte !== 0)) {
    let rest = 0;
    number = number.map((byte) => {
      const value = rest * 256 + byte;
      rest = value % 62;
      return Math.floor(value / 62);
    });
    text = BASE62[rest]! + text;
  }
  return text;
}

export function decodeBase62(text: string, sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (const char of text) {
    let carry = BASE62.indexOf(char);
    for (let i = sizeBytes - 1; i >= 0; i--) {
      const value = bytes[i]! * 62 + carry;
      bytes[i] = value & 255;
      carry = Math.floor(value / 256);
    }
  }
  return bytes;
}
