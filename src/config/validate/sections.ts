/** Sections of `machine` that stand alone (reference/network-config.md E.5 rows 22–32; v1.11.3.md 11.4). */

import { goQuote } from '../../platform/text/quote.ts';
import { parseUrl } from '../../platform/text/url.ts';
import type { Path } from '../errors.ts';
import { PROTECTED_KUBELET_FIELDS } from '../protected-kubelet-fields.ts';
import { isApiRole, NEWER_API_ROLES } from '../roles.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { parsePrefix } from '../text/ip.ts';
import { at, flagAt, isObject, listAt, numberAt, objectAt, stringsAt, textAt, textMapAt } from '../view.ts';
import { checkSubnets } from './cluster.ts';
import { type Findings, multiError } from './findings.ts';
import { annotationProblems, labelProblems, taintProblems } from './names.ts';
import { ociSpecProblem } from './oci.ts';

export function checkDisks(findings: Findings, disks: readonly ConfigValue[]): void {
  for (const [index, disk] of disks.entries()) {
    if (!isObject(disk)) {
      findings.error(['machine', 'disks', index], `machine.disks[${index}] is null`);
      continue;
    }
    const partitions = listAt(disk, 'partitions');
    for (const [position, partition] of partitions.entries()) {
      if (at(partition, 'size') === undefined && position !== partitions.length - 1) {
        const device = goQuote(textAt(disk, 'device'));
        const message = `partition for disk ${device} is set to occupy full disk, but it's not the last partition in the list`;
        findings.error(['machine', 'disks', index, 'partitions', position], message);
      }
    }
  }
}

export function checkKubelet(findings: Findings, kubelet: ConfigObject | undefined): void {
  const subnets = stringsAt(kubelet, 'nodeIP', 'validSubnets');
  const path: Path = ['machine', 'kubelet', 'nodeIP', 'validSubnets'];
  checkSubnets(findings, path, subnets, 'kubelet nodeIP subnet is not valid');
  checkKubeletFields(findings, ['machine', 'kubelet', 'extraConfig'], objectAt(kubelet, 'extraConfig'));
}

/** Fields of a KubeletConfiguration that Talos keeps to itself. */
export function checkKubeletFields(
  findings: Pick<Findings, 'error'>,
  path: Path,
  config: ConfigObject | undefined,
): void {
  for (const field of PROTECTED_KUBELET_FIELDS) {
    if (at(config, field) !== undefined) {
      findings.error([...path, field], `kubelet configuration field ${goQuote(field)} can't be overridden`);
    }
  }
}

export function checkEncryption(findings: Findings, machine: ConfigObject): void {
  for (const [label, key] of [
    ['EPHEMERAL', 'ephemeral'],
    ['STATE', 'state'],
  ] as const) {
    const encryption = objectAt(machine, 'systemDiskEncryption', key);
    if (encryption === undefined) {
      continue;
    }
    const path: Path = ['machine', 'systemDiskEncryption', key, 'keys'];
    const keys = listAt(encryption, 'keys');
    if (keys.length === 0) {
      findings.error(path, `partition ${goQuote(label)}: no encryption keys provided`);
    }
    const slots = new Set<number>();
    for (const [index, entry] of keys.entries()) {
      const slot = numberAt(entry, 'slot');
      if (slots.has(slot)) {
        findings.error([...path, index], `partition ${goQuote(label)}: encryption key slot ${slot} is already in use`);
      }
      slots.add(slot);
      if (!['static', 'nodeID', 'kms', 'tpm'].some((method) => objectAt(entry, method) !== undefined)) {
        const message = `partition ${goQuote(label)}: encryption key at slot ${slot} doesn't have the configuration parameters`;
        findings.error([...path, index], message);
      }
    }
  }
}

export function checkKubeSpan(
  findings: Findings,
  machine: ConfigObject,
  cluster: ConfigObject | undefined,
  minor: number,
): void {
  const kubespan = objectAt(machine, 'network', 'kubespan');
  if (flagAt(kubespan, 'enabled') !== true) {
    return;
  }
  const when = 'when .machine.network.kubespan is enabled';
  // From v1.14 on the documents are looked at together, as these settings may stand in ones of their own.
  if (minor < 14) {
    if (flagAt(cluster, 'discovery', 'enabled') !== true) {
      findings.error(['cluster', 'discovery', 'enabled'], `.cluster.discovery should be enabled ${when}`);
    }
    for (const field of ['id', 'secret']) {
      if (textAt(cluster, field) === '') {
        findings.error(['cluster', field], `.cluster.${field} should be set ${when}`);
      }
    }
  }
  const filters: Path = ['machine', 'network', 'kubespan', 'filters'];
  // The misspelling is the release's own (reference/v1.11.3.md 11.4).
  const refusal = `KubeSpan endpoint ${minor < 12 ? 'filer' : 'filter'} is not valid`;
  checkSubnets(findings, [...filters, 'endpoints'], stringsAt(kubespan, 'filters', 'endpoints'), refusal);
  for (const [index, prefix] of stringsAt(kubespan, 'filters', 'excludeAdvertisedNetworks').entries()) {
    if (parsePrefix(prefix) === undefined) {
      const message = `KubeSpan exclude advertised networks filter is not valid: ${goQuote(prefix)}`;
      findings.error([...filters, 'excludeAdvertisedNetworks', index], message);
    }
  }
}

