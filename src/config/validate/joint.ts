/** Rules over several documents (reference/network-config.md E.6). */

import { goQuote } from '../../platform/text/quote.ts';
import { type Config, documentsOf, legacyOf } from '../config.ts';
import type { ConfigObject } from '../schema/types.ts';
import { flagAt, listAt, objectAt, stringsAt, textAt } from '../view.ts';
import type { Finding } from './findings.ts';
import type { ValidateOptions } from './mode.ts';
import { isControlPlaneRole, machineRole } from './role.ts';
import { takenOverProblem } from './taken-over.ts';

/** Settings that stand both in the legacy document and in one of their own. */
export function legacyConflicts(config: Config): Finding[] {
  const legacy = legacyOf(config);
  if (legacy === undefined) {
    return [];
  }
  return config.documents.flatMap((document, index) => {
    const key = document.name === 'STATE' ? 'state' : 'ephemeral';
    const clash =
      document.spec.kind === 'VolumeConfig' &&
      (document.name === 'STATE' || document.name === 'EPHEMERAL') &&
      textAt(document.value, 'encryption', 'provider') !== '' &&
      objectAt(legacy, 'machine', 'systemDiskEncryption', key) !== undefined;
    const message = `system disk encryption for ${goQuote(document.name)} is configured in both v1alpha1.Config and VolumeConfig`;
    const encryption = clash ? [{ document: '', index, path: ['encryption'], message }] : [];
    // The clash stands in the legacy document, which is the first.
    const taken = takenOverProblem(document.spec.kind, document.value, legacy);
    return taken === undefined ? encryption : [...encryption, { document: '', index: 0, ...taken }];
  });
}

const CONTROL_PLANE_KINDS: readonly string[] = Object.freeze([
  'KubeAPIServerConfig',
  'KubeAdmissionControlConfig',
  'KubeAggregatorCAConfig',
  'KubeAuditPolicyConfig',
  'KubeAuthenticationConfig',
  'KubeAuthorizerConfig',
  'KubeControllerManagerConfig',
  'KubeCoreDNSConfig',
  'KubeEtcdEncryptionConfig',
  'KubeFlannelCNIConfig',
  'KubeProxyConfig',
  'KubeSchedulerConfig',
  'KubeServiceAccountConfig',
  'KubeTalosAPIAccessConfig',
]);

/** Rules that look at all documents, of releases that have documents for all settings. */
export function jointProblems(config: Config, options: ValidateOptions): Finding[] {
  if (options.minor < 14) {
    return [];
  }
  const legacy = legacyOf(config);
  const problems = [
    ...hostDnsProblems(config, legacy, options.mode),
    ...discoveryProblems(config, legacy),
    ...dependencyProblems(config),
    ...kubeSpanProblems(config, legacy),
    ...controlPlaneProblems(config, legacy),
  ];
  return problems.map((message) => ({ document: '', index: -1, path: [], message }));
}

/** The resolver on the host: what containers and encrypted name servers need of it. Its document counts when it is on. */
function hostDnsProblems(config: Config, legacy: ConfigObject | undefined, mode: ValidateOptions['mode']): string[] {
  const [resolver] = documentsOf(config, 'ResolverConfig');
  const own = objectAt(resolver, 'hostDNS');
  const dns = flagAt(own, 'enabled') === true ? own : objectAt(legacy, 'machine', 'features', 'hostDNS');
  const isOn = flagAt(dns, 'enabled') === true;
  const problems: string[] = [];
  if (mode === 'container' && dns === undefined) {
    problems.push('hostDNS config is required in container mode');
  } else if (mode === 'container') {
    if (!isOn) problems.push('hostDNS must be enabled in container mode');
    if (flagAt(dns, 'forwardKubeDNSToHost') !== true) {
      problems.push('forwardKubeDNSToHost must be enabled in container mode');
    }
  }
  const isEncrypted = listAt(resolver, 'nameservers').some((server) =>
    ['DoT', 'DoH'].includes(textAt(server, 'protocol')),
  );
  if (isEncrypted && !isOn) problems.push('hostDNS must be enabled when using non-default DNS protocols');
  return problems;
}

