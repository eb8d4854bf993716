import { ipBytes } from '../../platform/x509/ip.ts';
import { devicesOf, vipOf } from './devices.ts';
import type { TriedConfig } from './tried-config.ts';
import type { Attempt } from './try.ts';

export interface Circumstances {
  readonly configs: readonly TriedConfig[];
  /** Addresses of the machines. */
  readonly addresses: ReadonlySet<string>;
  /** Names that were made known, with their addresses. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly authorityProblems: readonly string[];
  /** What a service of a machine printed last. */
  readonly lastLine: (machine: string, service: string) => string | undefined;
}

/** Why a machine got no further, the most telling first; empty when its Node is Ready. */
export function reasonsOf(attempt: Attempt, circumstances: Circumstances): readonly string[] {
  const { progress } = attempt;
  if (progress.stage === 'ready') return [];
  if (attempt.isRefused)
    return attempt.refusal
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  if (progress.failure !== '')
    return [progress.failure.replace(/^sequence failed: /, ''), ...circumstances.authorityProblems];
  const reasons = [
    ...circumstances.authorityProblems,
    ...networkPluginReasons(attempt),
    ...endpointReasons(attempt.config, circumstances),
    ...(attempt.refusal === '' ? [] : [`it could not be bootstrapped: ${attempt.refusal}`]),
    ...serviceReasons(attempt, circumstances),
  ];
  return reasons.length > 0 ? reasons : progress.complaints;
}

/** What is at the endpoint that kubelets, workers and clients go to. */
export function endpointReasons({ settings }: TriedConfig, { configs, addresses, names }: Circumstances): string[] {
  const { url, host } = settings.cluster.endpoint;
  const isAlone =
    settings.machineType === 'worker' && configs.every((config) => config.settings.machineType === 'worker');
  if (isAlone) {
    return [`a worker without a control plane: nobody at ${url} signs its API certificate or takes its kubelet in`];
  }
  if (names[host] !== undefined) return [];
  if (ipBytes(host) === null) return [`the endpoint ${url} is a name that nobody here has`];
  const isShared = configs.some(({ legacy }) => devicesOf(legacy).some((device) => vipOf(device) === host));
  if (addresses.has(host) || isShared) return [];
  return [`the endpoint ${url} is nobody's: no machine here has that address, and no shared address (vip) is it`];
}

/** Where the name of the endpoint leads. */
export function nameNotes({ settings }: TriedConfig, { names }: Circumstances): string[] {
  const { host } = settings.cluster.endpoint;
  const addresses = names[host];
  return addresses === undefined ? [] : [`the name ${host} leads to its control planes: ${addresses.join(', ')}`];
}

function networkPluginReasons({ progress, config }: Attempt): string[] {
  const { name } = config.settings.cluster.cni;
  if (progress.stage !== 'registered' || name === 'flannel') return [];
  const what =
    name === 'none' ? 'installs no network plugin' : 'fetches its network plugin from URLs, which have no model';
  return [`cluster.network.cni.name is ${name}: Talos ${what}, so that the Node stays NotReady`];
}

function serviceReasons({ progress, config }: Attempt, { lastLine }: Circumstances): string[] {
  return [...progress.services]
    .filter(([, { state, health }]) => (state !== 'Running' && state !== 'Finished') || health === 'unhealthy')
    .map(([service, { state, message }]) => {
      const said = /exit code/.test(message) ? lastLine(config.name, service) : undefined;
      return `service ${service} is ${state}: ${message}${said === undefined ? '' : ` (it said: ${said})`}`;
    });
}
