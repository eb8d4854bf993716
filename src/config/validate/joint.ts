/** Rules over several documents (reference/network-config.md E.6). */

import { goQuote } from '../../platform/text/quote.ts';
import { type Config, documentsOf, legacyOf } from '../config.ts';
import type { ConfigObject } from '../schema/types.ts';
import { flagAt, listAt, objectAt, stringsAt, textAt } from '../view.ts';
import type { Finding } from './findings.ts';
import type { ValidateOptions } from './mode.ts';
import { takenOverProblems } from './newer.ts';
import { isControlPlaneRole, machineRole } from './role.ts';

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
    const taken = takenOverProblems(document.spec.kind, legacy).map((problem) => ({
      document: '',
      index: 0,
      ...problem,
    }));
    return [...encryption, ...taken];
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

/** Rules that look at all documents; they concern kinds of v1.13 and later only. The words are ours. */
export function jointProblems(config: Config, options: ValidateOptions): Finding[] {
  const legacy = legacyOf(config);
  const kinds = config.documents.map((document) => document.spec.kind);
  const problems: string[] = [];
  const has = (kind: string): boolean => kinds.includes(kind);
  const legacyDiscovery = objectAt(legacy, 'cluster', 'discovery') !== undefined;
  if (has('DiscoveryServiceConfig')) {
    const [identity] = documentsOf(config, 'DiscoveryIdentityConfig');
    if (textAt(identity, 'clusterID') === '' && textAt(legacy, 'cluster', 'id') === '') {
      problems.push('cluster id is required for the discovery service');
    }
    if (textAt(identity, 'clusterSecret') === '' && textAt(legacy, 'cluster', 'secret') === '') {
      problems.push('cluster secret is required for the discovery service');
    }
  }
  const [kubespan] = documentsOf(config, 'KubeSpanConfig');
  if (flagAt(kubespan, 'enabled') === true && !has('DiscoveryServiceConfig') && !legacyDiscovery) {
    problems.push('KubeSpan needs a discovery service');
  }
  const reserved = [...new Set(kinds.filter((kind) => CONTROL_PLANE_KINDS.includes(kind)))].sort();
  const role = machineRole(textAt(legacy, 'machine', 'type'));
  if (reserved.length > 0 && (legacy === undefined || !isControlPlaneRole(role))) {
    problems.push(`documents are allowed on control plane machines only: ${reserved.join(', ')}`);
  }
  const isControlPlaneWithCa = has('KubeAPIServerCAConfig') && isControlPlaneRole(role);
  const legacySecret = ['secretboxEncryptionSecret', 'aescbcEncryptionSecret'].some(
    (key) => textAt(legacy, 'cluster', key) !== '',
  );
  if (isControlPlaneWithCa && !legacySecret && !has('KubeEtcdEncryptionConfig')) {
    problems.push('an encryption secret or KubeEtcdEncryptionConfig is required');
  }
  if (options.minor >= 14) {
    problems.push(...hostDnsProblems(config, legacy, options.mode), ...dependencyProblems(config));
  }
  return problems.map((message) => ({ document: '', index: -1, path: [], message }));
}

/** The resolver on the host: what containers and encrypted name servers need of it. Its document counts when it is on. */
function hostDnsProblems(config: Config, legacy: ConfigObject | undefined, mode: ValidateOptions['mode']): string[] {
  const [resolver] = documentsOf(config, 'ResolverConfig');
  const own = objectAt(resolver, 'hostDNS');
  const dns = flagAt(own, 'enabled') === true ? own : (objectAt(legacy, 'machine', 'features', 'hostDNS') ?? own);
  const isOn = flagAt(dns, 'enabled') === true;
  const problems: string[] = [];
  if (mode === 'container') {
    if (dns === undefined) problems.push('host DNS config is required in container mode');
    else if (!isOn) problems.push('host DNS should be enabled in container mode');
    else if (flagAt(dns, 'forwardKubeDNSToHost') !== true)
      problems.push('host DNS should forward kube-dns to host in container mode');
  }
  const isEncrypted = listAt(resolver, 'nameservers').some((server) =>
    ['DoT', 'DoH'].includes(textAt(server, 'protocol')),
  );
  if (isEncrypted && !isOn) problems.push('encrypted DNS requires host DNS to be enabled');
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
      problems.push(`container ${goQuote(name)} depends on unknown container ${goQuote(other)}`);
    }
    if (others.some((other) => other !== name && reaches(waits, other, name))) {
      problems.push(`container ${goQuote(name)} is part of a dependency cycle`);
    }
  }
  return problems;
}

/** Whether waiting from one container leads to another. */
function reaches(waits: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === to) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...(waits.get(name) ?? []));
  }
  return false;
}
