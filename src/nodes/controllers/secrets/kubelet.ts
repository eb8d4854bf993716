import { transformController } from '../../../cosi/index.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { KubeletSecrets } from '../../resources/secrets.ts';
import { fromActiveConfig } from '../active-config.ts';
import { localApiEndpoint } from './roots.ts';

/** What the kubelet needs to introduce itself to the cluster. */
export const kubeletSecretsController = transformController({
  name: 'secrets.KubeletController',
  input: MachineConfigs,
  output: KubeletSecrets,
  map: fromActiveConfig('kubelet'),
  compute: ({ spec }) => {
    const { cluster } = spec.settings;
    const [bootstrapTokenID = '', bootstrapTokenSecret = ''] = cluster.token.split('.');
    return {
      endpoint: localApiEndpoint(spec.settings),
      acceptedCAs: [cluster.ca.crt, ...cluster.acceptedCas],
      bootstrapTokenID,
      bootstrapTokenSecret,
    };
  },
});
