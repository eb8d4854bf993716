import type { ConfigObject, ConfigValue } from '../../config/schema/types.ts';
import { imageVersion } from '../../config/validate/kubernetes.ts';
import { at, isObject } from '../../config/view.ts';
import type { Profile } from '../profile/profile.ts';
import { flag, integer, object, objects, text, textMap, texts } from './pick.ts';
import { readCertificate, readPem } from './read.ts';
import type { ApiServerSettings, ClusterSettings, ComponentSettings, Endpoint, EtcdSettings } from './settings.ts';

/** The `cluster` section with defaults filled in. */
export function readCluster(cluster: ConfigObject, profile: Profile): ClusterSettings {
  const { images } = profile;
  const cni = at(cluster, 'network', 'cni');
  const scheduler = at(cluster, 'scheduler');
  return {
    name: text(at(cluster, 'clusterName')),
    id: text(at(cluster, 'id')),
    secret: text(at(cluster, 'secret')),
    endpoint: readEndpoint(text(at(cluster, 'controlPlane', 'endpoint'))),
    apiPort: integer(at(cluster, 'controlPlane', 'localAPIServerPort'), 6443),
    token: text(at(cluster, 'token')),
    aescbcSecret: text(at(cluster, 'aescbcEncryptionSecret')),
    secretboxSecret: text(at(cluster, 'secretboxEncryptionSecret')),
    ca: readCertificate(at(cluster, 'ca')),
    acceptedCas: objects(at(cluster, 'acceptedCAs')).map((item) => readCertificate(item).crt),
    aggregatorCa: readCertificate(at(cluster, 'aggregatorCA')),
    serviceAccountKey: readPem(at(cluster, 'serviceAccount', 'key')),
    etcd: readEtcd(at(cluster, 'etcd'), profile),
    dnsDomain: text(at(cluster, 'network', 'dnsDomain'), 'cluster.local'),
    podSubnets: orDefault(texts(at(cluster, 'network', 'podSubnets')), '10.244.0.0/16'),
    serviceSubnets: orDefault(texts(at(cluster, 'network', 'serviceSubnets')), '10.96.0.0/12'),
    cni: {
      name: text(at(cni, 'name'), 'flannel'),
      urls: texts(at(cni, 'urls')),
      flannelExtraArgs: texts(at(cni, 'flannel', 'extraArgs')),
    },
    apiServer: {
      ...readComponent(at(cluster, 'apiServer'), images.apiServer),
      ...readApiServer(at(cluster, 'apiServer')),
    },
    controllerManager: readComponent(at(cluster, 'controllerManager'), images.controllerManager),
    scheduler: { ...readComponent(scheduler, images.scheduler), config: object(at(scheduler, 'config')) },
    proxy: readProxy(at(cluster, 'proxy'), images.proxy),
    coreDns: {
      disabled: flag(at(cluster, 'coreDNS', 'disabled')),
      image: text(at(cluster, 'coreDNS', 'image'), images.coreDns),
    },
    discovery: {
      enabled: flag(at(cluster, 'discovery', 'enabled')),
      kubernetesRegistry: !flag(at(cluster, 'discovery', 'registries', 'kubernetes', 'disabled')),
      serviceRegistry: !flag(at(cluster, 'discovery', 'registries', 'service', 'disabled')),
      endpoint: text(at(cluster, 'discovery', 'registries', 'service', 'endpoint'), 'https://discovery.talos.dev/'),
    },
    externalCloudProvider: flag(at(cluster, 'externalCloudProvider', 'enabled')),
    allowSchedulingOnControlPlanes:
      flag(at(cluster, 'allowSchedulingOnControlPlanes')) || flag(at(cluster, 'allowSchedulingOnMasters')),
    inlineManifests: objects(at(cluster, 'inlineManifests')).map((manifest) => ({
      name: text(at(manifest, 'name')),
      contents: text(at(manifest, 'contents')),
    })),
  };
}

function readEtcd(etcd: ConfigValue | undefined, profile: Profile): EtcdSettings | null {
  if (!isObject(etcd)) return null;
  return {
    image: text(at(etcd, 'image'), profile.images.etcd),
    ca: readCertificate(at(etcd, 'ca')),
    extraArgs: textMap(at(etcd, 'extraArgs')),
    subnet: text(at(etcd, 'subnet')),
    advertisedSubnets: texts(at(etcd, 'advertisedSubnets')),
    listenSubnets: texts(at(etcd, 'listenSubnets')),
  };
}

/** Kubernetes 1.31 and later use nftables unless the config says otherwise (reference/v1.11.3.md 8.5). */
function readProxy(proxy: ConfigValue | undefined, ownImage: string): ClusterSettings['proxy'] {
  const image = text(at(proxy, 'image'), ownImage);
  const version = imageVersion(image);
  const old = typeof version !== 'string' && version.major === 1 && version.minor < 31;
  return {
    disabled: flag(at(proxy, 'disabled')),
    image,
    mode: text(at(proxy, 'mode'), old ? 'iptables' : 'nftables'),
    extraArgs: textMap(at(proxy, 'extraArgs')),
  };
}

function readComponent(component: ConfigValue | undefined, image: string): ComponentSettings {
  return {
    image: text(at(component, 'image'), image),
    extraArgs: textMap(at(component, 'extraArgs')),
    env: textMap(at(component, 'env')),
    extraVolumes: objects(at(component, 'extraVolumes')).map((volume) => {
      const mountPath = text(at(volume, 'mountPath'));
      return {
        name: mountPath.replace(/[/_.]/g, '-').replace(/^-+|-+$/g, ''),
        hostPath: text(at(volume, 'hostPath')),
        mountPath,
        readonly: flag(at(volume, 'readonly')),
      };
    }),
    resources: {
      requests: object(at(component, 'resources', 'requests')),
      limits: object(at(component, 'resources', 'limits')),
    },
  };
}

function readApiServer(apiServer: ConfigValue | undefined): ApiServerSettings {
  return {
    certSans: texts(at(apiServer, 'certSANs')),
    podSecurityPolicy: !flag(at(apiServer, 'disablePodSecurityPolicy')),
    admissionControl: objects(at(apiServer, 'admissionControl')),
    auditPolicy: object(at(apiServer, 'auditPolicy')),
    authorizers: objects(at(apiServer, 'authorizationConfig')),
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
