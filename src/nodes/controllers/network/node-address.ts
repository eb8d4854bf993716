import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { activeSettings } from '../../config/active.ts';
import { addressOf, comparePrefixes, contains, isUsable } from '../../net/addresses.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import {
  AddressStatuses,
  LinkStatuses,
  NodeAddresses,
  type NodeAddressFilterSpec,
  NodeAddressFilters,
} from '../../resources/network.ts';

type Algorithm = 'v1' | 'v2';

interface Seen {
  readonly address: string;
  readonly link: string;
  readonly linkUp: boolean;
}

/** Which addresses the node has, in several senses (reference/network-config.md D.8). */
export const nodeAddressController: Controller = passController({
  name: 'network.NodeAddressController',
  inputs: [weak(AddressStatuses), weak(LinkStatuses), weak(NodeAddressFilters), weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [exclusive(NodeAddresses)],
  pass: (context) => {
    const algorithm = activeSettings(context)?.machine.features.sortAlgorithm ?? 'v1';
    const seen = usableAddresses(context);
    const sort = (list: readonly string[]): readonly string[] =>
      [...new Set(list)].sort((a, b) => comparePrefixes(algorithm, a, b));
    const current = sort(seen.filter((entry) => entry.linkUp).map((entry) => entry.address));
    const before = context.get(NodeAddresses, 'accumulative')?.spec.addresses ?? [];
    const accumulative = sort([...before, ...seen.map((entry) => entry.address)]);

    writeDefault(context, seen, current, algorithm);
    writeSet(context, 'current', current, algorithm);
    writeSet(context, 'routed', current, algorithm);
    writeSet(context, 'accumulative', accumulative, algorithm);
    return undefined;
  },
});

function usableAddresses(context: ControllerContext): readonly Seen[] {
  const seen: Seen[] = [];
  for (const { spec } of context.list(AddressStatuses)) {
    if (spec.scope !== 'global' || !isUsable(addressOf(spec.address))) continue;
    const link = context.get(LinkStatuses, spec.linkName);
    const operational = link?.spec.operationalState !== 'down';
    const linkUp = link !== undefined && operational && (!link.spec.physical || link.spec.linkState);
    seen.push({ address: spec.address, link: spec.linkName, linkUp });
  }
  return seen;
}

/** Sticky: stays while the address is still there. */
function writeDefault(
  context: ControllerContext,
  seen: readonly Seen[],
  current: readonly string[],
  algorithm: Algorithm,
): void {
  const old = context.get(NodeAddresses, 'default')?.spec;
  const kept = old?.sortAlgorithm === algorithm ? old.addresses[0] : undefined;
  if (kept !== undefined && current.includes(kept)) return;
  const candidates = seen
    .filter((entry) => entry.linkUp)
    .sort((a, b) => (a.link < b.link ? -1 : a.link > b.link ? 1 : comparePrefixes(algorithm, a.address, b.address)));
  const first = candidates[0];
  if (first !== undefined) {
    context.set(NodeAddresses, 'default', { addresses: [first.address], sortAlgorithm: algorithm });
  }
}

function writeSet(
  context: ControllerContext,
  id: string,
  addresses: readonly string[],
  sortAlgorithm: Algorithm,
): void {
  context.set(NodeAddresses, id, { addresses, sortAlgorithm });
  for (const filter of context.list(NodeAddressFilters)) {
    const kept = addresses.filter((address) => passes(addressOf(address), filter.spec));
    context.set(NodeAddresses, `${id}-${filter.metadata.id}`, { addresses: kept, sortAlgorithm });
  }
}

function passes(address: string, filter: NodeAddressFilterSpec): boolean {
  const included = filter.includeSubnets.length === 0 || filter.includeSubnets.some((net) => contains(net, address));
  return included && !filter.excludeSubnets.some((net) => contains(net, address));
}