const MIN_KUBESPAN_MTU = 1280;

/** What is wrong with the MTU of KubeSpan's link. */
export function kubeSpanMtuProblem(mtu: number): string | undefined {
  return mtu < MIN_KUBESPAN_MTU ? `kubespan link MTU must be at least ${MIN_KUBESPAN_MTU}` : undefined;
}

export function checkLogging(findings: Findings, machine: ConfigObject): void {
  for (const [index, destination] of listAt(machine, 'logging', 'destinations').entries()) {
    const path: Path = ['machine', 'logging', 'destinations', index];
    const endpoint = at(destination, 'endpoint');
    const url = typeof endpoint === 'string' ? parseUrl(endpoint) : undefined;
    if (url === undefined || typeof url === 'string') {
      findings.error([...path, 'endpoint'], 'empty logging endpoint');
    } else {
      if (url.host === '') {
        findings.error([...path, 'endpoint'], "empty logging endpoint's host");
      }
      if (url.scheme !== 'tcp' && url.scheme !== 'udp') {
        findings.error([...path, 'endpoint'], `unexpected logging endpoint scheme ${goQuote(url.scheme)}`);
      }
    }
    const format = textAt(destination, 'format');
    if (format !== 'json_lines') {
      findings.error([...path, 'format'], `unknown logging format ${goQuote(format)}`);
    }
  }
}

/** Advice on extensions; the address moved with the documentation after v1.11. */
export function extensionsAdvice(minor: number): string {
  const where =
    minor < 12
      ? 'https://www.talos.dev/latest/talos-guides/install/boot-assets/'
      : 'https://docs.siderolabs.com/talos/latest/platform-specific-installations/boot-assets';
  return `.machine.install.extensions is deprecated, please see ${where}`;
}

export function checkExtensions(findings: Findings, machine: ConfigObject, minor: number): void {
  const images = listAt(machine, 'install', 'extensions').map((extension) => textAt(extension, 'image'));
  const path: Path = ['machine', 'install', 'extensions'];
  for (const [index, image] of images.entries()) {
    if (images.indexOf(image) < index) {
      findings.error([...path, index, 'image'], `duplicate system extension ${goQuote(image)}`);
    }
  }
  if (images.length > 0) {
    findings.warn(path, extensionsAdvice(minor));
  }
}

export function checkNodeMetadata(findings: Findings, machine: ConfigObject): void {
  for (const [field, shown, problems] of [
    ['nodeLabels', 'labels', labelProblems(textMapAt(machine, 'nodeLabels'))],
    ['nodeAnnotations', 'annotations', annotationProblems(textMapAt(machine, 'nodeAnnotations'))],
    ['nodeTaints', 'taints', taintProblems(textMapAt(machine, 'nodeTaints'))],
  ] as const) {
    if (problems.length > 0) {
      findings.error(['machine', field], `invalid machine node ${shown}: ${multiError(problems)}`);
    }
  }
}

export function checkFeatures(findings: Findings, machine: ConfigObject, controlPlane: boolean, minor: number): void {
  const features = objectAt(machine, 'features');
  const access: Path = ['machine', 'features', 'kubernetesTalosAPIAccess'];
  if (flagAt(features, 'kubernetesTalosAPIAccess', 'enabled') === true) {
    if (minor < 12 && flagAt(features, 'rbac') !== true) {
      const message = 'feature API RBAC should be enabled when Kubernetes Talos API Access feature is enabled';
      findings.error(['machine', 'features', 'rbac'], message);
    }
    if (!controlPlane) {
      const message = 'feature Kubernetes Talos API Access can only be enabled on control plane machines';
      findings.error(access, message);
    }
    for (const [index, role] of stringsAt(features, 'kubernetesTalosAPIAccess', 'allowedRoles').entries()) {
      if (!isApiRole(role) && !(minor >= 14 && NEWER_API_ROLES.includes(role))) {
        const message = `invalid role ${goQuote(role)} in allowed roles for Kubernetes Talos API Access`;
        findings.error([...access, 'allowedRoles', index], message);
      }
    }
  }
  const algorithm = textAt(features, 'nodeAddressSortAlgorithm');
  if (algorithm !== '' && !['v1', 'v2'].includes(algorithm.toLowerCase())) {
    const problem = `${algorithm} does not belong to AddressSortAlgorithm values`;
    const path: Path = ['machine', 'features', 'nodeAddressSortAlgorithm'];
    findings.error(path, `invalid node address sort algorithm: ${problem}`);
  }
}

export function checkRuntimeSpec(findings: Findings, machine: ConfigObject): void {
  const overrides = objectAt(machine, 'baseRuntimeSpecOverrides') ?? {};
  const problem = Object.keys(overrides).length === 0 ? undefined : ociSpecProblem(overrides);
  if (problem !== undefined) {
    const message = `failed to unmarshal base runtime spec overrides: ${problem}`;
    findings.error(['machine', 'baseRuntimeSpecOverrides'], message);
  }
}

export function checkRegistries(findings: Findings, machine: ConfigObject): void {
  for (const section of ['config', 'mirrors']) {
    for (const [host, entry] of Object.entries(objectAt(machine, 'registries', section) ?? {})) {
      if (entry === null) {
        findings.error(['machine', 'registries', section, host], `registries.${section}[${goQuote(host)}] is null`);
      }
    }
  }
}
