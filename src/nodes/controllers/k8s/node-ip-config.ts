import { transformController } from '../../../cosi/index.ts';
import { isIpv6 } from '../../net/addresses.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { NodeIpConfigs } from '../../resources/k8s.ts';
import { fromActiveConfig, virtualAddresses } from '../active-config.ts';

/** Networks that the node's address may and may not come from. */
export const nodeIpConfigController = transformController({
  name: 'k8s.NodeIPConfigController',
  input: MachineConfigs,
  output: NodeIpConfigs,
  map: fromActiveConfig('kubelet'),
  compute: (config) => {
    const { machine, cluster } = config.spec.settings;
    const { validSubnets } = machine.kubelet;
    const families = cluster.serviceSubnets.map((subnet) => (isIpv6(subnet) ? '::/0' : '0.0.0.0/0'));
    return {
      validSubnets: validSubnets.length > 0 ? validSubnets : families,
      excludeSubnets: [...cluster.podSubnets, ...cluster.serviceSubnets, ...virtualAddresses(config.spec.settings)],
    };
  },
});
