/** Version contracts: which release a generated config is for (reference/network-config.md E.8 "Feature gates by contract"). */

import { KNOWN_RELEASES, NEWEST_MINOR } from '../version.ts';

/** Minor of the 1.x release that a config is generated for. */
export type Contract = number;

/** Parses `v1.11` or `v1.11.3`; otherwise the complaint. */
export function parseContract(text: string): Contract | { readonly error: string } {
  const match = /^v(\d+)\.(\d+)(?:$|\.)/.exec(text);
  if (match === null) return { error: `error parsing version ${JSON.stringify(text)}` };
  if (match[1] !== '1' || Number(match[2]) > NEWEST_MINOR)
    return { error: `generation for Talos ${text} is not supported: only ${KNOWN_RELEASES} are known` };
  return Number(match[2]);
}

/** What a contract turns on; every gate says after which release it holds. */
export interface Gates {
  readonly podSecurityAdmission: boolean;
  readonly stableHostname: boolean;
  readonly seccompDefault: boolean;
  readonly allowSchedulingOnControlPlanes: boolean;
  readonly kubernetesRegistryDisabled: boolean;
  readonly alternateImageRegistries: boolean;
  readonly extKeyUsageCheck: boolean;
  readonly auditPolicy: boolean;
  readonly manifestsDirectoryDisabled: boolean;
  readonly secretbox: boolean;
  readonly diskQuota: boolean;
  readonly kubePrism: boolean;
  readonly hostDns: boolean;
  readonly rsaServiceAccountKey: boolean;
  readonly clusterNameOnWorkers: boolean;
  readonly forwardKubeDns: boolean;
  readonly excludeFromLoadBalancers: boolean;
  /** Host name and registries in documents of their own; several legacy switches gone. */
  readonly networkDocuments: boolean;
  readonly grubUseUkiCmdline: boolean;
  readonly kubeSpanDocument: boolean;
  /** Discovery, install, host DNS, sysctls and everything of Kubernetes in documents of their own. */
  readonly kubernetesDocuments: boolean;
}

export function gatesOf(contract: Contract): Gates {
  return {
    podSecurityAdmission: contract > 0,
    stableHostname: contract > 1,
    seccompDefault: contract > 1,
    allowSchedulingOnControlPlanes: contract > 1,
    kubernetesRegistryDisabled: contract > 1,
    alternateImageRegistries: contract === 2,
    extKeyUsageCheck: contract > 2,
    auditPolicy: contract > 2,
    manifestsDirectoryDisabled: contract > 2,
    secretbox: contract > 2,
    diskQuota: contract > 4,
    kubePrism: contract > 5,
    hostDns: contract > 6,
    rsaServiceAccountKey: contract > 6,
    clusterNameOnWorkers: contract > 7,
    forwardKubeDns: contract > 7,
    excludeFromLoadBalancers: contract > 7,
    networkDocuments: contract > 11,
    grubUseUkiCmdline: contract > 11,
    kubeSpanDocument: contract > 12,
    kubernetesDocuments: contract > 13,
  };
}
