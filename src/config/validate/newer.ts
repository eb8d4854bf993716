/**
 * Documents of v1.12 and later (reference/network-config.md E.4 and E.6). The conditions are the reference's; where it
 * does not give the words of a message, they are ours.
 */

import { goQuote } from '../../platform/text/quote.ts';
import type { Path } from '../errors.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { parseAddress, parsePrefix } from '../text/ip.ts';
import { at, flagAt, listAt, numberAt, stringsAt, textAt } from '../view.ts';
import type { DocumentCheck, Report } from './report.ts';

const nameSet = (value: ConfigObject, report: Report): void => {
  if (textAt(value, 'name') === '') {
    report(['name'], 'name must be specified');
  }
};

/** A check of the name, and of fields that must be set. */
function required(...keys: readonly string[]): DocumentCheck {
  return (value, report) => {
    for (const key of keys) {
      if (isUnset(at(value, ...key.split('.')))) {
        report(key.split('.'), `${key} must be specified`);
      }
    }
  };
}

function isUnset(value: ConfigValue | undefined): boolean {
  return value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
}

function all(...checks: readonly DocumentCheck[]): DocumentCheck {
  return (value, report, minor) => {
    for (const check of checks) {
      check(value, report, minor);
    }
  };
}

const unspecified = (text: string): boolean => {
  const address = parseAddress(text);
  return address?.bytes.every((byte) => byte === 0) === true;
};

const checkLink: DocumentCheck = (value, report) => {
  nameSet(value, report);
  for (const [index, item] of listAt(value, 'addresses').entries()) {
    const address = textAt(item, 'address');
    if (parsePrefix(address) === undefined || unspecified(address.split('/')[0]!)) {
      report(['addresses', index, 'address'], `address ${index} must be a valid IP prefix`);
    }
  }
  for (const [index, route] of listAt(value, 'routes').entries()) {
    for (const key of ['destination', 'gateway', 'source']) {
      const text = textAt(route, key);
      if (text !== '' && unspecified(text.split('/')[0]!)) {
        report(['routes', index, key], `route ${index} ${key} must be valid`);
      }
    }
  }
};

const PRIMARY_MODES: readonly string[] = Object.freeze(['active-backup', 'balance-tlb', 'balance-alb']);

const checkBond: DocumentCheck = (value, report, minor) => {
  checkLink(value, report, minor);
  const mode = textAt(value, 'bondMode');
  const links = stringsAt(value, 'links');
  const primary = at(value, 'primary');
  if (links.length === 0) {
    report(['links'], 'at least one link must be specified');
  }
  if (mode === '') {
    report(['bondMode'], 'bond mode must be specified');
  }
  if (primary !== undefined) {
    if (primary === '' || !links.includes(primary as string)) {
      report(['primary'], 'primary must be one of the links');
    }
    if (!PRIMARY_MODES.includes(mode)) {
      report(['primary'], `primary is not used in bond mode ${mode}`);
    }
  } else if (at(value, 'primaryReselect') !== undefined && PRIMARY_MODES.includes(mode)) {
    report(['primaryReselect'], 'primaryReselect is set without primary', 'warning');
  }
  for (const key of mode === '802.3ad' ? ['miimon', 'updelay', 'downdelay'] : []) {
    if (at(value, key) === undefined) {
      report([key], `${key} should be set in bond mode 802.3ad`, 'warning');
    }
  }
};

const checkVlan: DocumentCheck = (value, report, minor) => {
  checkLink(value, report, minor);
  const id = numberAt(value, 'vlanID');
  if (id < 1 || id > 4094) {
    report(['vlanID'], 'VLAN ID must be between 1 and 4094');
  }
  required('parent')(value, report, minor);
};

const checkDhcp: DocumentCheck = (value, report) => {
  nameSet(value, report);
  const isDuid = textAt(value, 'clientIdentifier') === 'duid';
  if (isDuid !== (textAt(value, 'duidRaw') !== '')) {
    report(['duidRaw'], 'duidRaw must be set exactly when clientIdentifier is duid');
  }
};

const MAX_FQDN = 253;
const MAX_LABEL = 63;

const checkHostname: DocumentCheck = (value, report) => {
  const auto = textAt(value, 'auto');
  const hostname = textAt(value, 'hostname');
  if (auto === '' && hostname === '') {
    report([], "either 'auto' or 'hostname' must be set");
  }
  if (auto !== '' && auto !== 'off' && hostname !== '') {
    report(['hostname'], "'auto' and 'hostname' cannot be set at the same time");
  }
  const label = hostname.split('.')[0]!;
  if (hostname !== '' && (hostname.length > MAX_FQDN || label === '' || label.length > MAX_LABEL)) {
    report(['hostname'], `invalid hostname ${goQuote(hostname)}`);
  }
};

