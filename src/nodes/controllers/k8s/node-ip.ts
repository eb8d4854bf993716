import { SKIP, transformController, weak } from '../../../cosi/index.ts';
import { addressOf, filterIps, isIpv6 } from '../../net/addresses.ts';
import { NodeIpConfigs, NodeIps } from '../../resources/k8s.ts';
import { NodeAddresses } from '../../resources/network.ts';

/** Addresses that the kubelet registers: the first of each family. */
export const nodeIpController = transformController({
  name: 'k8s.NodeIPController',
  input: NodeIpConfigs,
  output: NodeIps,
  extraInputs: [weak(NodeAddresses, 'routed-no-k8s')],
  map: (config) => config.metadata.id,
  compute: (config, reader) => {
    const routed = reader.get(NodeAddresses, 'routed-no-k8s')?.spec.addresses ?? [];
    const networks = [...config.spec.validSubnets, ...config.spec.excludeSubnets.map((subnet) => `!${subnet}`)];
    const usable = filterIps(routed.map(addressOf), networks);
    const first = (ipv6: boolean): string | undefined => usable.find((address) => isIpv6(address) === ipv6);
    const chosen = usable.filter((address) => address === first(isIpv6(address)));
    return chosen.length === 0 ? SKIP : { addresses: chosen };
  },
});
