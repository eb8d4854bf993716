import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { bootstrapManifests } from '../../src/nodes/kube/manifests/all.ts';
import type { BootstrapManifestsConfigSpec } from '../../src/nodes/resources/k8s-control-plane.ts';
import type { KubernetesRootSpec } from '../../src/nodes/resources/secrets.ts';
import type { ConformanceCase } from './config-run.ts';

interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/** Bootstrap manifests below `templates`: what each was made from is read off the recorded object itself. */
export function templateCases(dir: string): ConformanceCase[] {
  const folder = join(dir, 'templates');
  if (!existsSync(folder)) return [];
  const tree = basename(dir);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((file) => {
      const name = `template ${tree} ${file}`;
      if (!/^v1\.11(\.|$)/.test(tree)) return { name, failure: '', skipped: 'the manifests of v1.11.3 are simulated' };
      return { name, failure: failureOf(parse(readFileSync(join(folder, file), 'utf8')) as KubeObject) };
    });
}

function failureOf(golden: KubeObject): string {
  const { kind } = golden;
  const { name } = golden.metadata;
  const objects = Object.values(bootstrapManifests(configFor(golden), rootFor(golden))).flat();
  const ours = objects.find(
    (object) => object.kind === kind && (object as unknown as KubeObject).metadata.name === name,
  );
  if (ours === undefined) return `  no manifest is the ${kind} ${name}`;
  return difference(JSON.parse(JSON.stringify(ours)), withoutStatus(golden), '');
}

/** The first field that differs; nothing when both say the same. */
function difference(ours: unknown, golden: unknown, path: string): string {
  if (Array.isArray(ours) && Array.isArray(golden) && ours.length === golden.length) {
    return firstOf(golden.map((item, index) => difference(ours[index], item, `${path}[${index}]`)));
  }
  if (isMap(ours) && isMap(golden)) {
    const keys = [...new Set([...Object.keys(golden), ...Object.keys(ours)])];
    return firstOf(keys.map((key) => difference(ours[key], golden[key], `${path}.${key}`)));
  }
  if (Object.is(ours, golden)) return '';
  return `  ${path}\n  expected ${JSON.stringify(golden)}\n  got      ${JSON.stringify(ours)}`;
}

function firstOf(differences: readonly string[]): string {
  return differences.find((text) => text !== '') ?? '';
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Talos drops the status of rendered objects before it applies them (reference/controllers.md B.3.3). */
function withoutStatus({ status: _, ...rest }: KubeObject): object {
  return rest;
}

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

function configFor(golden: KubeObject): BootstrapManifestsConfigSpec {
  const data = (golden.data ?? {}) as Readonly<Record<string, string>>;
  const spec = golden.spec as {
    template?: { spec: { containers: readonly Container[] } };
    clusterIPs?: readonly string[];
  };
  const container = spec?.template?.spec.containers[0];
  const env = (name: string): string => container?.env?.find((entry) => entry.name === name)?.value ?? '';
  const addresses = spec?.clusterIPs ?? ['10.96.0.10'];
  const net = JSON.parse(data['net-conf.json'] ?? '{}') as { Network?: string; IPv6Network?: string };
  const podCIDRs = [net.Network, net.IPv6Network].filter((cidr) => cidr !== undefined);
  return {
    server: /server: (\S+)/.exec(data.kubeconfig ?? '')?.[1] ?? '',
    clusterDomain: /kubernetes (\S+) in-addr/.exec(data.Corefile ?? '')?.[1] ?? 'cluster.local',
    podCIDRs: podCIDRs.length === 0 ? ['10.244.0.0/16'] : podCIDRs,
    proxyEnabled: true,
    proxyImage: container?.image ?? '',
    proxyArgs: container?.command?.slice(1) ?? [],
    coreDNSEnabled: true,
    coreDNSImage: container?.image ?? '',
    dnsServiceIP: addresses.find((address) => !address.includes(':')) ?? '',
    dnsServiceIPv6: addresses.find((address) => address.includes(':')) ?? '',
    flannelEnabled: true,
    flannelImage: container?.image ?? '',
    flannelExtraArgs: container?.args?.slice(2) ?? [],
    flannelKubeServiceHost: env('KUBERNETES_SERVICE_HOST'),
    flannelKubeServicePort: env('KUBERNETES_SERVICE_PORT'),
    podSecurityPolicyEnabled: false,
  };
}

function rootFor(golden: KubeObject): KubernetesRootSpec {
  const token = (golden.stringData ?? {}) as Readonly<Record<string, string>>;
  return {
    bootstrapTokenID: token['token-id'] ?? '',
    bootstrapTokenSecret: token['token-secret'] ?? '',
  } as KubernetesRootSpec;
}
