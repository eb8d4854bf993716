/** Rules of `cluster` (reference/network-config.md E.5, Cluster part; v1.11.3.md 11.4). */

import { goQuote } from '../../platform/text/quote.ts';
import { parseUrl } from '../../platform/text/url.ts';
import type { Path } from '../errors.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { parsePrefixOrAddress } from '../text/ip.ts';
import { endpointProblem } from '../text/url.ts';
import { at, flagAt, keysAt, listAt, objectAt, stringsAt, textAt } from '../view.ts';
import type { Findings } from './findings.ts';

const DNS_NAME = /^([a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*[._]?$/;

export function checkCluster(
  findings: Findings,
  cluster: ConfigObject | undefined,
  controlPlane: boolean,
  minor: number,
): void {
  if (cluster === undefined) {
    findings.error(['cluster'], 'cluster instructions are required');
    return;
  }
  const endpoint = at(cluster, 'controlPlane', 'endpoint');
  const given = objectAt(cluster, 'controlPlane') !== undefined;
  if (endpoint === undefined && (given || minor < 14)) {
    findings.error(['cluster', 'controlPlane', 'endpoint'], 'cluster controlplane endpoint is required');
    return;
  }
  const problem = endpoint === undefined ? undefined : endpointProblem(String(endpoint));
  if (problem !== undefined) {
    findings.error(['cluster', 'controlPlane', 'endpoint'], `invalid controlplane endpoint: ${problem}`);
  }
  const domain = textAt(cluster, 'network', 'dnsDomain');
  if (domain !== '' && !isDnsName(domain)) {
    findings.error(['cluster', 'network', 'dnsDomain'], `${goQuote(domain)} is not a valid DNS name`);
  }
  checkCloudProvider(findings, objectAt(cluster, 'externalCloudProvider'));
  checkEtcd(findings, objectAt(cluster, 'etcd'), controlPlane);
  if (!controlPlane && textAt(cluster, 'ca', 'key') !== '') {
    findings.error(['cluster', 'ca'], 'cluster CA key is not allowed on non-controlplane nodes (.cluster.ca)');
  }
  checkInlineManifests(findings, listAt(cluster, 'inlineManifests'));
  checkDiscovery(findings, cluster);
  checkApiServer(findings, objectAt(cluster, 'apiServer'));
  checkResources(findings, cluster, 'controllerManager', 'controller-manager');
  checkResources(findings, cluster, 'scheduler', 'scheduler');
}

function isDnsName(name: string): boolean {
  return name.replaceAll('.', '').length <= 255 && DNS_NAME.test(name);
}

function checkCloudProvider(findings: Findings, provider: ConfigObject | undefined): void {
  const manifests = stringsAt(provider, 'manifests');
  const path: Path = ['cluster', 'externalCloudProvider', 'manifests'];
  if (provider !== undefined && flagAt(provider, 'enabled') !== true && manifests.length > 0) {
    findings.error(path, 'external cloud provider is disabled, but manifests are provided');
    return;
  }
  for (const [index, url] of manifests.entries()) {
    const problem = endpointProblem(url);
    if (problem !== undefined) {
      findings.error([...path, index], `invalid external cloud provider manifest url ${goQuote(url)}: ${problem}`);
    }
  }
}

function checkEtcd(findings: Findings, etcd: ConfigObject | undefined, controlPlane: boolean): void {
  if (etcd === undefined) {
    return;
  }
  if (!controlPlane) {
    findings.error(['cluster', 'etcd'], 'etcd config is only allowed on control plane machines');
    return;
  }
  if (objectAt(etcd, 'ca') === undefined) {
    findings.error(['cluster', 'etcd', 'ca'], 'key/cert combination should not be empty');
  }
  const subnet = textAt(etcd, 'subnet');
  const advertised = stringsAt(etcd, 'advertisedSubnets');
  if (subnet !== '' && advertised.length > 0) {
    findings.error(['cluster', 'etcd', 'subnet'], "etcd subnet can't be set when advertised subnets are set");
  }
  const effective = advertised.length > 0 ? advertised : subnet === '' ? [] : [subnet];
  const listen = stringsAt(etcd, 'listenSubnets');
  checkSubnets(findings, ['cluster', 'etcd', 'advertisedSubnets'], effective, 'etcd advertised subnet is not valid');
  // Listen subnets default to the advertised ones, so a bad one of those is told twice.
  const listenPath: Path = ['cluster', 'etcd', listen.length > 0 ? 'listenSubnets' : 'advertisedSubnets'];
  checkSubnets(findings, listenPath, listen.length > 0 ? listen : effective, 'etcd listen subnet is not valid');
}

/** Each entry, without a leading `!`, must be a prefix or an address. */
export function checkSubnets(
  findings: Pick<Findings, 'error'>,
  path: Path,
  subnets: readonly string[],
  refusal: string,
): void {
  for (const [index, subnet] of subnets.entries()) {
    const bare = subnet.startsWith('!') ? subnet.slice(1) : subnet;
    if (parsePrefixOrAddress(bare) === undefined) {
      findings.error([...path, index], `${refusal}: ${goQuote(bare)}`);
    }
  }
}

function checkInlineManifests(findings: Findings, manifests: readonly ConfigValue[]): void {
  const seen = new Set<string>();
  for (const [index, manifest] of manifests.entries()) {
    const name = textAt(manifest, 'name');
    const path: Path = ['cluster', 'inlineManifests', index, 'name'];
    if (name.trim() === '') {
      findings.error(path, "inline manifest name can't be empty");
    }
    if (seen.has(name)) {
      findings.error(path, `inline manifest name ${goQuote(name)} is duplicate`);
    }
    seen.add(name);
  }
}

const DEFAULT_SERVICE = 'https://discovery.talos.dev/';

function checkDiscovery(findings: Findings, cluster: ConfigObject): void {
  const discovery = objectAt(cluster, 'discovery');
  if (flagAt(discovery, 'enabled') !== true || flagAt(discovery, 'registries', 'service', 'disabled') === true) {
    return;
  }
  const path: Path = ['cluster', 'discovery', 'registries', 'service', 'endpoint'];
  const endpoint = textAt(discovery, 'registries', 'service', 'endpoint') || DEFAULT_SERVICE;
  const url = requestUri(endpoint);
  if (typeof url === 'string') {
    findings.error(path, `cluster discovery service registry endpoint is invalid: ${url}`);
  } else if (url.path !== '' && url.path !== '/') {
    findings.error(path, 'cluster discovery service path should be empty');
  }
  if (textAt(cluster, 'id') === '') {
    findings.error(['cluster', 'id'], 'cluster discovery service requires .cluster.id');
  }
  if (textAt(cluster, 'secret') === '') {
    findings.error(['cluster', 'secret'], 'cluster discovery service requires .cluster.secret');
  }
}

/** Go's `url.ParseRequestURI`: an absolute URL or an absolute path. */
function requestUri(text: string): { readonly path: string } | string {
  const url = parseUrl(text);
  if (typeof url === 'string') {
    return url;
  }
  const absolute = url.scheme !== '' || url.path.startsWith('/') || url.host !== '';
  return absolute && url.opaque === '' ? url : `parse ${goQuote(text)}: invalid URI for request`;
}

const AUTHORIZERS: readonly string[] = Object.freeze(['Node', 'RBAC', 'Webhook']);

function checkApiServer(findings: Findings, apiServer: ConfigObject | undefined): void {
  const problem = apiServer === undefined ? undefined : apiServerProblem(apiServer);
  if (problem !== undefined) {
    findings.error(['cluster', 'apiServer', problem[0]], problem[1]);
  }
}

/** Only the first problem is told. */
function apiServerProblem(apiServer: ConfigObject): readonly [field: string, message: string] | undefined {
  const authorizers = at(apiServer, 'authorizationConfig');
  if (authorizers !== undefined) {
    const conflict = authorizationArgument(keysAt(apiServer, 'extraArgs'));
    if (conflict !== undefined) {
      return ['extraArgs', conflict];
    }
  }
  for (const authorizer of listAt(apiServer, 'authorizationConfig')) {
    const wrong = authorizerProblem(textAt(authorizer, 'type'), textAt(authorizer, 'name'));
    if (wrong !== undefined) {
      return ['authorizationConfig', `apiserver authorization config validation failed: ${wrong}`];
    }
  }
  const resource = resourceProblem(objectAt(apiServer, 'resources'));
  return resource === undefined ? undefined : ['resources', `apiserver resource validation failed: ${resource}`];
}

function authorizationArgument(names: readonly string[]): string | undefined {
  if (names.includes('authorization-mode')) {
    return 'authorization-mode cannot be used in conjunction with AuthorizationConfig, use eitherr AuthorizationConfig or authorization-mode';
  }
  return names.some((name) => name.startsWith('authorization-webhook-'))
    ? 'authorization-webhook-* flags cannot be used in conjunction with AuthorizationConfig, use either AuthorizationConfig or authorization-webhook-* flags'
    : undefined;
}

function authorizerProblem(type: string, name: string): string | undefined {
  if (type === '') {
    return 'authorizer type must be set';
  }
  if (name === '') {
    return 'authorizer name must be set';
  }
  return authorizerTypeProblem(type);
}

/** What is wrong with the type of an authorizer. */
export function authorizerTypeProblem(type: string): string | undefined {
  return AUTHORIZERS.includes(type)
    ? undefined
    : `authorizer type ${type} is not allowed, allowed types are [${AUTHORIZERS.join(' ')}]`;
}

function checkResources(findings: Findings, cluster: ConfigObject, key: string, shown: string): void {
  const problem = resourceProblem(objectAt(cluster, key, 'resources'));
  if (problem !== undefined) {
    findings.error(['cluster', key, 'resources'], `${shown} resource validation failed: ${problem}`);
  }
}

/** What is wrong with the resources of a component: nothing but processor time and memory may stand there. */
export function resourceProblem(resources: ConfigObject | undefined): string | undefined {
  for (const section of ['requests', 'limits']) {
    const wrong = keysAt(resources, section).find((key) => key !== 'cpu' && key !== 'memory');
    if (wrong !== undefined) {
      return `unsupported pod resource ${goQuote(wrong)}`;
    }
  }
  return undefined;
}

/** CNI rules, applied on control planes only. */
export function checkCni(findings: Findings, cluster: ConfigObject | undefined, minor: number): void {
  const cni = objectAt(cluster, 'network', 'cni');
  const path: Path = ['cluster', 'network', 'cni'];
  const name = cni === undefined ? 'flannel' : textAt(cni, 'name') || 'flannel';
  const quoted = goQuote(name);
  const urls = stringsAt(cni, 'urls');
  if (name !== 'flannel' && name !== 'none' && name !== 'custom') {
    findings.error([...path, 'name'], 'cni name should be one of ["flannel", "custom", "none"]');
    return;
  }
  if (name === 'custom' && urls.length === 0) {
    findings.warn([...path, 'urls'], `"urls" field should not be empty for ${quoted} CNI`);
  }
  if (name !== 'custom' && urls.length > 0) {
    findings.error([...path, 'urls'], `"urls" field should be empty for ${quoted} CNI`);
  }
  if (name !== 'flannel' && listAt(cni, 'flannel', 'extraArgs').length > 0) {
    findings.error([...path, 'flannel'], `"flanneldExtraArgs" field should be empty for ${quoted} CNI`);
  }
  if (name !== 'flannel' && minor >= 12 && flagAt(cni, 'flannel', 'kubeNetworkPoliciesEnabled') === true) {
    const message = `"flannelKubeNetworkPoliciesEnabled" should not be enabled for ${quoted} CNI`;
    findings.error([...path, 'flannel'], message);
  }
  for (const [index, url] of name === 'custom' ? urls.entries() : []) {
    const problem = endpointProblem(url);
    if (problem !== undefined) {
      findings.error([...path, 'urls', index], problem);
    }
  }
}
