import type { ConfigObject, ConfigValue } from '../../config/schema/types.ts';
import { diskMatchExpression } from '../../config/validate/install.ts';
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
import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import { parseDurationUs } from '../../platform/text/duration.ts';
import { KUBESPAN_MTU_BYTES } from '../kubespan/constants.ts';
import type { Profile } from '../profile/profile.ts';
import { readCluster } from './read-cluster.ts';
import type {
  CertificateAndKey,
  FeatureSettings,
  InstallSettings,
  InterfaceSettings,
  KubeSpanSettings,
  MachineSettings,
  MachineType,
  NodeSettings,
} from './settings.ts';

/**
 * Settings of a decoded v1alpha1 document, defaults of the release filled in (reference/v1.11.3.md 1, 11).
 * `kubeSpanEndpoints`: the documents of that kind beside it.
 */
export function readSettings(
  document: ConfigObject,
  profile: Profile,
  kubeSpanEndpoints: readonly ConfigObject[] = [],
): NodeSettings {
  const type = textAt(document, 'machine', 'type') || 'worker';
  const machineType: MachineType = type === 'init' || type === 'controlplane' ? type : 'worker';
  return {
    machineType,
    machine: readMachine(objectAt(document, 'machine') ?? {}, profile, kubeSpanEndpoints),
    cluster: readCluster(objectAt(document, 'cluster') ?? {}, profile),
  };
}

function readMachine(
  machine: ConfigObject,
  profile: Profile,
  kubeSpanEndpoints: readonly ConfigObject[],
): MachineSettings {
  const kubelet = at(machine, 'kubelet');
  return {
    token: textAt(machine, 'token'),
    ca: readCertificate(at(machine, 'ca')),
    acceptedCas: objectsAt(machine, 'acceptedCAs').map((item) => readCertificate(item).crt),
    certSans: stringsAt(machine, 'certSANs'),
    install: readInstall(at(machine, 'install'), profile),
    network: {
      hostname: textAt(machine, 'network', 'hostname'),
      nameservers: stringsAt(machine, 'network', 'nameservers'),
      interfaces: objectsAt(machine, 'network', 'interfaces').map(readInterface),
      kubeSpan: readKubeSpan(at(machine, 'network', 'kubespan'), kubeSpanEndpoints),
    },
    kubelet: {
      image: textAt(kubelet, 'image') || profile.images.kubelet,
      clusterDns: stringsAt(kubelet, 'clusterDNS'),
      extraArgs: textMapAt(kubelet, 'extraArgs'),
      extraConfig: objectAt(kubelet, 'extraConfig') ?? {},
      credentialProviderConfig: objectAt(kubelet, 'credentialProviderConfig') ?? {},
      defaultRuntimeSeccomp: flagAt(kubelet, 'defaultRuntimeSeccompProfileEnabled') ?? false,
      registerWithFqdn: flagAt(kubelet, 'registerWithFQDN') ?? false,
      validSubnets: stringsAt(kubelet, 'nodeIP', 'validSubnets'),
      skipNodeRegistration: flagAt(kubelet, 'skipNodeRegistration') ?? false,
      disableManifestsDirectory: flagAt(kubelet, 'disableManifestsDirectory') ?? false,
    },
    time: {
      disabled: flagAt(machine, 'time', 'disabled') ?? false,
      servers: stringsAt(machine, 'time', 'servers'),
      bootTimeoutUs: parseDurationUs(textAt(machine, 'time', 'bootTimeout')) ?? 0,
    },
    features: readFeatures(at(machine, 'features')),
    nodeLabels: textMapAt(machine, 'nodeLabels'),
    nodeAnnotations: textMapAt(machine, 'nodeAnnotations'),
    nodeTaints: textMapAt(machine, 'nodeTaints'),
    env: textMapAt(machine, 'env'),
    pods: objectsAt(machine, 'pods'),
    controllerManagerDisabled: flagAt(machine, 'controlPlane', 'controllerManager', 'disabled') ?? false,
    schedulerDisabled: flagAt(machine, 'controlPlane', 'scheduler', 'disabled') ?? false,
  };
}

function readInstall(install: ConfigValue | undefined, profile: Profile): InstallSettings | null {
  if (!isObject(install)) return null;
  const match = diskMatchExpression(install);
  return {
    disk: textAt(install, 'disk'),
    diskMatch: match !== undefined && 'expression' in match ? match.expression : undefined,
    image: textAt(install, 'image') || profile.images.installer,
    wipe: flagAt(install, 'wipe') ?? false,
  };
}

function readInterface(device: ConfigObject): InterfaceSettings {
  const selector = at(device, 'deviceSelector');
  const legacyAddress = textAt(device, 'cidr');
  return {
    name: textAt(device, 'interface'),
    selector: isObject(selector) ? selector : null,
    ignore: flagAt(device, 'ignore') ?? false,
    addresses: [...stringsAt(device, 'addresses'), ...(legacyAddress === '' ? [] : [legacyAddress])],
    dhcp: flagAt(device, 'dhcp') ?? false,
    mtuBytes: numberAt(device, 'mtu'),
    routes: objectsAt(device, 'routes').map((route) => ({
      network: textAt(route, 'network'),
      gateway: textAt(route, 'gateway'),
      metric: numberAt(route, 'metric') || 1024,
    })),
    vip: textAt(device, 'vip', 'ip'),
  };
}

function readKubeSpan(kubeSpan: ConfigValue | undefined, kubeSpanEndpoints: readonly ConfigObject[]): KubeSpanSettings {
  return {
    enabled: flagAt(kubeSpan, 'enabled') ?? false,
    advertiseKubernetesNetworks: flagAt(kubeSpan, 'advertiseKubernetesNetworks') ?? false,
    allowDownPeerBypass: flagAt(kubeSpan, 'allowDownPeerBypass') ?? false,
    harvestExtraEndpoints: flagAt(kubeSpan, 'harvestExtraEndpoints') ?? false,
    mtuBytes: numberAt(kubeSpan, 'mtu') || KUBESPAN_MTU_BYTES,
    endpointFilters: stringsAt(kubeSpan, 'filters', 'endpoints'),
    extraEndpoints: kubeSpanEndpoints.flatMap((document) => stringsAt(document, 'extraAnnouncedEndpoints')),
  };
}

function readFeatures(features: ConfigValue | undefined): FeatureSettings {
  return {
    rbac: flagAt(features, 'rbac') ?? false,
    stableHostname: flagAt(features, 'stableHostname') ?? false,
    apidCheckExtKeyUsage: flagAt(features, 'apidCheckExtKeyUsage') ?? false,
    diskQuota: flagAt(features, 'diskQuotaSupport') ?? false,
    kubePrism: {
      enabled: flagAt(features, 'kubePrism', 'enabled') ?? false,
      port: numberAt(features, 'kubePrism', 'port') || 7445,
    },
    hostDns: {
      enabled: flagAt(features, 'hostDNS', 'enabled') ?? false,
      forwardKubeDns: flagAt(features, 'hostDNS', 'forwardKubeDNSToHost') ?? false,
    },
    sortAlgorithm: textAt(features, 'nodeAddressSortAlgorithm').toLowerCase() === 'v2' ? 'v2' : 'v1',
  };
}

/** Configs carry base64 of PEM. */
export function readCertificate(value: ConfigValue | undefined): CertificateAndKey {
  return { crt: readPem(at(value, 'crt')), key: readPem(at(value, 'key')) };
}

export function readPem(value: ConfigValue | undefined): string {
  const bytes = decodeBase64(textAt(value));
  return bytes === null ? '' : utf8Decode(bytes);
}
