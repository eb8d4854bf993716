import { parse } from 'yaml';
import type { Process } from '../../platform/containers.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { readText } from '../component/connect.ts';
import { parseComponentFlags } from '../component/flags.ts';

/** Flags that Talos gives the kubelet (reference/v1.11.3.md 17.4) and common ones; unknown ones are refused. */
const KNOWN_FLAGS: readonly string[] = Object.freeze([
  'bootstrap-kubeconfig',
  'cert-dir',
  'cloud-provider',
  'config',
  'hostname-override',
  'image-credential-provider-bin-dir',
  'image-credential-provider-config',
  'kubeconfig',
  'node-ip',
  'node-labels',
  'register-with-taints',
  'v',
]);

/** What flags and configuration file say, as far as it changes what the kubelet does here. */
export interface KubeletSettings {
  readonly nodeName: string;
  readonly nodeIps: readonly string[];
  readonly kubeconfigPath: string;
  readonly bootstrapKubeconfigPath: string;
  readonly certificatePath: string;
  readonly staticPodUrl: string | undefined;
  readonly taints: readonly object[];
  readonly shutdownGraceUs: number;
}

interface KubeletConfiguration {
  readonly staticPodURL?: string;
  readonly registerWithTaints?: readonly object[];
}

const SHUTDOWN_GRACE_US = 30_000_000;

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
    nodeIps: (values['node-ip'] ?? '').split(',').filter((address) => address !== ''),
    kubeconfigPath: values.kubeconfig ?? '/etc/kubernetes/kubeconfig-kubelet',
    bootstrapKubeconfigPath: values['bootstrap-kubeconfig'] ?? '/etc/kubernetes/bootstrap-kubeconfig',
    certificatePath: `${values['cert-dir'] ?? '/var/lib/kubelet/pki'}/kubelet-client-current.pem`,
    staticPodUrl: config.staticPodURL,
    taints: config.registerWithTaints ?? [],
    shutdownGraceUs: SHUTDOWN_GRACE_US,
  };
}