const checkResolver: DocumentCheck = (value, report) => {
  const servers = listAt(value, 'nameservers');
  const encrypted = servers.filter((server) => ['DoT', 'DoH'].includes(textAt(server, 'protocol')));
  for (const [index, server] of servers.entries()) {
    if (textAt(server, 'address') === '') {
      report(['nameservers', index, 'address'], `nameserver ${index} address must be valid`);
    }
    if (encrypted.includes(server) !== (textAt(server, 'tlsServerName') !== '')) {
      report(['nameservers', index, 'tlsServerName'], 'tlsServerName must be set exactly with DoT and DoH');
    }
  }
  if (flagAt(value, 'hostDNS', 'enabled') !== true) {
    for (const key of ['forwardKubeDNSToHost', 'resolveMemberNames']) {
      if (flagAt(value, 'hostDNS', key) === true) {
        report(['hostDNS', key], `${key} needs hostDNS.enabled`);
      }
    }
  }
  if (servers.length > 0 && encrypted.length === servers.length) {
    report(['nameservers'], 'all name servers are encrypted', 'warning');
  }
};

const checkTime: DocumentCheck = (value, report) => {
  if (at(value, 'ntp') !== undefined && at(value, 'ptp') !== undefined) {
    report([], 'ntp and ptp cannot be set at the same time');
  }
  notNegative('bootTimeout')(value, report, 0);
};

function notNegative(...keys: readonly string[]): DocumentCheck {
  return (value, report) => {
    for (const key of keys) {
      const held = at(value, key);
      if ((typeof held === 'string' && held.startsWith('-')) || (typeof held === 'number' && held < 0)) {
        report([key], `${key} must not be negative`);
      }
    }
  };
}

const nameIs = (what: string, test: (text: string) => boolean): DocumentCheck => {
  return (value, report) => {
    if (!test(textAt(value, 'name'))) {
      report(['name'], `name must be ${what}`);
    }
  };
};
const nameIsAddress = nameIs('an IP address', (text) => parseAddress(text) !== undefined);

const checkMirror: DocumentCheck = (value, report) => {
  nameSet(value, report);
  for (const [index, endpoint] of listAt(value, 'endpoints').entries()) {
    if (!/^https?:\/\/./.test(textAt(endpoint, 'url'))) {
      report(['endpoints', index, 'url'], `endpoint ${index} must be an http or https URL`);
    }
  }
};

const checkEnvironment: DocumentCheck = (value, report) => {
  for (const name of Object.keys((at(value, 'variables') as ConfigObject | undefined) ?? {})) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      report(['variables', name], `invalid environment variable name ${goQuote(name)}`);
    }
  }
};

const checkKubeSpan: DocumentCheck = (value, report) => {
  const mtu = at(value, 'mtu');
  if (typeof mtu === 'number' && mtu < 1280) {
    report(['mtu'], 'kubespan link MTU must be at least 1280');
  }
};

