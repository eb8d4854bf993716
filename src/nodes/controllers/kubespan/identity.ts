import type { Controller, Reader } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import type { Task } from '../../../platform/task.ts';
import { newIdentity } from '../../kubespan/identity.ts';
import type { Machine } from '../../machine.ts';
import { KUBESPAN, KubeSpanConfigs, KubeSpanIdentities, type KubeSpanIdentitySpec } from '../../resources/kubespan.ts';
import { LinkStatuses } from '../../resources/network.ts';
import { MountStatuses } from '../../resources/runtime.ts';
import { STATE_PATH } from '../../storage/volumes.ts';

const FILE = `${STATE_PATH}/kubespan-identity.yaml`;

/** Who this machine is in the mesh, for as long as its STATE volume lives (reference/network-config.md C.9). */
export function kubeSpanIdentityController(machine: Machine): Controller {
  return passController({
    name: 'kubespan.IdentityController',
    inputs: [weak(KubeSpanConfigs, KUBESPAN), weak(MountStatuses, 'STATE'), weak(LinkStatuses)],
    outputs: [exclusive(KubeSpanIdentities)],
    pass: function* (context) {
      const config = context.get(KubeSpanConfigs, KUBESPAN)?.spec;
      context.startTrackingOutputs();
      if (config?.enabled === true) {
        if (context.get(MountStatuses, 'STATE') === undefined) return;
        const known = context.get(KubeSpanIdentities, 'local')?.spec;
        const mac = firstCard(context);
        if (known === undefined && mac === undefined) return;
        const identity = known ?? (yield* loadOrMake(machine, config.clusterId, mac!));
        context.set(KubeSpanIdentities, 'local', identity);
      }
      context.cleanupOutputs(KubeSpanIdentities);
    },
  });
}

function firstCard(context: Reader): string | undefined {
  const cards = context.list(LinkStatuses).filter(({ spec }) => spec.physical);
  return cards.sort((a, b) => (a.metadata.id < b.metadata.id ? -1 : 1))[0]?.spec.hardwareAddr;
}

function* loadOrMake(machine: Machine, clusterId: string, mac: string): Task<KubeSpanIdentitySpec> {
  const stored = identityIn((yield* machine.files.read(FILE)) ?? '');
  if (stored !== undefined) return stored;
  const identity = newIdentity(machine.platform.crypto, clusterId, mac);
  const { address, subnet, privateKey, publicKey } = identity;
  const text = `address: ${address}\nsubnet: ${subnet}\nprivateKey: ${privateKey}\npublicKey: ${publicKey}\n`;
  yield* machine.files.writeDurably(FILE, text);
  return identity;
}

/** Undefined when the file is not there, or was cut. */
function identityIn(text: string): KubeSpanIdentitySpec | undefined {
  const field = (name: string): string => new RegExp(`^${name}: (\\S+)$`, 'm').exec(text)?.[1] ?? '';
  const identity = {
    address: field('address'),
    subnet: field('subnet'),
    privateKey: field('privateKey'),
    publicKey: field('publicKey'),
  };
  return Object.values(identity).includes('') ? undefined : identity;
}
