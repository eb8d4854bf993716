import { parse } from 'yaml';
import type { Process } from '../../platform/containers.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { readText } from '../component/connect.ts';
import { parseComponentFlags } from '../component/flags.ts';
import { KNOWN_FLAGS } from './known-flags.ts';

/** What flags and configuration file say, as far as it changes what the kubelet does here. */
export interface KubeletSettings {
  readonly nodeName: string;
  readonly nodeIps: readonly string[];
  /** Undefined: no API server, static pods only. */
  readonly kubeconfigPath: string | undefined;
  readonly bootstrapKubeconfigPath: string;
  readonly certificatePath: string;
  readonly staticPodUrl: string | undefined;
  readonly clientCaPath: string | undefined;
  readonly taints: readonly object[];
  readonly labels: Readonly<Record<string, string>>;
}

interface KubeletConfiguration {
  readonly staticPodURL?: string;
  readonly authentication?: { readonly x509?: { readonly clientCAFile?: string } };
  readonly registerWithTaints?: readonly object[];
}

/** Reads flags and the file that `--config` names; a complaint when they cannot be used. */
export function* readSettings(process: Process, platform: Platform): Task<KubeletSettings | string> {
  const flags = parseComponentFlags(process.argv, KNOWN_FLAGS);
  if (typeof flags === 'string') return flags;
  const { values } = flags;
  const text = yield* readText(platform, values.config ?? '/etc/kubernetes/kubelet.yaml');
  if (text === undefined)
    return `failed to load kubelet config file, path: ${values.config}, error: no such file or directory`;
  const config = (parse(text) ?? {}) as KubeletConfiguration;
  return {
    nodeName: values['hostname-override'] ?? 'localhost',
    nodeIps: words(values['node-ip']),
    kubeconfigPath: values.kubeconfig,
    bootstrapKubeconfigPath: values['bootstrap-kubeconfig'] ?? '/etc/kubernetes/bootstrap-kubeconfig',
    certificatePath: `${values['cert-dir'] ?? '/var/lib/kubelet/pki'}/kubelet-client-current.pem`,
    staticPodUrl: config.staticPodURL,
    clientCaPath: config.authentication?.x509?.clientCAFile,
    taints: [...(config.registerWithTaints ?? []), ...words(values['register-with-taints']).map(taintOf)],
    labels: Object.fromEntries(words(values['node-labels']).map((pair) => split(pair, '='))),
  };
}

function words(list: string | undefined): string[] {
  return (list ?? '').split(',').filter((word) => word !== '');
}

function split(text: string, at: string): [string, string] {
  const cut = text.indexOf(at);
  return cut < 0 ? [text, ''] : [text.slice(0, cut), text.slice(cut + 1)];
}

/** `key=value:Effect` or `key:Effect`. */
function taintOf(text: string): object {
  const [left, effect] = split(text, ':');
  const [key, value] = split(left, '=');
  return { key, ...(value !== '' && { value }), effect };
}
