import { transformController } from '../../../cosi/index.ts';
import { ipBytes } from '../../../platform/x509/ip.ts';
import { isControlPlane, type NodeSettings } from '../../config/settings.ts';
import { nthAddress } from '../../net/addresses.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { ETCD } from '../../resources/etcd.ts';
import { EtcdRootSecrets, KubernetesRootSecrets, OsRootSecrets } from '../../resources/secrets.ts';
import { fromActiveConfig, fromControlPlaneConfig } from '../active-config.ts';

/** The Talos API authority of this machine; workers have only its certificate. */
export const rootOsController = transformController({
  name: 'secrets.RootOSController',
  input: MachineConfigs,
  output: OsRootSecrets,
  map: fromActiveConfig('os'),
  compute: ({ spec }) => {
    const { ca, acceptedCas, certSans, token } = spec.settings.machine;
    return {
      issuingCA: ca,
      acceptedCAs: [...(ca.crt === '' ? [] : [ca.crt]), ...acceptedCas],
      certSANIPs: certSans.filter((name) => ipBytes(name) !== null),
      certSANDNSNames: certSans.filter((name) => ipBytes(name) === null),
      token,
    };
  },
});

/** The etcd authority. */
export const rootEtcdController = transformController({
  name: 'secrets.RootEtcdController',
  input: MachineConfigs,
  output: EtcdRootSecrets,
  map: fromControlPlaneConfig(ETCD, (settings) => settings.cluster.etcd !== null),
  compute: ({ spec }) => ({ etcdCA: spec.settings.cluster.etcd!.ca }),
});

/** The Kubernetes authorities and what else its secrets are made of. */
export const rootKubernetesController = transformController({
  name: 'secrets.RootKubernetesController',
  input: MachineConfigs,
  output: KubernetesRootSecrets,
  map: fromControlPlaneConfig('k8s'),
  compute: ({ spec }) => {
    const { cluster } = spec.settings;
    const [tokenId = '', tokenSecret = ''] = cluster.token.split('.');
    return {
      name: cluster.name,
      endpoint: cluster.endpoint.url,
      localEndpoint: localApiEndpoint(spec.settings),
      certSANs: [...cluster.apiServer.certSans, cluster.endpoint.host],
      dnsDomain: cluster.dnsDomain,
      issuingCA: cluster.ca,
      acceptedCAs: [cluster.ca.crt, ...cluster.acceptedCas],
      serviceAccountKey: cluster.serviceAccountKey,
      aggregatorCA: cluster.aggregatorCa,
      aescbcEncryptionSecret: cluster.aescbcSecret,
      secretboxEncryptionSecret: cluster.secretboxSecret,
      bootstrapTokenID: tokenId,
      bootstrapTokenSecret: tokenSecret,
      apiServerIPs: cluster.serviceSubnets.map((subnet) => nthAddress(subnet, 1)),
    };
  },
});

/** Where this machine reaches a Kubernetes API: KubePrism, else its own server, else the endpoint (reference/controllers.md B.4.3). */
export function localApiEndpoint(settings: NodeSettings): string {
  const { kubePrism } = settings.machine.features;
  if (kubePrism.enabled) return `https://127.0.0.1:${kubePrism.port}`;
  if (isControlPlane(settings.machineType)) return `https://localhost:${settings.cluster.apiPort}`;
  return settings.cluster.endpoint.url;
}