/** Checks by kind. */
export const newerChecks: Readonly<Record<string, DocumentCheck>> = Object.freeze({
  LinkConfig: checkLink,
  DummyLinkConfig: checkLink,
  BridgeConfig: checkLink,
  BondConfig: checkBond,
  VLANConfig: checkVlan,
  VRFConfig: all(checkLink, required('table')),
  VethConfig: all(checkLink, required('peer.name')),
  WireguardConfig: all(checkLink, required('privateKey')),
  LinkAliasConfig: all(nameSet, required('selector.match')),
  DHCPv4Config: checkDhcp,
  DHCPv6Config: checkDhcp,
  HostnameConfig: checkHostname,
  ResolverConfig: checkResolver,
  StaticHostConfig: all(nameIsAddress, required('hostnames')),
  TimeSyncConfig: checkTime,
  KubeSpanConfig: checkKubeSpan,
  Layer2VIPConfig: all(nameIsAddress, required('link')),
  HCloudVIPConfig: all(nameIsAddress, required('link', 'apiToken')),
  TCPProbeConfig: all(nameSet, required('endpoint'), notNegative('interval', 'failureThreshold', 'timeout')),
  HTTPProbeConfig: all(nameSet, required('url'), notNegative('interval', 'failureThreshold', 'timeout')),
  BlackholeRouteConfig: nameIs('a prefix', (text) => parsePrefix(text) !== undefined),
  BGPInstanceConfig: all(nameSet, required('localASN')),
  RegistryAuthConfig: nameSet,
  RegistryTLSConfig: nameSet,
  RegistryMirrorConfig: checkMirror,
  EnvironmentConfig: checkEnvironment,
  OOMConfig: notNegative('sampleInterval'),
  KubeClusterConfig: required('clusterName', 'endpoint'),
  KubeletConfig: required('image'),
  KubeAPIServerConfig: required('image'),
  KubeAggregatorCAConfig: required('issuingCA'),
  KubeAdmissionControlConfig: nameSet,
  KubeAuthorizerConfig: nameSet,
  KubeFlannelCNIConfig: required('backendType'),
  KubeEtcdEncryptionConfig: required('config'),
  KubeServiceAccountConfig: required('issuer.privateKey'),
  DiscoveryServiceConfig: all(nameSet, required('endpoint')),
  DiscoveryIdentityConfig: required('clusterID', 'clusterSecret'),
  ExternalVolumeConfig: all(nameSet, required('mount.virtiofs.tag')),
  KernelModuleConfig: nameSet,
  UnattendedInstallConfig: required('provisioning.diskSelector.match'),
  LVMVolumeGroupConfig: all(nameSet, required('provisioning.volumeSelector.match')),
  RAIDArrayConfig: all(nameSet, required('provisioning.volumeSelector.match')),
  LVMLogicalVolumeConfig: all(nameSet, required('provisioning.volumeGroup', 'provisioning.maxSize')),
});

/** Settings of the legacy document that a kind takes over, with the words for it where the reference has them. */
export const takenOver: Readonly<Record<string, readonly (readonly [path: string, message?: string])[]>> =
  Object.freeze({
    HostnameConfig: [
      ['machine.network.hostname', 'static hostname is already set in v1alpha1 config'],
      ['machine.features.stableHostname', 'stable hostname is already set in v1alpha1 config'],
    ],
    ResolverConfig: [
      ['machine.network.nameservers'],
      ['machine.network.searchDomains'],
      ['machine.network.disableSearchDomain'],
    ],
    TimeSyncConfig: [['machine.time.disabled'], ['machine.time.servers'], ['machine.time.bootTimeout']],
    KubeSpanConfig: [['machine.network.kubespan']],
    KubeClusterConfig: [['cluster.clusterName'], ['cluster.controlPlane.endpoint']],
    KubeNetworkConfig: [['cluster.network']],
    KubeletConfig: [['machine.kubelet']],
    KubePrismConfig: [['machine.features.kubePrism']],
    KubeAPIServerConfig: [['cluster.apiServer'], ['cluster.controlPlane.localAPIServerPort']],
    KubeAPIServerCAConfig: [['cluster.ca']],
    KubeAggregatorCAConfig: [['cluster.aggregatorCA']],
    KubeControllerManagerConfig: [['cluster.controllerManager'], ['machine.controlPlane.controllerManager']],
    KubeSchedulerConfig: [['cluster.scheduler'], ['machine.controlPlane.scheduler']],
    KubeProxyConfig: [['cluster.proxy']],
    KubeFlannelCNIConfig: [['cluster.network']],
    KubeCoreDNSConfig: [['cluster.coreDNS']],
    KubeServiceAccountConfig: [['cluster.serviceAccount']],
    KubeEtcdEncryptionConfig: [['cluster.secretboxEncryptionSecret'], ['cluster.aescbcEncryptionSecret']],
    KubeTalosAPIAccessConfig: [['machine.features.kubernetesTalosAPIAccess']],
    KubeCredentialProviderConfig: [['machine.kubelet']],
    DiscoveryServiceConfig: [['cluster.discovery']],
    DiscoveryIdentityConfig: [['cluster.id'], ['cluster.secret']],
    ImageCacheConfig: [['machine.features.imageCacheSupport']],
    UnattendedInstallConfig: [['machine.install']],
  });

/** Clashes of a document with the legacy one. */
export function takenOverProblems(kind: string, legacy: ConfigObject): { path: Path; message: string }[] {
  const entries = Object.hasOwn(takenOver, kind) ? takenOver[kind]! : [];
  return entries.flatMap(([path, message]) => {
    const keys = path.split('.');
    const held = at(legacy, ...keys);
    const isSet = held !== undefined && held !== false && !(Array.isArray(held) && held.length === 0);
    return isSet ? [{ path: keys, message: message ?? `${path} is already set in v1alpha1 config` }] : [];
  });
}
