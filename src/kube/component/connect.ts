import { utf8Decode } from '../../platform/bytes.ts';
import { readWhole } from '../../platform/disk.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { KubeClient } from '../client/client.ts';
import { type ClientConfig, clientFor, readClientConfig } from '../client/kubeconfig.ts';

/** Opens a client as a kubeconfig file says, with the files it names read; undefined when there is no usable file. */
export function* connect(platform: Platform, path: string, timeoutUs?: number): Task<KubeClient | undefined> {
  const text = yield* readText(platform, path);
  const config = text === undefined ? undefined : readClientConfig(text);
  if (config === undefined) return undefined;
  return clientFor(platform, yield* resolved(platform, config), timeoutUs);
}

function* resolved(platform: Platform, config: ClientConfig): Task<ClientConfig> {
  const ca = config.caFile === undefined ? undefined : yield* readText(platform, config.caFile);
  const certificate =
    config.certificateFile === undefined ? undefined : yield* readText(platform, config.certificateFile);
  const key = config.keyFile === undefined ? undefined : yield* readText(platform, config.keyFile);
  return {
    ...config,
    ...(ca !== undefined && { caPem: ca }),
    ...(certificate !== undefined && { certificatePem: certificate }),
    ...(key !== undefined && { keyPem: key }),
  };
}

/** Text of a file; undefined when there is none. */
export function* readText(platform: Platform, path: string): Task<string | undefined> {
  const bytes = yield* readWhole(platform.disk, path);
  return bytes === undefined ? undefined : utf8Decode(bytes);
}
