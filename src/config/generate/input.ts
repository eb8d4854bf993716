/** What a config is generated from (reference/network-config.md E.8). */

import { parseUrl, urlHostname } from '../../platform/text/url.ts';
import { ipBytes } from '../../platform/x509/ip.ts';
import type { Contract } from './contract.ts';
import type { SecretsBundle } from './secrets.ts';

export type MachineRole = 'controlplane' | 'worker';

export interface GenerateInput {
  readonly clusterName: string;
  /** `https://host:port`. */
  readonly endpoint: string;
  /** Without `v`. */
  readonly kubernetesVersion: string;
  readonly contract: Contract;
  readonly secrets: SecretsBundle;
  readonly options?: GenerateOptions;
}

export interface CniChoice {
  readonly name: 'flannel' | 'custom' | 'none';
  /** Manifests of a custom plugin. */
  readonly urls?: readonly string[];
}

export interface GenerateOptions {
  /** Empty for none. */
  readonly installDisk?: string;
  /** Empty for none. */
  readonly installImage?: string;
  readonly installExtraKernelArgs?: readonly string[];
  /** Extra names of the Talos API and of the Kubernetes API. */
  readonly additionalSans?: readonly string[];
  /** Extra names of the Talos API alone, instead of `additionalSans`. */
  readonly machineSans?: readonly string[];
  /** Default `cluster.local`. */
  readonly dnsDomain?: string;
  readonly podSubnets?: readonly string[];
  readonly serviceSubnets?: readonly string[];
  readonly sysctls?: Readonly<Record<string, string>>;
  /** Mirror URLs by registry host. */
  readonly registryMirrors?: Readonly<Record<string, readonly string[]>>;
  readonly localApiServerPort?: number;
  /** Network plugin; flannel when absent. */
  readonly cni?: CniChoice;
  readonly allowSchedulingOnControlPlanes?: boolean;
  /** Default true. */
  readonly discovery?: boolean;
  readonly kubeSpan?: boolean;
  /** Default true. */
  readonly persist?: boolean;
  /** Also keep what only the commenting printer shows: empty lists and registries. */
  readonly keepEmpty?: boolean;
}

const POD_SUBNET = Object.freeze({ v4: '10.244.0.0/16', v6: 'fc00:db8:10::/56' });
const SERVICE_SUBNET = Object.freeze({ v4: '10.96.0.0/12', v6: 'fc00:db8:20::/112' });

/** Host of the endpoint, without brackets and port; empty when the endpoint is no URL. */
export function endpointHost(endpoint: string): string {
  const url = parseUrl(endpoint);
  return typeof url === 'string' ? '' : urlHostname(url);
}

/**
 * Pod and service networks. The real tool chooses IPv6 ones for an endpoint that *is* an IPv6 address; it looks at the
 * whole text, so an endpoint that is a URL, as the command line wants it, gets IPv4 networks whatever its host.
 */
export function networksOf(input: GenerateInput): { pods: readonly string[]; services: readonly string[] } {
  const family = ipBytes(input.endpoint)?.length === 16 ? 'v6' : 'v4';
  return {
    pods: input.options?.podSubnets ?? [POD_SUBNET[family]],
    services: input.options?.serviceSubnets ?? [SERVICE_SUBNET[family]],
  };
}
