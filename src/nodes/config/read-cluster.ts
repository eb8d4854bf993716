import type { ConfigObject, ConfigValue } from '../../config/schema/types.ts';
import { imageVersion } from '../../config/validate/kubernetes.ts';
import {
  at,
  flagAt,
  isObject,
  numberAt,
  objectAt,
  objectsAt,
  stringsAt,
  textAt,
  textMapAt,
} from '../../config/view.ts';
import { HOUR_US } from '../../platform/clock.ts';
import { parseDurationUs } from '../../platform/text/duration.ts';
import type { Profile } from '../profile/profile.ts';
import { readCertificate, readPem } from './read.ts';
import type { ApiServerSettings, ClusterSettings, ComponentSettings, Endpoint, EtcdSettings } from './settings.ts';

const YEAR_US = 8_760 * HOUR_US;

/** The `cluster` section with defaults filled in. */
export function readCluster(cluster: ConfigObject, profile: Profile): ClusterSettings {
  const { images } = profile;
  const cni = at(cluster, 'network', 'cni');
  const scheduler = at(cluster, 'scheduler');
  return {
    name: textAt(cluster, 'clusterName'),
    id: textAt(cluster, 'id'),
    secret: textAt(cluster, 'secret'),
    endpoint: readEndpoint(textAt(cluster, 'controlPlane', 'endpoint')),
    apiPort: numberAt(cluster, 'controlPlane', 'localAPIServerPort') || 6443,
    token: textAt(cluster, 'token'),
    aescbcSecret: textAt(cluster, 'aescbcEncryptionSecret'),
    secretboxSecret: textAt(cluster, 'secretboxEncryptionSecret'),
    ca: readCertificate(at(cluster, 'ca')),
    acceptedCas: objectsAt(cluster, 'acceptedCAs').map((item) => readCertificate(item).crt),
    aggregatorCa: readCertificate(at(cluster, 'aggregatorCA')),
    serviceAccountKey: readPem(at(cluster, 'serviceAccount', 'key')),
    etcd: readEtcd(at(cluster, 'etcd'), profile),
    dnsDomain: textAt(cluster, 'network', 'dnsDomain') || 'cluster.local',
    podSubnets: orDefault(stringsAt(cluster, 'network', 'podSubnets'), '10.244.0.0/16'),
    serviceSubnets: orDefault(stringsAt(cluster, 'network', 'serviceSubnets'), '10.96.0.0/12'),
    cni: {
      name: textAt(cni, 'name') || 'flannel',
      urls: stringsAt(cni, 'urls'),
      flannelExtraArgs: stringsAt(cni, 'flannel', 'extraArgs'),
    },
    apiServer: {
      ...readComponent(at(cluster, 'apiServer'), images.apiServer),
      ...readApiServer(at(cluster, 'apiServer')),
    },
    controllerManager: readComponent(at(cluster, 'controllerManager'), images.controllerManager),
    scheduler: { ...readComponent(scheduler, images.scheduler), config: objectAt(scheduler, 'config') ?? {} },
    proxy: readProxy(at(cluster, 'proxy'), images.proxy),
    coreDns: {
      disabled: flagAt(cluster, 'coreDNS', 'disabled') ?? false,
      image: textAt(cluster, 'coreDNS', 'image') || images.coreDns,
    },
    discovery: {
      enabled: flagAt(cluster, 'discovery', 'enabled') ?? false,
      kubernetesRegistry: !(flagAt(cluster, 'discovery', 'registries', 'kubernetes', 'disabled') ?? false),
      serviceRegistry: !(flagAt(cluster, 'discovery', 'registries', 'service', 'disabled') ?? false),
      endpoint: textAt(cluster, 'discovery', 'registries', 'service', 'endpoint') || 'https://discovery.talos.dev/',
    },
    adminCertLifetimeUs: parseDurationUs(textAt(cluster, 'adminKubeconfig', 'certLifetime')) || YEAR_US,
    externalCloudProvider: flagAt(cluster, 'externalCloudProvider', 'enabled') ?? false,
    allowSchedulingOnControlPlanes:
      flagAt(cluster, 'allowSchedulingOnControlPlanes') ?? flagAt(cluster, 'allowSchedulingOnMasters') ?? false,
    inlineManifests: objectsAt(cluster, 'inlineManifests').map((manifest) => ({
      name: textAt(manifest, 'name'),
      contents: textAt(manifest, 'contents'),
    })),
  };
}

function readEtcd(etcd: ConfigValue | undefined, profile: Profile): EtcdSettings | null {
  if (!isObject(etcd)) return null;
  return {
    image: textAt(etcd, 'image') || profile.images.etcd,
    ca: readCertificate(at(etcd, 'ca')),
    extraArgs: textMapAt(etcd, 'extraArgs'),
    subnet: textAt(etcd, 'subnet'),
    advertisedSubnets: stringsAt(etcd, 'advertisedSubnets'),
    listenSubnets: stringsAt(etcd, 'listenSubnets'),
  };
}

/** Kubernetes 1.31 and later use nftables unless the config says otherwise (reference/v1.11.3.md 8.5). */
function readProxy(proxy: ConfigValue | undefined, ownImage: string): ClusterSettings['proxy'] {
  const image = textAt(proxy, 'image') || ownImage;
  const version = imageVersion(image);
  const old = typeof version !== 'string' && version.major === 1 && version.minor < 31;
  return {
    disabled: flagAt(proxy, 'disabled') ?? false,
    image,
    mode: textAt(proxy, 'mode') || (old ? 'iptables' : 'nftables'),
    extraArgs: textMapAt(proxy, 'extraArgs'),
  };
}

function readComponent(component: ConfigValue | undefined, image: string): ComponentSettings {
  return {
    image: textAt(component, 'image') || image,
    extraArgs: textMapAt(component, 'extraArgs'),
    env: textMapAt(component, 'env'),
    extraVolumes: objectsAt(component, 'extraVolumes').map((volume) => {
      const mountPath = textAt(volume, 'mountPath');
      return {
        name: mountPath.replace(/[/_.]/g, '-').replace(/^-+|-+$/g, ''),
        hostPath: textAt(volume, 'hostPath'),
        mountPath,
        readonly: flagAt(volume, 'readonly') ?? false,
      };
    }),
    resources: {
      requests: objectAt(component, 'resources', 'requests') ?? {},
      limits: objectAt(component, 'resources', 'limits') ?? {},
    },
  };
}

function readApiServer(apiServer: ConfigValue | undefined): ApiServerSettings {
  return {
    certSans: stringsAt(apiServer, 'certSANs'),
    podSecurityPolicy: !(flagAt(apiServer, 'disablePodSecurityPolicy') ?? false),
    admissionControl: objectsAt(apiServer, 'admissionControl'),
    auditPolicy: objectAt(apiServer, 'auditPolicy') ?? {},
    authorizers: objectsAt(apiServer, 'authorizationConfig'),
  };
}

/** Splits a URL into host and port; a bracketed IPv6 host loses its brackets. */
export function readEndpoint(url: string): Endpoint {
  const authority = url.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/, '');
  const match = /^(\[[^\]]*\]|[^:]*)(?::([0-9]+))?$/.exec(authority);
  const host = (match?.[1] ?? authority).replace(/^\[|\]$/g, '');
  return { url, host, port: match?.[2] === undefined ? 443 : Number(match[2]) };
}

function orDefault(list: readonly string[], fallback: string): readonly string[] {
  return list.length === 0 ? [fallback] : list;
}
