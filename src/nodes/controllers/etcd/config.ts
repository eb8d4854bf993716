import { transformController } from '../../../cosi/index.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { ETCD, EtcdConfigs } from '../../resources/etcd.ts';
import { fromControlPlaneConfig, virtualAddresses } from '../active-config.ts';

/** etcd's part of the machine config (reference/controllers.md B.1.1). */
export const etcdConfigController = transformController({
  name: 'etcd.ConfigController',
  input: MachineConfigs,
  output: EtcdConfigs,
  map: fromControlPlaneConfig(ETCD, (settings) => settings.cluster.etcd !== null),
  compute: (config) => {
    const etcd = config.spec.settings.cluster.etcd!;
    const advertised = etcd.advertisedSubnets;
    const listen = etcd.listenSubnets.length > 0 ? etcd.listenSubnets : advertised;
    return {
      advertiseValidSubnets: advertised.length > 0 ? advertised : etcd.subnet === '' ? [] : [etcd.subnet],
      advertiseExcludeSubnets: virtualAddresses(config.spec.settings),
      listenValidSubnets: listen,
      listenExcludeSubnets: [],
      image: etcd.image,
      extraArgs: etcd.extraArgs,
    };
  },
});
