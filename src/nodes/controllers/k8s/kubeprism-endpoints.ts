import { transformController, weak } from '../../../cosi/index.ts';
import { isControlPlane } from '../../config/settings.ts';
import { Members } from '../../resources/cluster.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { type HostAndPort, KubePrismEndpoints } from '../../resources/k8s.ts';
import { fromActiveConfig } from '../active-config.ts';

/** Where Kubernetes API servers may be: the endpoint, this machine, then every member (reference/network-config.md B.1). */
export const kubePrismEndpointsController = transformController({
  name: 'k8s.KubePrismEndpointsController',
  input: MachineConfigs,
  output: KubePrismEndpoints,
  extraInputs: [weak(Members)],
  map: fromActiveConfig('k8s-cluster'),
  compute: (config, reader) => {
    const { machineType, cluster } = config.spec.settings;
    const endpoints: HostAndPort[] = [{ host: cluster.endpoint.host, port: cluster.endpoint.port }];
    if (isControlPlane(machineType)) endpoints.push({ host: 'localhost', port: cluster.apiPort });
    for (const { spec } of reader.list(Members)) {
      if (spec.controlPlane === null) continue;
      for (const host of spec.addresses) endpoints.push({ host, port: spec.controlPlane.port });
    }
    return { endpoints };
  },
});
