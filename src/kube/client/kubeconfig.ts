import { parse } from 'yaml';
import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import type { Endpoint } from '../../platform/net.ts';
import type { TlsClient } from '../../platform/rpc.ts';
import type { HttpDeps } from '../../rpc/http/deps.ts';
import { KubeClient } from './client.ts';

/** What the current context of a kubeconfig says. Fields that hold file names are not resolved here. */
export interface ClientConfig {
  readonly server: string;
  readonly caPem?: string;
  readonly certificatePem?: string;
  readonly keyPem?: string;
  readonly caFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly token?: string;
}

type Named = readonly { readonly name: string; readonly [field: string]: unknown }[];

/** Reads a kubeconfig; undefined when it has no usable current context. */
export function readClientConfig(text: string): ClientConfig | undefined {
  const config = parse(text) as {
    clusters?: Named;
    users?: Named;
    contexts?: Named;
    'current-context'?: string;
  } | null;
  const named = (list: Named | undefined, name: unknown, field: string): Record<string, string> | undefined =>
    list?.find((entry) => entry.name === name)?.[field] as Record<string, string> | undefined;
  const context = named(config?.contexts, config?.['current-context'], 'context');
  const cluster = named(config?.clusters, context?.cluster, 'cluster');
  if (cluster?.server === undefined) return undefined;
  const user = named(config?.users, context?.user, 'user') ?? {};
  return {
    server: cluster.server,
    ...pemField('caPem', cluster['certificate-authority-data']),
    ...pemField('certificatePem', user['client-certificate-data']),
    ...pemField('keyPem', user['client-key-data']),
    ...(cluster['certificate-authority'] !== undefined && { caFile: cluster['certificate-authority'] }),
    ...(user['client-certificate'] !== undefined && { certificateFile: user['client-certificate'] }),
    ...(user['client-key'] !== undefined && { keyFile: user['client-key'] }),
    ...(user.token !== undefined && { token: user.token }),
  };
}

function pemField<K extends string>(field: K, base64: string | undefined): { readonly [F in K]?: string } {
  const bytes = base64 === undefined ? null : decodeBase64(base64);
  return (bytes === null ? {} : { [field]: utf8Decode(bytes) }) as { readonly [F in K]?: string };
}

/** `https://10.0.0.5:6443` as an endpoint; the default port is HTTPS's. */
function serverEndpoint(server: string): Endpoint {
  const [, host = '', port = '443'] = /^https?:\/\/\[?([^\]/]+?)\]?(?::(\d+))?\/?$/.exec(server) ?? [];
  return { address: host, port: Number(port) };
}

/** Opens a client for a config whose files have been read. */
export function clientFor(deps: HttpDeps, config: ClientConfig, timeoutUs?: number): KubeClient {
  const tls: TlsClient = {
    ...(config.caPem !== undefined && { serverCaPem: config.caPem }),
    ...(config.certificatePem !== undefined && { certificatePem: config.certificatePem }),
    ...(config.keyPem !== undefined && { keyPem: config.keyPem }),
  };
  return new KubeClient(deps, serverEndpoint(config.server), {
    tls,
    ...(config.token !== undefined && { token: config.token }),
    ...(timeoutUs !== undefined && { timeoutUs }),
  });
}