function hasDocument(config: Config, kind: string): boolean {
  return config.documents.some((document) => document.spec.kind === kind);
}

/** The words are ours, as no source is at hand. The legacy block has its own checks. */
function discoveryProblems(config: Config, legacy: ConfigObject | undefined): string[] {
  if (!hasDocument(config, 'DiscoveryServiceConfig')) {
    return [];
  }
  const [identity] = documentsOf(config, 'DiscoveryIdentityConfig');
  return (
    [
      ['id', 'clusterID', 'ID'],
      ['secret', 'clusterSecret', 'secret'],
    ] as const
  )
    .filter(([key, field]) => textAt(identity, field) === '' && textAt(legacy, 'cluster', key) === '')
    .map(
      ([key, , shown]) =>
        `cluster ${shown} (.cluster.${key} or DiscoveryIdentityConfig) should be set when a discovery service is configured`,
    );
}

/** The words are ours, as no source is at hand. */
function kubeSpanProblems(config: Config, legacy: ConfigObject | undefined): string[] {
  const [document] = documentsOf(config, 'KubeSpanConfig');
  const kubespan = document ?? objectAt(legacy, 'machine', 'network', 'kubespan');
  const discovery = objectAt(legacy, 'cluster', 'discovery');
  const isServed =
    hasDocument(config, 'DiscoveryServiceConfig') ||
    (flagAt(discovery, 'enabled') === true && flagAt(discovery, 'registries', 'service', 'disabled') !== true);
  return flagAt(kubespan, 'enabled') === true && !isServed
    ? ['a discovery service should be configured when KubeSpan is enabled']
    : [];
}

function controlPlaneProblems(config: Config, legacy: ConfigObject | undefined): string[] {
  const isControlPlane = legacy !== undefined && isControlPlaneRole(machineRole(textAt(legacy, 'machine', 'type')));
  const problems: string[] = [];
  const hasCa = hasDocument(config, 'KubeAPIServerCAConfig') || objectAt(legacy, 'cluster', 'ca') !== undefined;
  const hasSecret = ['secretboxEncryptionSecret', 'aescbcEncryptionSecret'].some(
    (key) => textAt(legacy, 'cluster', key) !== '',
  );
  if (isControlPlane && hasCa && !hasSecret && !hasDocument(config, 'KubeEtcdEncryptionConfig')) {
    problems.push('etcd encryption config is required for control plane machines');
  }
  const kinds = config.documents.map((document) => document.spec.kind);
  const reserved = [...new Set(kinds.filter((kind) => CONTROL_PLANE_KINDS.includes(kind)))].sort();
  if (reserved.length > 0 && !isControlPlane) {
    const list = reserved.join(' ');
    problems.push(`the following document kinds are only allowed on control plane machines: [${list}]`);
  }
  return problems;
}

/** Containers that wait for containers: each must exist, and none may wait for itself in the end. */
function dependencyProblems(config: Config): string[] {
  const waits = new Map(
    documentsOf(config, 'ContainerConfig').map((container) => [
      textAt(container, 'name'),
      stringsAt(container, 'dependsOn', 'containers'),
    ]),
  );
  const problems: string[] = [];
  for (const [name, others] of waits) {
    for (const other of others.filter((candidate) => !waits.has(candidate))) {
      problems.push(`container ${goQuote(name)} depends on container ${goQuote(other)}, which is not configured`);
    }
  }
  const cycles = cyclesOf(waits);
  return cycles.length === 0 ? problems : [...problems, `container dependsOn cycle detected: ${cycles.join(', ')}`];
}

/** Every circle that a walk in the order of names closes, as `a -> b -> a`. */
function cyclesOf(waits: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const stack: string[] = [];
  const cycles = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name) || !waits.has(name)) return;
    const at = stack.indexOf(name);
    if (at >= 0) {
      cycles.add([...stack.slice(at), name].join(' -> '));
      return;
    }
    stack.push(name);
    for (const other of waits.get(name)!) visit(other);
    stack.pop();
    done.add(name);
  };
  for (const name of [...waits.keys()].sort()) visit(name);
  return [...cycles].sort();
}
