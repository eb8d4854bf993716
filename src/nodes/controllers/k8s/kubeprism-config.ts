import { SKIP, transformController, weak } from '../../../cosi/index.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { KubePrismConfigs, KubePrismEndpoints } from '../../resources/k8s.ts';
import { fromActiveConfig } from '../active-config.ts';

/** What KubePrism is to do; exists only while it is enabled. */
export const kubePrismConfigController = transformController({
  name: 'k8s.KubePrismConfigController',
  input: MachineConfigs,
  output: KubePrismConfigs,
  extraInputs: [weak(KubePrismEndpoints, 'k8s-cluster')],
  map: (config) =>
    config.spec.settings.machine.features.kubePrism.enabled
      ? fromActiveConfig('k8s-loadbalancer-config')(config)
      : undefined,
  compute: (config, reader) => {
    const endpoints = reader.get(KubePrismEndpoints, 'k8s-cluster');
    if (endpoints === undefined) return SKIP;
    const { port } = config.spec.settings.machine.features.kubePrism;
    return { host: '127.0.0.1', port, endpoints: endpoints.spec.endpoints };
  },
});
