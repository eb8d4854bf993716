import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import { sha256 } from '../../../platform/hash.ts';
import { activeSettings } from '../../config/active.ts';
import { addressOf } from '../../net/addresses.ts';
import { Identities } from '../../resources/cluster.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { type ConfigLayer, LayeredHostnameSpecs, NodeAddresses } from '../../resources/network.ts';
import { splitFqdn } from './hostname-spec.ts';

/** Wants the name of the config, and below it the automatic one (reference/network-config.md D.7). */
export const hostnameConfigController: Controller = passController({
  name: 'network.HostnameConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG), weak(Identities, 'local'), weak(NodeAddresses, 'default')],
  outputs: [shared(LayeredHostnameSpecs)],
  pass: (context) => {
    const settings = activeSettings(context);
    context.startTrackingOutputs();
    const want = (layer: ConfigLayer, name: string): void => {
      context.set(LayeredHostnameSpecs, `${layer}/hostname`, { ...splitFqdn(name), layer });
    };
    if (settings !== undefined) {
      const { features, network } = settings.machine;
      const nodeId = context.get(Identities, 'local')?.spec.nodeId;
      const address = context.get(NodeAddresses, 'default')?.spec.addresses[0];
      if (features.stableHostname && nodeId !== undefined) want('default', stableHostname(nodeId));
      else if (!features.stableHostname && address !== undefined) want('default', addressHostname(address));
      if (isValidHostname(network.hostname)) want('configuration', network.hostname);
    }
    context.cleanupOutputs(LayeredHostnameSpecs);
    return undefined;
  },
});

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `talos-xxx-yyy` from the node identity. */
export function stableHostname(nodeId: string): string {
  const digest = sha256(utf8Encode(nodeId)).subarray(0, 8);
  let digits = '';
  let number = [...digest];
  while (number.some((byte) => byte !== 0)) {
    let rest = 0;
    const quotient: number[] = [];
    for (const byte of number) {
      const value = rest * 256 + byte;
      quotient.push(Math.floor(value / 36));
      rest = value % 36;
    }
    digits = BASE36[rest]! + digits;
    number = quotient;
  }
  return `talos-${digits.slice(1, 4)}-${digits.slice(4, 7)}`;
}

function addressHostname(prefix: string): string {
  return `talos-${addressOf(prefix).replaceAll('.', '-').replaceAll(':', '')}`;
}

function isValidHostname(name: string): boolean {
  const first = name.split('.')[0] ?? '';
  return name !== '' && name.length <= 253 && first.length >= 1 && first.length <= 63;
}
