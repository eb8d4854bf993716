import type { ConfigObject, ConfigValue } from '../../config/schema/types.ts';
import { diskMatchExpression } from '../../config/validate/install.ts';
import { at, isObject } from '../../config/view.ts';
import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import type { Profile } from '../profile/profile.ts';
import { flag, integer, object, objects, text, textMap, texts } from './pick.ts';
import { readCluster } from './read-cluster.ts';
import type {
  CertificateAndKey,
  FeatureSettings,
  InstallSettings,
  InterfaceSettings,
  MachineSettings,
  MachineType,
  NodeSettings,
} from './settings.ts';

/** Settings of a decoded v1alpha1 document, defaults of the release filled in (reference/v1.11.3.md 1, 11). */
export function readSettings(document: ConfigObject, profile: Profile): NodeSettings {
  const type = text(at(document, 'machine', 'type'), 'worker');
  const machineType: MachineType = type === 'init' || type === 'controlplane' ? type : 'worker';
  return {
    machineType,
    machine: readMachine(object(at(document, 'machine')), profile),
    cluster: readCluster(object(at(document, 'cluster')), profile),
  };
}

function readMachine(machine: ConfigObject, profile: Profile): MachineSettings {
  const kubelet = at(machine, 'kubelet');
  return {
    token: text(at(machine, 'token')),
    ca: readCertificate(at(machine, 'ca')),
    acceptedCas: objects(at(machine, 'acceptedCAs')).map((item) => readCertificate(item).crt),
    certSans: texts(at(machine, 'certSANs')),
    install: readInstall(at(machine, 'install'), profile),
    network: {
      hostname: text(at(machine, 'network', 'hostname')),
      nameservers: texts(at(machine, 'network', 'nameservers')),
      interfaces: objects(at(machine, 'network', 'interfaces')).map(readInterface),
    },
    kubelet: {
      image: text(at(kubelet, 'image'), profile.images.kubelet),
      clusterDns: texts(at(kubelet, 'clusterDNS')),
      extraArgs: textMap(at(kubelet, 'extraArgs')),
      extraConfig: object(at(kubelet, 'extraConfig')),
      credentialProviderConfig: object(at(kubelet, 'credentialProviderConfig')),
      defaultRuntimeSeccomp: flag(at(kubelet, 'defaultRuntimeSeccompProfileEnabled')),
      registerWithFqdn: flag(at(kubelet, 'registerWithFQDN')),
      validSubnets: texts(at(kubelet, 'nodeIP', 'validSubnets')),
      skipNodeRegistration: flag(at(kubelet, 'skipNodeRegistration')),
      disableManifestsDirectory: flag(at(kubelet, 'disableManifestsDirectory')),
    },
    time: {
      disabled: flag(at(machine, 'time', 'disabled')),
      servers: texts(at(machine, 'time', 'servers')),
      bootTimeoutUs: readDurationUs(text(at(machine, 'time', 'bootTimeout'))),
    },
    features: readFeatures(at(machine, 'features')),
    nodeLabels: textMap(at(machine, 'nodeLabels')),
    nodeAnnotations: textMap(at(machine, 'nodeAnnotations')),
    nodeTaints: textMap(at(machine, 'nodeTaints')),
    env: textMap(at(machine, 'env')),
    pods: objects(at(machine, 'pods')),
    controllerManagerDisabled: flag(at(machine, 'controlPlane', 'controllerManager', 'disabled')),
    schedulerDisabled: flag(at(machine, 'controlPlane', 'scheduler', 'disabled')),
  };
}

function readInstall(install: ConfigValue | undefined, profile: Profile): InstallSettings | null {
  if (!isObject(install)) return null;
  const match = diskMatchExpression(install);
  return {
    disk: text(at(install, 'disk')),
    diskMatch: match !== undefined && 'expression' in match ? match.expression : undefined,
    image: text(at(install, 'image'), profile.images.installer),
    wipe: flag(at(install, 'wipe')),
  };
}

function readInterface(device: ConfigObject): InterfaceSettings {
  const selector = at(device, 'deviceSelector');
  const legacyAddress = text(at(device, 'cidr'));
  return {
    name: text(at(device, 'interface')),
    selector: isObject(selector) ? selector : null,
    ignore: flag(at(device, 'ignore')),
    addresses: [...texts(at(device, 'addresses')), ...(legacyAddress === '' ? [] : [legacyAddress])],
    dhcp: flag(at(device, 'dhcp')),
    mtuBytes: integer(at(device, 'mtu'), 0),
    routes: objects(at(device, 'routes')).map((route) => ({
      network: text(at(route, 'network')),
      gateway: text(at(route, 'gateway')),
      metric: integer(at(route, 'metric'), 1024),
    })),
    vip: text(at(device, 'vip', 'ip')),
  };
}

function readFeatures(features: ConfigValue | undefined): FeatureSettings {
  return {
    rbac: flag(at(features, 'rbac')),
    stableHostname: flag(at(features, 'stableHostname')),
    apidCheckExtKeyUsage: flag(at(features, 'apidCheckExtKeyUsage')),
    diskQuota: flag(at(features, 'diskQuotaSupport')),
    kubePrism: {
      enabled: flag(at(features, 'kubePrism', 'enabled')),
      port: integer(at(features, 'kubePrism', 'port'), 7445),
    },
    hostDns: {
      enabled: flag(at(features, 'hostDNS', 'enabled')),
      forwardKubeDns: flag(at(features, 'hostDNS', 'forwardKubeDNSToHost')),
    },
    sortAlgorithm: text(at(features, 'nodeAddressSortAlgorithm'), 'v1') === 'v2' ? 'v2' : 'v1',
  };
}

/** Configs carry base64 of PEM. */
export function readCertificate(value: ConfigValue | undefined): CertificateAndKey {
  return { crt: readPem(at(value, 'crt')), key: readPem(at(value, 'key')) };
}

export function readPem(value: ConfigValue | undefined): string {
  const bytes = decodeBase64(text(value));
  return bytes === null ? '' : utf8Decode(bytes);
}

const UNIT_US: Readonly<Record<string, number>> = Object.freeze({
  h: 3_600_000_000,
  m: 60_000_000,
  s: 1_000_000,
  ms: 1_000,
  us: 1,
  µs: 1,
});

/** Go's duration text in microseconds; 0 for what is none. */
export function readDurationUs(duration: string): number {
  let total = 0;
  for (const [, count, unit] of duration.matchAll(/([0-9]+(?:\.[0-9]+)?)(h|ms|us|µs|m|s)/g)) {
    total += Math.round(Number(count) * UNIT_US[unit!]!);
  }
  return total;
}
