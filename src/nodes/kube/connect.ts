import type { KubeClient } from '../../kube/client/client.ts';
import { type ClientConfig, clientFor, readClientConfig } from '../../kube/client/kubeconfig.ts';
import { CryptoError, certificatesFromPem } from '../../platform/crypto.ts';
import type { Task } from '../../platform/task.ts';
import { NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { KUBELET_KUBECONFIG, onHost } from './paths.ts';

/** A client for a kubeconfig that carries everything in itself. */
export function openKubeconfig(machine: Machine, kubeconfig: string, timeoutUs?: number): KubeClient {
  const config = readClientConfig(kubeconfig);
  if (config === undefined) throw new NodeError('invalid configuration: no configuration has been provided');
  return clientFor(machine.platform, config, timeoutUs);
}

/** A client with the kubelet's own identity; undefined while there is none. */
export function* openKubeletClient(machine: Machine, timeoutUs?: number): Task<KubeClient | undefined> {
  const config = yield* readKubeletConfig(machine);
  return config === undefined ? undefined : clientFor(machine.platform, config, timeoutUs);
}

function* readKubeletConfig(machine: Machine): Task<ClientConfig | undefined> {
  const text = yield* machine.files.read(onHost(KUBELET_KUBECONFIG));
  const config = text === undefined ? undefined : readClientConfig(text);
  if (config === undefined) return undefined;
  const certificate = yield* fileOrGiven(machine, config.certificateFile, config.certificatePem);
  const key = yield* fileOrGiven(machine, config.keyFile, config.keyPem);
  const ca = yield* fileOrGiven(machine, config.caFile, config.caPem);
  if (certificate === undefined || key === undefined || !holdsCertificate(machine, certificate)) return undefined;
  return { ...config, certificatePem: certificate, keyPem: key, ...(ca === undefined ? {} : { caPem: ca }) };
}

function* fileOrGiven(machine: Machine, path: string | undefined, pem: string | undefined): Task<string | undefined> {
  return path === undefined ? pem : yield* machine.files.read(onHost(path));
}

function holdsCertificate(machine: Machine, pem: string): boolean {
  try {
    return certificatesFromPem(machine.platform.crypto, pem).length > 0;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}
